/// A line on a terminal that says how far a long piece of work is; nothing anywhere else.
///
/// It does no output and reads no clock: each call takes the time since the start and gives the text to write to
/// standard error, if any.
public struct Progress: Hashable, Sendable {
  /// What is counted.
  public enum Unit: Hashable, Sendable {
    /// Things, with their name in the plural: `files`.
    case items(String)
    /// Bytes.
    case bytes
  }

  /// The least time between two updates: at most ten a second.
  public static let interval = Duration.milliseconds(100)

  private let label: String
  /// All units of the work; `nil` while they are not known.
  public var total: Int?
  private let unit: Unit
  private let terminal: Terminal
  private var lastUpdate = Duration.zero
  private var isShown = false

  /// Work of `total` units, if known, called `label`, to be shown on `terminal`.
  public init(_ label: String, total: Int?, unit: Unit, on terminal: Terminal) {
    self.label = visible(label)
    self.total = total
    self.unit = unit
    self.terminal = terminal
  }

  /// The text that shows `done` units after `elapsed`; `nil` on no terminal or too soon after the last one.
  public mutating func update(_ done: Int, after elapsed: Duration) -> String? {
    guard terminal.isTerminal, elapsed - lastUpdate >= Progress.interval else { return nil }
    lastUpdate = elapsed
    isShown = true
    // One column stays free: some terminals wrap when the last one is written.
    return "\r\u{1b}[K" + line(done, elapsed).cut(toWidth: terminal.width - 1)
  }

  /// The text that removes the line, before other output and at the end; `nil` when there is none.
  public mutating func clear() -> String? {
    guard isShown else { return nil }
    isShown = false
    return "\r\u{1b}[K"
  }

  private func line(_ done: Int, _ elapsed: Duration) -> String {
    var parts = [label + ": " + bar(done) + amount(done, of: total)]
    let seconds = elapsed / .seconds(1)
    guard seconds >= 1, done > 0 else { return parts[0] }
    let rate = Double(done) / seconds
    switch unit {
    case .items: parts.append("\(grouped(Int(clamping: rate)))/s")
    case .bytes: parts.append("\(byteText(Int(clamping: rate)))/s")
    }
    if let total, total > done, rate > 0 { parts.append("\(durationText(Double(total - done) / rate)) left") }
    return parts.joined(separator: ", ")
  }

  /// How many cells the bar has.
  private static let barWidth = 20

  /// A bar of how much of the total is done; nothing when the total is unknown or the terminal has no room for it.
  private func bar(_ done: Int) -> String {
    guard let total, total > 0, terminal.width >= 80 else { return "" }
    let share = min(1, max(0, Double(done) / Double(total)))
    let full = Int(share * Double(Self.barWidth))
    return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: Self.barWidth - full) + "] "
  }

  private func amount(_ done: Int, of total: Int?) -> String {
    switch unit {
    case .items(let name): grouped(done) + (total.map { " of \(grouped($0))" } ?? "") + " \(name)"
    case .bytes: byteText(done) + (total.map { " of \(byteText($0))" } ?? "")
    }
  }
}
