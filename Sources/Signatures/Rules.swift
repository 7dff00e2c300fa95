public import Diagnostics
public import Identity

/// What a rule does with the frames that it matches.
public enum RuleStage: String, Sendable, Hashable, CaseIterable {
  /// The image belongs to the system, not to the app.
  case system
  /// A crash reporter or signal handler: it and everything that it called came after the event.
  case reporter
  /// A part of raising an exception or aborting: the event is its caller's.
  case throwing = "throw"
  /// Code that is rarely to blame for what it is asked to do: message send, retain and release, memory, locks, waits.
  case carrier
  /// How threads, run loops, queues and tasks begin; and the program's own entry.
  case base
  /// A helper to look through: swizzlers, outlined code.
  case transparent
  /// Library code that the compiler puts into the app's image: the standard libraries of Swift, C++ and Rust.
  case library

  fileprivate var ordinal: Int {
    switch self {
    case .system: 0
    case .reporter: 1
    case .throwing: 2
    case .carrier: 3
    case .base: 4
    case .transparent: 5
    case .library: 6
    }
  }
}

/// One rule: in `stage`, frames whose image and name match, with the class that carriers have.
public struct Rule: Sendable, Hashable {
  /// The name of the rule in explanations; unique in its table.
  public var id: String
  /// What it does.
  public var stage: RuleStage
  /// Over the image's name.
  public var image: Glob
  /// Over the frame's token; `*` also covers frames without a name.
  public var name: Glob
  /// The class of a carrier, for example `lock`; empty for other stages.
  public var carrierClass: String

  /// A rule; `nil` when a pattern is none.
  public init?(
    _ id: String, _ stage: RuleStage, image: String = "*", name: String = "*", class carrierClass: String = ""
  ) {
    guard let image = Glob(image), let name = Glob(name) else { return nil }
    self.id = id
    self.stage = stage
    self.image = image
    self.name = name
    self.carrierClass = carrierClass
  }
}

/// A table of rules: which images are the system's, and which frames say nothing about a bug.
///
/// Rules are data with a version. A signature stores the digest of the rules that made it; the digest is not part of
/// its id, so a rule that changes no token changes no id. For each stage the first rule that matches decides.
public struct Rules: Sendable {
  /// The name and version of the table, for example `apple-default@1`.
  public let version: String
  /// The rules in order.
  public let rules: [Rule]
  /// The SHA-256 of the table's canonical text.
  public let digest: ContentDigest

  /// Literal image names of the system stage, for one look-up instead of hundreds of comparisons.
  private let literalSystemImages: [String: Int]
  private let systemPatterns: [Int]
  /// By the ordinal of the stage.
  private let stages: [StageIndex]

  /// The rules of one stage, so that a look-up touches only those that can match.
  fileprivate struct StageIndex {
    /// Rules for any name: all that a frame without a name can match.
    var anyName: [Int] = []
    /// Rules whose name pattern begins with a star.
    var open: [Int] = []
    /// All rules that can match a name beginning with the byte, in the order of the table.
    var byFirstByte: [[Int]?] = Array(repeating: nil, count: 256)
  }

  /// A table of `rules` named `version`. Of rules with the same id only the first is kept.
  public init(version: String, rules: [Rule]) {
    var seen: Set<String> = []
    let rules = rules.filter { seen.insert($0.id).inserted }
    self.version = version
    self.rules = rules
    let lines = rules.map {
      "\($0.stage.rawValue) \($0.id) image=\($0.image) name=\($0.name) class=\($0.carrierClass)\n"
    }
    digest = ContentDigest(of: Array(("symclust-rules \(version)\n" + lines.joined()).utf8))
    var literal: [String: Int] = [:]
    var patterns: [Int] = []
    var stages = RuleStage.allCases.map { _ in StageIndex() }
    for (index, rule) in rules.enumerated() {
      stages[rule.stage.ordinal].add(index, rule.name.pattern)
      guard rule.stage == .system else { continue }
      if let name = rule.image.literal {
        if literal[name] == nil { literal[name] = index }
      } else {
        patterns.append(index)
      }
    }
    self.literalSystemImages = literal
    self.systemPatterns = patterns
    self.stages = stages
  }

  /// The rule by which an image of this name belongs to the system; `nil` for an image of the app.
  public func systemRule(imageNamed name: String) -> Rule? {
    if let index = literalSystemImages[name] { return rules[index] }
    let bytes = name.utf8Span.span
    return systemPatterns.first { rules[$0].image.matches(bytes) }.map { rules[$0] }
  }

  /// Whether `image` holds code of the app: it is known and no rule says that it is the system's. An image without a name
  /// is the app's, since MetricKit leaves names out only for code of the app; one that the document says to be the app's
  /// own is so whatever its name.
  public func isApp(_ image: ImageReference) -> Bool {
    if image.isOwn { return true }
    guard let name = image.name else { return image.debugID != nil }
    return systemRule(imageNamed: name) == nil
  }

  /// The first rule of `stage` for a frame of `image` with `token`; without a token only rules for any name match.
  public func rule(_ stage: RuleStage, image: String?, token: String?) -> Rule? {
    let stage = stages[stage.ordinal]
    let candidates = token.map { $0.utf8.first.flatMap { stage.byFirstByte[Int($0)] } ?? stage.open } ?? stage.anyName
    let image = image ?? ""
    let imageName = image.utf8Span.span
    // In place: copying a rule costs more than comparing it.
    guard let token else {
      return candidates.first { rules[$0].image.matches(imageName) }.map { rules[$0] }
    }
    let name = token.utf8Span.span
    return candidates.first { rules[$0].name.matches(name) && rules[$0].image.matches(imageName) }.map { rules[$0] }
  }
}

extension Rules.StageIndex {
  /// Adds rule number `index`, which comes after all that were added before.
  fileprivate mutating func add(_ index: Int, _ pattern: String) {
    if pattern == "*" { anyName.append(index) }
    guard let first = pattern.utf8.first, first != UInt8(ascii: "*") else {
      open.append(index)
      for byte in byFirstByte.indices { byFirstByte[byte]?.append(index) }
      return
    }
    byFirstByte[Int(first)] = (byFirstByte[Int(first)] ?? open) + [index]
  }
}
