/// A command line that cannot be understood; the exit code is `ExitCode.usage`.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong; words of the user stand in it escaped.
  public let message: String
  /// The program and the command that was found so far: `program group command`.
  public let invocation: String

  /// An error in the use of `invocation`.
  public init(_ message: String, in invocation: String) {
    self.message = message
    self.invocation = invocation
  }

  /// Two lines: what is wrong, and where help is.
  public var description: String { "\(invocation): \(message)\nTry '\(invocation) --help'." }
}

/// `; did you mean 'x'?` when one of `names` is close to `word`, otherwise nothing.
func suggestion(for word: String, among names: [String]) -> String {
  let limit = max(1, min(3, word.count / 3))
  // Longer words cannot be close, and the distance costs the product of both lengths.
  guard word.count <= 64 else { return "" }
  let near = names.map { ($0, editDistance(word, $0)) }.filter { $0.1 <= limit }
  guard let best = near.min(by: { $0.1 < $1.1 }) else { return "" }
  return "; did you mean '\(best.0)'?"
}

/// The number of insertions, deletions, replacements and swaps of neighbours that lead from `a` to `b` (optimal string
/// alignment). Cost: the product of both lengths.
func editDistance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a), Array(b))
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
      row.append(best)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
