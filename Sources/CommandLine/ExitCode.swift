/// The exit codes, the same for every command.
public enum ExitCode: Int32, CaseIterable, Hashable, Sendable {
  /// Everything asked for was done.
  case done = 0
  /// Nothing useful could be done.
  case nothingDone = 1
  /// Done, with gaps: missing symbols, rejected files, a damaged index that was built anew.
  case gaps = 3
  /// Something is new or worse in a build, and somebody should look: `alerts` only.
  case alerts = 4
  /// The store is damaged, newer than the program, or locked.
  case store = 5
  /// The command line was wrong (`EX_USAGE` of sysexits.h).
  case usage = 64

  /// What the code says, as a clause for help texts.
  public var meaning: String {
    switch self {
    case .done: "done"
    case .nothingDone: "nothing useful could be done"
    case .gaps: "done, with gaps: missing symbols, rejected files, mended damage"
    case .alerts: "alerts fired"
    case .store: "the store is damaged, newer or locked"
    case .usage: "wrong usage"
    }
  }
}
