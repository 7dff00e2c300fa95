public import Diagnostics
internal import SymbolIndex
internal import Symbolication

/// A test inside a rules file: a stack, and what the rules must make of it.
public struct RuleTest: Sendable, Hashable {
  /// One frame: an image, and a function unless its name is unknown.
  struct Call: Sendable, Hashable {
    var image: String
    var name: String?
  }

  /// The name of the test; unique in its file.
  public var id: String
  /// The line in that file, from 1.
  public var line: Int
  /// What happened.
  public var kind: DiagnosticKind
  /// Innermost first.
  var stack: [Call]
  /// What must come out, by word, in the order given.
  var expectations: [(word: String, value: String)]

  /// The words that may be expected.
  static let words = ["blame", "tokens", "reason", "carrier", "expected"]

  /// What the rules make of it instead, as a clause; `nil` when the test holds.
  func failure(under rules: Rules) -> String? {
    let signature = signature(under: rules)
    for (word, wanted) in expectations {
      let found =
        switch word {
        case "blame": signature.blame ?? "none"
        case "tokens": signature.tokens.joined(separator: ";")
        case "reason": signature.reason.description
        case "carrier": signature.carrier ?? "none"
        default: signature.isExpected ? "yes" : "no"
        }
      if found != wanted { return "test \(id) fails: \(word) is '\(found)', not '\(wanted)'" }
    }
    return nil
  }

  private func signature(under rules: Rules) -> Signature {
    let names = Set(stack.map(\.image)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let calls = Array(stack.reversed())
    let frames = calls.enumerated().map { place, call in
      RawStack.Frame(
        parent: Int32(place) - 1, image: Int32(names.firstIndex(of: call.image) ?? -1), offset: UInt64(place) * 16,
        weight: place + 1 == calls.count ? 1 : 0)
    }
    let raw = RawStack(
      kind: kind, reason: RawReason(), images: names.map { ImageReference(debugID: nil, name: $0) }, frames: frames)
    let resolutions = calls.map { call in
      call.name.map { Resolution(status: .resolved, frames: [Frame(function: $0)]) }
        ?? Resolution(status: .missingImage)
    }
    return SignatureBuilder(rules: rules).signature(of: raw, resolutions: resolutions)
  }

  /// By what the file says.
  public static func == (a: RuleTest, b: RuleTest) -> Bool {
    a.id == b.id && a.line == b.line && a.kind == b.kind && a.stack == b.stack
      && a.expectations.map { [$0.word, $0.value] } == b.expectations.map { [$0.word, $0.value] }
  }

  /// By the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
