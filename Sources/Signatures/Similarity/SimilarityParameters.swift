internal import Glibc

/// A part of one, in millionths. Scores and thresholds are whole numbers: comparing them never depends on how a last bit
/// was rounded.
public typealias Millionths = Int

/// The numbers by which signatures are compared and joined, each with its reason. `docs/clustering.md` has the formula and
/// what was measured with them.
public struct SimilarityParameters: Sendable, Hashable {
  // MARK: Weights

  /// How fast frames lose weight with their distance from the innermost: position `i`, from 1, weighs `i^-alpha`.
  ///
  /// Mild, since on native code position hardly matters beside rarity (clustering.md, finding 3).
  public var alpha = 0.3
  /// How fast frames lose weight with their frequency: a share `df` of all problems costs `e^(-beta·df)`.
  public var beta = 60.0
  /// Problems that are counted as seen without any token before the first one comes. Keeps the frequencies of a small store
  /// from saying more than they know: in a store of ten, a frame in five of them is not yet boilerplate.
  public var priorProblems = 1000
  /// A frame of the app.
  public var appWeight = 1.0
  /// A frame of a framework that the app brings along: shared by more code.
  public var frameworkWeight = 0.7
  /// A run of frames in one image of the system. Known by image alone and different in every version of the system.
  public var systemWeight = 0.25
  /// A run of frames in an image that only carries out what it is asked: message send, memory, locks.
  public var carrierWeight = 0.1

  // MARK: Alignment

  /// How fast a pair loses worth with the distance of its places: `e^(-gamma·|i - j|)`. Inlined calls and
  /// images of the system take no place, so that one that is not seen shifts nothing. Mild: the frame that shifted the others has been paid
  /// for as a gap.
  public var gamma = 0.05
  /// A pair stands at most so many tokens apart.
  public var band = 16
  /// The worth of a pair of one entity with other labels or as another accessor.
  public var entityCredit: Millionths = 800_000
  /// The worth of a pair of functions without names, of one image, between equal neighbours (the rule of satyr).
  public var unknownCredit: Millionths = 500_000
  /// The worth of a pair of members of one type. Low, since the gaps that it spares are worth more than it earns: two of
  /// three frames and a sibling must stay below `attach` (of 44 such pairs in OSS-Fuzz none shares a fix).
  public var typeCredit: Millionths = 200_000
  /// What it costs, as a part of its weight, that an inlined call or an image of the system has no partner: whether they are
  /// seen depends on the compiler and on the version of the system. Every other frame costs all of its weight.
  public var lightGap: Millionths = 300_000

  /// So many callers may have vanished between two that no build shows both of, by tail calls and folding. Two: each of the two
  /// happens to one function at a time, and seldom to more than one on a way.
  public var vanishedCallers = 2
  /// What such a caller costs, as a part of its weight, which counts in nothing else. Enough that the nearer of two ways wins.
  public var vanishedGap: Millionths = 150_000

  // MARK: Decision

  /// A new signature joins a cluster with at least this score. The cost of unmatched frames counts twice (they are not
  /// earned and are paid for), so a tenth of the weight may be without a partner.
  public var attach: Millionths = 800_000
  /// The score by which the best cluster must stand out from the second best.
  public var margin: Millionths = 50_000
  /// The mean score over the exemplars of a cluster that is joined, so that one odd member cannot pull.
  public var exemplarAverage: Millionths = 600_000
  /// From this score on a merge is suggested.
  public var suggest: Millionths = 650_000
  /// Members of a cluster that stand for it, its founder included.
  public var exemplars = 6
  /// Two signatures that share no function of the app rarer than this share of all problems are never joined.
  public var commonShare = 0.01
  /// At most so many other signatures are compared with one. Bounds the work on hostile input; what bites is counted.
  public var candidateLimit = 256

  /// The standard numbers.
  public init() {}

  /// The parameters with the thresholds that `rules` set.
  public init(_ rules: Rules) {
    attach = SimilarityParameters.millionths(rules.limits.attach)
    suggest = SimilarityParameters.millionths(rules.limits.suggest)
  }
}

extension SimilarityParameters {
  /// The number 1.
  static let one: Millionths = 1_000_000

  static func millionths(_ value: Double) -> Millionths { Int((value * Double(one)).rounded()) }

  /// `e^(-gamma·distance)`.
  func decay(_ distance: Int) -> Millionths { SimilarityParameters.millionths(exp(-gamma * Double(distance))) }

  /// `position^-alpha`, as a factor.
  func depth(_ position: Int) -> Double { pow(Double(position), -alpha) }

  /// `e^(-beta·share)`, as a factor.
  func rarity(_ share: Double) -> Double { exp(-beta * share) }

  func weight(_ frameClass: AlignmentToken.FrameClass) -> Double {
    switch frameClass {
    case .app: appWeight
    case .framework: frameworkWeight
    case .system: systemWeight
    case .carrier: carrierWeight
    }
  }
}
