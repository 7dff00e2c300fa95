public import Diagnostics
public import Identity
public import Signatures

/// All that the store knows for a cluster report. Sorted by content: equal inputs give equal reports in any order.
public struct StoreReport: Sendable, Hashable {
  /// The denominators: what was accepted in each cohort.
  public var cohorts: [CohortCount] = []
  /// The same for each build, on all systems together, sorted by build and generation.
  public var builds: [BuildCount] = []
  /// What was accepted on each day, sorted; first what has no day.
  public var days: [DayCount] = []
  /// The report-days of each build on each system, sorted.
  public var reportDays: [ReportDayCount] = []
  /// The clusters, most diagnostics first, then by id.
  public var clusters: [ClusterRecord] = []
  /// The images whose symbols are missing, most diagnostics first, then by identifier.
  public var missingImages: [MissingImage] = []
  /// Accepted payloads by generation.
  public var payloads: [PayloadGeneration: Int] = [:]
  /// Accepted diagnostics.
  public var diagnostics = 0
  /// Raw stacks of one build on one system that came in payloads of v1 and of v2: an app that uses both interfaces may have
  /// sent one event twice. They are told, and not merged.
  public var suspectedTwins = 0

  /// A report of nothing.
  public init() {}
}

/// How much was accepted from one build on one system.
public struct CohortCount: Sendable, Hashable {
  /// The build of record.
  public var build: BuildOfRecord
  /// The operating system.
  public var system: OperatingSystem
  /// The generation of the payloads.
  public var generation: PayloadGeneration
  /// Payloads with at least one diagnostic of the cohort.
  public var payloads: Int
  /// Diagnostics of the cohort.
  public var diagnostics: Int
}

/// How much was counted in one build, on all systems together. A payload counts once, though it may hold diagnostics of
/// several systems: these are not the sums over the cohorts.
public struct BuildCount: Sendable, Hashable {
  /// The build of record.
  public var build: BuildOfRecord
  /// The generation of the payloads.
  public var generation: PayloadGeneration
  /// Payloads with at least one such diagnostic.
  public var payloads: Int
  /// Such diagnostics.
  public var diagnostics: Int
}

/// How much was accepted on one day of the reporting calendar.
public struct DayCount: Sendable, Hashable {
  /// The day; `nil` for payloads whose interval is unknown.
  public var day: ReportingDay?
  /// The generation of the payloads.
  public var generation: PayloadGeneration
  /// Payloads with at least one diagnostic of the day.
  public var payloads: Int
  /// Diagnostics of the day.
  public var diagnostics: Int
}

/// How many report-days one build has on one system: metric payloads, each counted once and on one day. A number of devices
/// times days, and never one of people.
public struct ReportDayCount: Sendable, Hashable {
  /// One day's report-days.
  public struct Day: Sendable, Hashable {
    /// The day; `nil` for intervals that are unknown.
    public var day: ReportingDay?
    /// The report-days.
    public var reportDays: Int
  }

  /// The build of record.
  public var build: BuildOfRecord
  /// The operating system.
  public var system: OperatingSystem
  /// The days that have any, sorted; a day without one is a day without data, not of none.
  public var days: [Day]

  /// All days together.
  public var total: Int { days.reduce(0) { $0 + $1.reportDays } }
}

/// How often one cluster was seen in one cohort.
public struct ClusterCount: Sendable, Hashable {
  /// The build of record.
  public var build: BuildOfRecord
  /// The operating system.
  public var system: OperatingSystem
  /// The generation of the payloads.
  public var generation: PayloadGeneration
  /// Payloads with at least one diagnostic of the cluster: the numerator of its share.
  public var payloads: Int
  /// Diagnostics of the cluster.
  public var diagnostics: Int
}

/// A problem: one or more signatures with their counts.
public struct ClusterRecord: Sendable, Hashable {
  /// Its founding signature; never changes.
  public var id: String
  /// The signatures that have raw stacks now, sorted.
  public var signatures: [String]
  /// What happened.
  public var kind: DiagnosticKind
  /// The reason family.
  public var family: ReasonClass.Family
  /// The reasons as the raw stacks show them, with their diagnostics, most first.
  public var reasons: [ReasonCount]
  /// One line for people.
  public var title: String
  /// The kept tokens, innermost first.
  public var tokens: [String]
  /// The token to blame; `nil` when there is none.
  public var blame: String?
  /// How much the signature tells.
  public var quality: SignatureQuality
  /// Whether late symbols can change the signature.
  public var isProvisional: Bool
  /// Diagnostics.
  public var diagnostics: Int
  /// Payloads with at least one of them, by generation.
  public var payloads: [PayloadGeneration: Int]
  /// The counts by cohort, sorted by build, system and generation.
  public var counts: [ClusterCount]
  /// The counts by build, sorted by build and generation.
  public var builds: [BuildCount] = []
  /// When its payloads ended, first and last; `nil` when no time could be read.
  public var firstSeen: PointInTime?
  /// See `firstSeen`.
  public var lastSeen: PointInTime?
  /// What apps were doing, the commonest first; at most ten.
  public var states: [StateCount] = []
  /// What its diagnostics measured, sorted by build, generation and measure.
  public var distributions: [Distribution] = []
  /// Some payloads with it: the smallest digests.
  public var samples: [ContentDigest]
  /// Some of its raw stacks: the smallest keys.
  public var rawStacks: [ContentDigest]
  /// The least raw stack of the signature that gives the cluster its name.
  public var namedBy: ContentDigest?
  /// Other ids that lead here, sorted.
  public var aliases: [String]
  /// Other clusters that may be the same problem, most similar first, then by id.
  public var suggestedMerges: [SimilarCluster] = []
}

