/// The value that an option or a positional argument takes.
public struct ValueSpec: Hashable, Sendable {
  /// What may be written there.
  public enum Kind: Hashable, Sendable {
    /// Any text that is not empty.
    case text
    /// The path of a file or folder; `-` may stand for a standard stream.
    case file
    /// The path of a folder.
    case directory
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    /// A decimal number in a range.
    case number(ClosedRange<Double>)
    /// One of some words.
    case choice([String])
  }

  /// How help texts write the value, in upper case: `DIR`.
  public let placeholder: String
  /// What may be written there.
  public let kind: Kind

  /// A value shown as `placeholder`.
  public init(_ placeholder: String, _ kind: Kind = .text) {
    self.placeholder = placeholder
    self.kind = kind
  }

  /// What is wrong with `text` as this value, as the end of a sentence; `nil` when nothing is.
  func problem(with text: String) -> String? {
    switch kind {
    case .text, .file, .directory:
      return text.isEmpty ? "is empty" : nil
    case .integer(let range):
      if let number = Int(text), range.contains(number) { return nil }
      return "is not a whole number \(ValueSpec.words(range.lowerBound, range.upperBound, Int.min, Int.max))"
    case .number(let range):
      if let number = Double(text), range.contains(number) { return nil }
      return "is not a number from \(range.lowerBound) to \(range.upperBound)"
    case .choice(let words):
      if words.contains(text) { return nil }
      return "is not one of \(words.joined(separator: ", "))\(suggestion(for: text, among: words))"
    }
  }

  private static func words(_ lower: Int, _ upper: Int, _ least: Int, _ most: Int) -> String {
    upper == most ? (lower == least ? "of 64 bits" : "of at least \(lower)") : "from \(lower) to \(upper)"
  }
}
