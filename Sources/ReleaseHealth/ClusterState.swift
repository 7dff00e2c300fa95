public import Diagnostics
internal import SignatureStore

/// What is claimed of one cluster in one build.
public enum ClusterState: String, Sendable, Hashable, CaseIterable {
  /// It was never there before, and would have been seen.
  case new
  /// It was resolved in an earlier build, and is back.
  case reopened
  /// A larger part of payloads shows it than in the baseline, by more than the rules allow.
  case regressed
  /// It is missed in as many builds as the rules want, in each of which it would have been seen.
  case resolved
  /// It is there as before.
  case known
  /// Something may be the matter, and the reservations say why no more is claimed.
  case unproven
  /// The build has too few payloads; no number is told.
  case suppressed

  /// Whether somebody is told.
  public var fires: Bool { self == .new || self == .reopened || self == .regressed }
}

/// One cluster in the judged build, with the numbers that its state is made of.
public struct ClusterJudgement: Sendable, Hashable {
  /// The cluster.
  public var cluster: String
  /// What happened.
  public var kind: DiagnosticKind
  /// One line for people.
  public var title: String
  /// The state.
  public var state: ClusterState
  /// Why no more is claimed.
  public var reservations: [Reservation]
  /// The states that were claimed on an earlier day of this build and are not any more: a share that came down again.
  public var ended: [ClusterState]
  /// What the build was held against, like for like: the baseline, or for what is new all builds before.
  public var statistics: StratifiedComparison
  /// The probability between builds that are alike; `nil` when it was not tested.
  public var probability: Double?
  /// The least level at which it is claimed, with all clusters that were tested.
  public var adjusted: Double?
  /// The level of the look at which the state was claimed.
  public var level: Double?
  /// The day up to which payloads were counted when it was first claimed.
  public var since: ReportingDay?
  /// Who acts on it.
  public var owner: String
  /// The last earlier build that showed it.
  public var lastSeen: DeclaredBuild?
}
