public import Diagnostics
public import Identity

/// A table of rules: which images are the system's, and which frames say nothing about a bug.
///
/// Rules are data with a version. A signature stores the digest of the rules that made it; the digest is not part of
/// its id, so a rule that changes no token changes no id. For each stage the last rule that matches decides.
public struct Rules: Sendable {
  /// The name and version of the table, for example `apple-default@1`.
  public let version: String
  /// The rules in order, those of the extended file first.
  public let rules: [Rule]
  /// The numbers.
  public let limits: RuleLimits
  /// The SHA-256 of the rules and numbers in one canonical spelling, without comments, versions and tests.
  public let digest: ContentDigest
  /// The tests of the file itself; those of the file that it extends are not among them.
  public let tests: [RuleTest]

  private let index: RuleIndex

  /// A table of `rules` named `version`. Of rules with the same id only the first is kept.
  public init(version: String, rules: [Rule], limits: RuleLimits = RuleLimits(), tests: [RuleTest] = []) {
    var seen: Set<String> = []
    let rules = rules.filter { seen.insert($0.id).inserted }
    self.version = version
    self.rules = rules
    self.limits = limits
    self.tests = tests
    digest = ContentDigest(
      of: Array((rules.map(\.description) + [limits.description, ""]).joined(separator: "\n").utf8))
    index = RuleIndex(rules)
  }

  /// The rule by which an image of this name belongs to the app or to the system; `nil` when no rule says so.
  func owner(ofImageNamed name: String) -> Rule? { index.owner(ofImageNamed: name).map { rules[$0] } }

  /// The rule by which an image of this name belongs to the system; `nil` for an image of the app.
  public func systemRule(imageNamed name: String) -> Rule? {
    owner(ofImageNamed: name).flatMap { $0.stage == .system ? $0 : nil }
  }

  /// Whether `image` holds code of the app: it is known and no rule says that it is the system's. An image without a name
  /// is the app's, since MetricKit leaves names out only for code of the app; one that the document says to be the app's
  /// own is so whatever its name.
  public func isApp(_ image: ImageReference) -> Bool {
    if image.isOwn { return true }
    guard let name = image.name else { return image.debugID != nil }
    return systemRule(imageNamed: name) == nil
  }

  /// From which rules frames are spared, because their image was declared to be the app's.
  struct Immunity: Hashable, Sendable {
    /// Rules of files below this one are passed over,
    var origin = 0
    /// even those that hold everywhere.
    var isTotal = false
  }

  /// The last rule of `stage` for a frame of `image` called `name`; without a name only rules for any name match.
  func rule(_ stage: RuleStage, image: String, name: CodeName?, sparing immunity: Immunity = Immunity()) -> Rule? {
    index.find(stage, image: image, name: name) { number in
      rules[number].origin >= immunity.origin || (rules[number].isEverywhere && !immunity.isTotal)
    }.map { rules[$0] }
  }

  /// Whether there is any rule of `stage`.
  func has(_ stage: RuleStage) -> Bool { index.has(stage) }
}
