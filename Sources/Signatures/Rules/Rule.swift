/// What a rule does with the frames that it matches. The raw value is the word in a rules file.
public enum RuleStage: String, Sendable, Hashable, CaseIterable {
  /// The image belongs to the app, whatever the lists of the system say; inherited rules spare its frames.
  case app
  /// The image belongs to the system, not to the app.
  case system
  /// A function has another name: keeps the identity of code that was moved or renamed.
  case rename
  /// A crash reporter or signal handler: it and everything that it called came after the event.
  case reporter
  /// A part of raising an exception or aborting: the event is its caller's.
  case throwing = "throw"
  /// Code that is rarely to blame for what it is asked to do: message send, retain and release, memory, locks, waits.
  case carrier
  /// How threads, run loops, queues and tasks begin; and the program's own entry.
  case base
  /// A helper to look through: swizzlers, outlined code, a wrapper around every call.
  case transparent = "transp"
  /// Library code that the compiler puts into the app's image: the standard libraries of Swift, C++ and Rust.
  case library
  /// The callers of the frame take no part.
  case stop
  /// The frame takes part, but its caller is to blame.
  case prefix
  /// The frame takes part, and is to blame wherever it is called.
  case pin
  /// A wait that somebody wants: a hang in it is counted, and marked as expected.
  case wait
  /// Drops or keeps a frame for what it calls or who calls it.
  case when

  /// Its place in tables by stage.
  var ordinal: Int {
    switch self {
    case .app: 0
    case .system: 1
    case .rename: 2
    case .reporter: 3
    case .throwing: 4
    case .carrier: 5
    case .base: 6
    case .transparent: 7
    case .library: 8
    case .stop: 9
    case .prefix: 10
    case .pin: 11
    case .wait: 12
    case .when: 13
    }
  }
}

/// Which frames: all parts that are given must match.
public struct FramePattern: Sendable, Hashable {
  /// Over the image's name.
  public var image: Pattern?
  /// Over the module of the function's name.
  public var module: Pattern?
  /// Over the function's name, as its token has it or as reports show it, which leaves out the image's own module.
  public var name: Pattern?

  /// Whether it also covers frames without a name.
  var isForAnyName: Bool { module == nil && name == nil }

  /// Whether it provably matches all that `other` matches.
  func covers(_ other: FramePattern) -> Bool {
    func covers(_ mine: Pattern?, _ other: Pattern?) -> Bool {
      guard let mine else { return true }
      return other.map { mine.covers($0) } ?? (mine.description == "*")
    }
    return covers(image, other.image) && covers(module, other.module) && covers(name, other.name)
  }

  /// Whether it matches a frame of `image`, whose function may have no name.
  func matches(image: String, name: CodeName?) -> Bool {
    if let pattern = self.image, !pattern.matches(image) { return false }
    if isForAnyName { return true }
    guard let name else { return false }
    if let module, !module.matches(name.module) { return false }
    guard let pattern = self.name else { return true }
    return pattern.matches(name.token) || (name.short.map { pattern.matches($0) } ?? false)
  }
}

/// One rule of a table.
public struct Rule: Sendable, Hashable {
  /// What a `when` rule does with the frame.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    /// It takes no part.
    case drop
    /// It takes part, whatever other rules say.
    case keep
  }

  /// The name of the rule in explanations; unique in its table. Rules of a file that extends another have its name before
  /// their own: `acme:T1`.
  public var id: String
  /// What it does.
  public var stage: RuleStage
  /// Which frames: one of these must match.
  public var patterns: [FramePattern]
  /// `class=`: of a carrier what it does, for example `lock`; of an app's image whether it is the app itself or a framework
  /// that it brings along; empty when not given.
  public var className = ""
  /// The class of an image that is the app itself.
  static let appClass = "app"
  /// The class of an image that the app brings along.
  static let frameworkClass = "framework"
  /// `reason=`: what a part of the throw chain says about the reason where the diagnostic says nothing; empty for nothing.
  public var reason = ""
  /// `expected=yes`: the wait is wanted.
  public var isExpected = false
  /// `everywhere=yes`: the rule holds for images that a file declares to be the app's, too.
  public var isEverywhere = false
  /// `to=`: the new name; `$1` to `$9` stand for the groups of the pattern.
  public var replacement = ""
  /// What the frame must have called; only of `when`.
  public var callee: FramePattern?
  /// Who must have called the frame; only of `when`.
  public var caller: FramePattern?
  /// What is done; only of `when`.
  public var action = Action.drop
  /// How many files lie below the one that the rule stands in: 0 for one that extends nothing.
  public var origin = 0
  /// The line in that file, from 1.
  public var line = 0

  /// A rule with this id, stage and patterns.
  public init(id: String, stage: RuleStage, patterns: [FramePattern]) {
    self.id = id
    self.stage = stage
    self.patterns = patterns
  }

  /// Whether no frame reaches this rule because `later`, which decides first, provably takes all of them.
  func isHidden(by later: Rule) -> Bool {
    func decides(_ stage: RuleStage) -> RuleStage { stage == .system ? .app : stage }
    guard decides(stage) == decides(later.stage), later.stage != .when, stage != .when else { return false }
    return patterns.allSatisfy { inner in later.patterns.contains { $0.covers(inner) } }
  }
}

/// The numbers that a rules file may set.
public struct RuleLimits: Sendable, Hashable {
  /// At most this many tokens, from the innermost, enter the key of a call chain.
  public var tokens = SignatureBuilder.tokenLimit
  /// At most this many tokens, from the dominating one outwards, enter the key of a sampled tree.
  public var spine = SignatureBuilder.spineLimit
  /// The share of the samples that must pass through a function for it to name a sampled tree.
  public var dominating = 0.5
  /// How similar a signature must be to a cluster to be attached to it, 0 to 1.
  public var attach = 0.80
  /// How similar a signature must be to a cluster for a merge to be suggested, 0 to 1.
  public var suggest = 0.65

  /// The built-in limits.
  public init() {}
}