/// A cluster that is similar to another.
public struct SimilarCluster: Sendable, Hashable {
  /// Its id.
  public var cluster: String
  /// How similar, up to a million.
  public var score: Millionths

  /// The cluster with this id, this similar.
  public init(cluster: String, score: Millionths) {
    self.cluster = cluster
    self.score = score
  }
}

/// A signature as the store knows it.
public struct SignatureEntry: Sendable, Hashable {
  /// Its id.
  public var id: String
  /// The cluster it belongs to.
  public var cluster: String
  /// One line for people; `nil` when nothing was ever called so.
  public var title: String?
  /// Whether raw stacks have it now.
  public var isLive: Bool
  /// Its diagnostics.
  public var diagnostics: Int
}

/// A signature that waits to be judged, and the raw stack that stands for it.
public struct UnjudgedSignature: Sendable, Hashable {
  /// The signature.
  public var id: String
  /// The cluster it belongs to until it is judged: its own, or the one that it continues.
  public var cluster: String
  /// Its diagnostics.
  public var diagnostics: Int
  /// The least of its raw stacks, before all others one from which it reads with normal quality.
  public var rawStack: ContentDigest
  /// The next of its raw stacks in the same order, at most `otherLimit`: in them other calls can be inlined.
  public var otherRawStacks: [ContentDigest] = []
  /// The compilations of the app in which it was seen: of all its raw stacks, as far as they tell.
  public var compilations: Set<DebugID> = []

  /// The most raw stacks that are told besides the one.
  public static let otherLimit = 15
}

/// A state that apps were in before events, and how often. It says nothing about diagnostics that carry no state of its domain.
public struct StateCount: Sendable, Hashable {
  /// The domain; `nil` for all domains beyond the limit together.
  public var domain: String?
  /// The value; `nil` for all values beyond the limit together.
  public var label: String?
  /// Diagnostics in this state.
  public var diagnostics: Int
  /// Diagnostics of the cluster that carry any state of the domain: what the former is a part of.
  public var carrying: Int

  /// A count with the given parts.
  public init(domain: String?, label: String?, diagnostics: Int, carrying: Int) {
    (self.domain, self.label) = (domain, label)
    (self.diagnostics, self.carrying) = (diagnostics, carrying)
  }
}

/// A reason and how many diagnostics show it.
public struct ReasonCount: Sendable, Hashable {
  /// The reason's text, for example `swift-runtime(index-out-of-range)`.
  public var reason: String
  /// Diagnostics.
  public var diagnostics: Int
}

/// An image without symbols and what waits for it.
public struct MissingImage: Sendable, Hashable {
  /// The image.
  public var debugID: DebugID
  /// Its name, when any diagnostic gave one.
  public var name: String?
  /// Frames of all diagnostics that wait.
  public var frames: Int
  /// Diagnostics with such a frame.
  public var diagnostics: Int
}

/// A raw stack as the store keeps it.
public struct StoredRawStack: Sendable, Hashable {
  /// Its key.
  public var key: ContentDigest
  /// The stack.
  public var stack: RawStack
}

/// One raw stack of a cluster.
public struct ClusterStack: Sendable, Hashable {
  /// The stack.
  public var rawStack: StoredRawStack
  /// Its signature.
  public var signature: String
  /// Its diagnostics.
  public var diagnostics: Int
}

/// One accepted diagnostic as the store keeps it.
public struct StoredDiagnostic: Sendable, Hashable {
  /// The payload's digest.
  public var payload: ContentDigest
  /// The diagnostic's position in it.
  public var ordinal: Int
  /// The build of record.
  public var build: BuildOfRecord
  /// The operating system.
  public var system: OperatingSystem
  /// When it was reported.
  public var interval: ReportInterval
  /// The raw stack.
  public var rawStack: StoredRawStack
}

/// Where one accepted diagnostic ended up.
public struct Assignment: Sendable, Hashable {
  /// The payload's digest.
  public var payload: ContentDigest
  /// The diagnostic's position in it.
  public var diagnostic: Int
  /// What happened.
  public var kind: DiagnosticKind
  /// The build number in its metadata.
  public var build: String?
  /// The raw stack key.
  public var rawStack: ContentDigest
  /// The signature now.
  public var signature: String
  /// The cluster now.
  public var cluster: String
  /// Whether the signature is provisional.
  public var isProvisional: Bool
}
