/// One call, or a run of calls in one image of the system, as it is compared with those of other signatures.
public struct AlignmentToken: Sendable, Hashable {
  /// What the frame's image is.
  public enum FrameClass: Character, Sendable, Hashable, CaseIterable {
    /// The app's.
    case app = "a"
    /// A framework's that the app brings along.
    case framework = "f"
    /// The system's.
    case system = "s"
    /// The system's, and it only carries out what it is asked.
    case carrier = "c"
  }

  /// What the frame's image is.
  public var frameClass: FrameClass
  /// The function without its image; `image!?` for one without a name, `image*` for a run of the system's.
  public var name: String
  /// Whether the call was inlined.
  public var isInlined: Bool
  /// Whether calls that were inlined into it would be seen: not when only a symbol table or a report named it.
  public var knowsInlining: Bool

  /// A token with these parts.
  public init(_ frameClass: FrameClass, _ name: String, isInlined: Bool = false, knowsInlining: Bool = true) {
    self.frameClass = frameClass
    self.name = name
    self.isInlined = isInlined
    self.knowsInlining = knowsInlining
  }

  /// Whether it is a function of the app or of a framework, by name or not.
  public var isOfApp: Bool { frameClass == .app || frameClass == .framework }
  /// Whether it depends on the compiler or on the version of the system whether it is seen: an inlined call, or an image of
  /// the system. It costs little without a partner, and takes no place.
  public var isLight: Bool { isInlined || !isOfApp }
  /// Whether it is a function of the app that has no name.
  public var isUnknown: Bool { isOfApp && name.hasSuffix("!?") }
}

/// What of a signature is compared with other signatures: its tokens, innermost first, with the images of the system
/// between them.
///
/// The images of the system take part here although they never enter the key: they can only lower or raise a score.
public struct AlignmentSequence: Sendable, Hashable {
  /// The most tokens that are compared, from the innermost.
  public static let limit = 32

  /// The tokens, innermost first.
  public let tokens: [AlignmentToken]

  /// A sequence of `tokens`, cut to the limit.
  public init(_ tokens: [AlignmentToken]) { self.tokens = Array(tokens.prefix(AlignmentSequence.limit)) }

  /// The sequence as one text: each token as its class, `i` for inlined, `s` for one that cannot tell what was inlined into
  /// it, or `-`, and its name, separated by U+001F.
  public var encoded: String {
    tokens.map { "\($0.frameClass.rawValue)\($0.isInlined ? "i" : $0.knowsInlining ? "-" : "s")\($0.name)" }
      .joined(separator: "\u{1f}")
  }

  /// The sequence that `encoded` gave as `text`; `nil` when it is none.
  public init?(decoding text: String) {
    var tokens: [AlignmentToken] = []
    for part in text.split(separator: "\u{1f}", omittingEmptySubsequences: false) {
      guard let first = part.first, let frameClass = AlignmentToken.FrameClass(rawValue: first),
        let flag = part.dropFirst().first, "i-s".contains(flag), tokens.count < AlignmentSequence.limit
      else { return nil }
      tokens.append(
        AlignmentToken(frameClass, String(part.dropFirst(2)), isInlined: flag == "i", knowsInlining: flag != "s"))
    }
    self.tokens = tokens
  }

  /// Whether inlined calls of the app would be seen in it.
  var knowsInlining: Bool { tokens.contains { $0.isOfApp && $0.knowsInlining && !$0.isUnknown } }

  /// The sequence with what another stack of the same signature knows besides: one call can be inlined in one build and not in
  /// the next, and the key is the same.
  public func completed(by other: AlignmentSequence) -> AlignmentSequence {
    var result = tokens
    let (mine, others) = (tokens.indices.filter { tokens[$0].isOfApp }, other.tokens.filter(\.isOfApp))
    for (place, token) in zip(mine, others) {
      guard result[place].name == token.name else { break }
      result[place].isInlined = result[place].isInlined || token.isInlined
      result[place].knowsInlining = result[place].knowsInlining || token.knowsInlining
    }
    return AlignmentSequence(result)
  }
}

/// Reads the sequences of signatures that were made by one table of rules.
public struct AlignmentReader: Sendable {
  private let rules: Rules
  private let stages: [String: RuleStage]

  /// A reader for signatures made by `rules`.
  public init(rules: Rules) {
    self.rules = rules
    stages = Dictionary(rules.rules.map { ($0.id, $0.stage) }, uniquingKeysWith: { first, _ in first })
  }

  /// The sequence of `signature`.
  ///
  /// The app's functions are those of the key. Of the system's frames those count that say something: not what raised the
  /// event, not where threads begin; each run once. Of a sampled tree what stands inside of the dominating function is
  /// left out: it differs from event to event, and is no part of the key either.
  public func sequence(of signature: Signature) -> AlignmentSequence {
    let frames = signature.frames
    let names = zip(signature.tokens, signature.keys).map { $0.hasSuffix("!?") ? $0 : $1 }
    // The path that is shown for a tree with a recursion goes through one function of the key several times.
    guard frames.count(where: \.isKept) == names.count else {
      return AlignmentSequence(names.map { AlignmentToken(.app, $0) })
    }
    let start = signature.kind.isSampled ? frames.firstIndex(where: \.isKept) ?? frames.endIndex : frames.startIndex
    // The image that holds the program's entry is the app; others of the app are frameworks, unless a rule says more.
    let entry = frames.last { !$0.isSystem && stages[$0.rule] == .base }?.image
    var rest = names[...]
    var tokens: [AlignmentToken] = []
    for frame in frames[start...] {
      if frame.isSystem {
        guard let stage = stages[frame.rule], stage == .system || stage == .carrier,
          tokens.last?.name != frame.token
        else { continue }
        tokens.append(AlignmentToken(stage == .carrier ? .carrier : .system, frame.token))
      } else if frame.isKept, let name = rest.popFirst() {
        tokens.append(
          AlignmentToken(
            isFramework(frame.image, entry) ? .framework : .app, name, isInlined: frame.isInlined,
            knowsInlining: frame.knowsInlining))
      }
    }
    return AlignmentSequence(tokens)
  }

  private func isFramework(_ image: String?, _ entry: String?) -> Bool {
    guard let image else { return false }
    switch rules.owner(ofImageNamed: image)?.className {
    case Rule.frameworkClass: return true
    case Rule.appClass: return false
    default: return entry.map { $0 != image } ?? false
    }
  }
}
