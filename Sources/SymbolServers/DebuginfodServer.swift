internal import Files
internal import Glibc
public import Identity
public import SymbolStore
internal import Synchronization

/// A server of elfutils' debuginfod protocol: debug files of ELF images by build-id.
///
/// It is asked for build-ids only, never for the UUID of an Apple image: an identifier of 16 bytes is taken for one. One
/// question at a time. A server that fails three times in a row, or costs more time in all than a run has for it, is left
/// alone for the rest of the run. What it does not have is remembered for six hours, or until symbols are uploaded.
public final class DebuginfodServer: SymbolSource {
  /// How long an answer that a file is absent counts, in seconds.
  public static let absenceLifetime: Int64 = 6 * 3600
  /// How many failures in a row are too many.
  public static let failureLimit = 3
  /// The time that one run has for one server, in seconds.
  public static let runSeconds = 1800

  private struct State {
    var failures = 0
    var leftAlone: String?
    var troubles: [String] = []
    var absent: [DebugID: Int64]
    var spent = Duration.zero
  }

  /// The address, without user and password.
  public let name: String
  /// What it is.
  public var kind: SymbolSourceKind { .debuginfod }
  private let base: String
  private let store: SymbolStore
  private let downloader: Downloader
  private let now: @Sendable () -> Int64
  private let state: Mutex<State>

  /// The clock of the machine, in seconds since 1970.
  public static func clock() -> Int64 { Int64(time(nil)) }

  /// The server at `address`. Files lie in `temporaryFolder` while they are used; `store` remembers what is absent.
  ///
  /// `now` tells the seconds since 1970.
  public init(
    _ address: ServerAddress, limits: DownloadLimits, store: SymbolStore, temporaryFolder: String,
    now: @escaping @Sendable () -> Int64 = DebuginfodServer.clock
  ) {
    name = address.name
    base = address.base
    self.store = store
    self.now = now
    downloader = Downloader(limits: limits, temporaryFolder: temporaryFolder)
    let known = store.absentImages().since(now() - Self.absenceLifetime)
    state = Mutex(State(absent: known.times[address.name] ?? [:]))
  }

  /// Why it is not asked any more; `nil` while it is.
  public var leftAlone: String? { state.withLock(\.leftAlone) }

  /// What failed: an address and a reason each.
  public var troubles: [String] { state.withLock(\.troubles) }

  /// Whether such a server is asked for an image: a build-id is long, and not as long as a UUID.
  public static func knows(_ id: DebugID) -> Bool { id.bytes.count >= 8 && id.bytes.count != 16 }

  /// Whether it may have the image, still answers, and did not say lately that it has none.
  public func isAsked(for id: DebugID) -> Bool {
    Self.knows(id) && state.withLock { $0.leftAlone == nil && $0.absent[id] == nil }
  }

  /// The debug file of the image, or the binary when the server has no debug file; nothing when it has neither.
  public func files(for id: DebugID) -> [SourceFile] {
    guard Self.knows(id) else { return [] }
    return state.withLock { state in
      // Another thread may have asked meanwhile.
      guard state.leftAlone == nil, state.absent[id] == nil else { return [] }
      let start = ContinuousClock.now
      defer { spend(ContinuousClock.now - start, &state) }
      for part in ["debuginfo", "executable"] {
        let path = "/buildid/\(id.hex)/\(part)"
        switch downloader.get(base + path) {
        case .file(let file, let called): return [SourceFile(file, from: name + path, name: called)]
        case .absent: continue
        case .failed(let reason):
          state.troubles.append("\(name)\(path): \(reason)")
          failed(reason, &state)
          return []
        }
      }
      state.failures = 0
      state.absent[id] = now()
      return []
    }
  }

  /// A file of another image, or a page that is no file of symbols, is a failure of the server like any other.
  public func judged(isGood: Bool) {
    state.withLock { state in
      if isGood { state.failures = 0 } else { failed("it gives files that are not what was asked for", &state) }
    }
  }

  private func failed(_ reason: String, _ state: inout State) {
    state.failures += 1
    if state.failures >= Self.failureLimit, state.leftAlone == nil {
      state.leftAlone = "\(state.failures) failures in a row, the last: \(reason)"
    }
  }

  private func spend(_ time: Duration, _ state: inout State) {
    state.spent += time
    if state.spent >= .seconds(Self.runSeconds), state.leftAlone == nil {
      state.leftAlone = "it took more than \(Self.runSeconds) s in all"
    }
  }

  /// Remembers what it does not have. A store that may not be written forgets.
  public func finish() {
    let mine = state.withLock(\.absent)
    var all = store.absentImages()
    guard all.times[name] ?? [:] != mine else { return }
    all.times[name] = mine
    try? store.set(all.since(now() - Self.absenceLifetime))
  }
}
