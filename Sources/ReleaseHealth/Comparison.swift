public import Diagnostics
public import SignatureStore

/// When two builds can be compared, and what is claimed of a difference.
public struct ComparisonRules: Sendable, Hashable {
  /// The fewest accepted payloads that each build must have, in the strata that both have.
  public var minimumCohort = 200
  /// The fewest payloads with a cluster for a claim about it.
  public var minimumCases = 5
  /// The least part of the judged build's payloads that must lie in strata that both have.
  public var minimumCoverage = 0.5
  /// The largest part of claims that may be false (Benjamini and Hochberg).
  public var level = 0.05
  /// How many payloads would have to show a cluster for their absence to mean something: with 3 expected, none at all come by
  /// chance one time in 20 (the rule of three).
  public var informativeAbsence = 3.0

  /// The default rules.
  public init() {}
}

/// What became of a cluster from one build to another.
public enum Change: String, Sendable, Hashable, CaseIterable {
  /// It was not there before, and would have been seen.
  case new
  /// It was there, is not any more, and would be seen.
  case gone
  /// A larger part of payloads shows it.
  case grown
  /// A smaller part shows it.
  case shrunk
  /// No difference can be shown.
  case unchanged
  /// Nothing can be said; the reasons say why.
  case notComparable = "not_comparable"
}

/// Why nothing, or no more, is claimed.
public enum Reservation: String, Sendable, Hashable, CaseIterable {
  /// A build has too few payloads in the strata that both have; its numbers are not told.
  case smallCohort = "small_cohort"
  /// Most payloads of the build come from systems that the other does not have.
  case lowCoverage = "low_coverage"
  /// Too few payloads show it.
  case fewCases = "few_cases"
  /// So few payloads of the other build were seen that its absence there says nothing.
  case shortExposure = "short_exposure"
  /// It was seen in the other build, but on other systems.
  case otherSystems = "other_systems"
  /// A difference this large comes by chance.
  case notSignificant = "not_significant"
  /// The place of a build in which it was seen is not known.
  case unknownOrder = "unknown_order"
  /// Its name may still change, or tells too little.
  case unprovenSignature = "unproven_signature"
  /// It did not stay up for as many days as the rules want.
  case notSustained = "not_sustained"
  /// On which days its payloads were reported is not known.
  case unknownDays = "unknown_days"
  /// The difference is smaller than the rules' floor or relative change.
  case belowFloor = "below_floor"
  /// A larger part of payloads shows it, but no larger part of report-days: other clusters became rarer.
  case shareOnly = "share_only"
  /// It is missed, but not in as many builds yet as the rules want.
  case tooFewBuilds = "too_few_builds"
  /// There is no earlier release to hold it against.
  case noBaseline = "no_baseline"
}

/// Two builds, cluster by cluster, on the systems that both were used on.
public struct Comparison: Sendable, Hashable {
  /// One stratum and the payloads of both builds in it.
  public struct Stratum: Sendable, Hashable {
    /// The systems.
    public var systems: HealthTable.Stratum
    /// Accepted payloads of the judged build.
    public var new: Int
    /// Those of the other.
    public var old: Int
    /// Whether it is compared.
    public var isUsed: Bool
  }

  /// One cluster in both.
  public struct Cluster: Sendable, Hashable {
    /// Its id.
    public var id: String
    /// What happened.
    public var kind: DiagnosticKind
    /// One line for people.
    public var title: String
    /// What became of it.
    public var change: Change
    /// Why no more is said.
    public var reservations: [Reservation]
    /// Its payloads in the strata that are compared, one by one.
    public var statistics: StratifiedComparison
    /// The probability of a difference as large between builds that are alike; `nil` when it was not tested.
    public var probability: Double?
    /// The least level at which a difference is claimed, with all clusters that were tested.
    public var adjusted: Double?
  }

  /// The rules.
  public let rules: ComparisonRules
  /// All strata of both builds, sorted.
  public private(set) var strata: [Stratum] = []
  /// The clusters of both, the strongest claims first.
  public private(set) var clusters: [Cluster] = []
  /// The part of the judged build's payloads that lies in the compared strata; 0 without payloads.
  public private(set) var coverage = 0.0
  /// Why nothing at all can be compared.
  public private(set) var reservations: [Reservation] = []

  /// The judged build's payloads in the compared strata.
  public var newPayloads: Int { strata.reduce(0) { $0 + ($1.isUsed ? $1.new : 0) } }
  /// Those of the other.
  public var oldPayloads: Int { strata.reduce(0) { $0 + ($1.isUsed ? $1.old : 0) } }

  /// Holds the `new` build against the `old`.
  public init(_ table: HealthTable, old: DeclaredBuild, new: DeclaredBuild, rules: ComparisonRules = ComparisonRules())
  {
    self.rules = rules
    let (before, after) = (table.exposure(of: old), table.exposure(of: new))
    for systems in Set(before.keys).union(after.keys).sorted() {
      let (n, o) = (after[systems] ?? 0, before[systems] ?? 0)
      strata.append(Stratum(systems: systems, new: n, old: o, isUsed: systems.isKnown && n > 0 && o > 0))
    }
    let all = after.values.reduce(0, +)
    coverage = all > 0 ? Double(newPayloads) / Double(all) : 0
    if newPayloads < rules.minimumCohort || oldPayloads < rules.minimumCohort { reservations.append(.smallCohort) }
    if coverage < rules.minimumCoverage { reservations.append(.lowCoverage) }
    for cluster in table.clusters {
      let (n, o) = (cluster.cases(of: new), cluster.cases(of: old))
      guard !n.isEmpty || !o.isEmpty else { continue }
      let statistics = StratifiedComparison(
        strata.filter(\.isUsed).map {
          .init(
            new: Proportion(n[$0.systems] ?? 0, of: $0.new), old: Proportion(o[$0.systems] ?? 0, of: $0.old))
        })
      clusters.append(
        Cluster(
          id: cluster.id, kind: cluster.kind, title: cluster.title, change: .notComparable,
          reservations: reservations.isEmpty ? blindness(statistics, new: n, old: o) : reservations,
          statistics: statistics))
    }
    judge()
    clusters.sort(by: Self.precedes)
  }

  /// Why a cluster cannot be judged although the builds can: what one of them has of it lies on systems of its own, or both
  /// together have too few. (How many they have together says nothing of how they differ, so this chooses no results.)
  private func blindness(
    _ statistics: StratifiedComparison, new: [HealthTable.Stratum: Int], old: [HealthTable.Stratum: Int]
  ) -> [Reservation] {
    let isHidden = statistics.new.cases == 0 && !new.isEmpty || statistics.old.cases == 0 && !old.isEmpty
    if isHidden { return [.otherSystems] }
    return statistics.new.cases + statistics.old.cases < rules.minimumCases ? [.fewCases] : []
  }

  private mutating func judge() {
    let tested = clusters.indices.filter { clusters[$0].reservations.isEmpty }
    let probabilities = tested.map { ConditionalTest(clusters[$0].statistics).twoSided }
    for ((index, probability), adjusted) in zip(zip(tested, probabilities), FalseDiscovery.adjusted(probabilities)) {
      clusters[index].probability = probability
      clusters[index].adjusted = adjusted
      let (change, reservation) = rules.change(clusters[index].statistics, adjusted: adjusted)
      clusters[index].change = change
      clusters[index].reservations = reservation.map { [$0] } ?? []
    }
  }

  private static func precedes(_ a: Cluster, _ b: Cluster) -> Bool {
    func place(_ change: Change) -> Int { Change.allCases.firstIndex(of: change) ?? 0 }
    if a.change != b.change { return place(a.change) < place(b.change) }
    let (x, y) = (a.adjusted ?? 2, b.adjusted ?? 2)
    return x == y ? a.id < b.id : x < y
  }
}

extension ComparisonRules {
  /// What is claimed of the numbers of one cluster, at the level that all claims together have.
  func change(_ numbers: StratifiedComparison, adjusted: Double) -> (Change, Reservation?) {
    let (new, old) = (numbers.new.cases, numbers.old.cases)
    let isClear = adjusted <= level
    if old == 0 {
      if new < minimumCases { return (.notComparable, .fewCases) }
      if numbers.expectedFromNew < informativeAbsence { return (.notComparable, .shortExposure) }
      return isClear ? (.new, nil) : (.notComparable, .notSignificant)
    }
    if new == 0 {
      if old < minimumCases { return (.notComparable, .fewCases) }
      if numbers.expectedFromOld < informativeAbsence { return (.notComparable, .shortExposure) }
      return isClear ? (.gone, nil) : (.notComparable, .notSignificant)
    }
    guard let ratio = numbers.ratio, isClear else { return (.unchanged, nil) }
    if ratio.interval.lowerBound > 1 { return (.grown, nil) }
    return ratio.interval.upperBound < 1 ? (.shrunk, nil) : (.unchanged, nil)
  }
}

extension HealthTable {
  /// The accepted payloads of a build, by stratum.
  func exposure(of build: DeclaredBuild) -> [Stratum: Int] {
    var sum: [Stratum: Int] = [:]
    for (cell, count) in accepted where build.isBuild(of: cell.build) {
      sum[cell.stratum, default: 0] += count.payloads
    }
    return sum
  }
}

extension HealthTable.Cluster {
  /// The payloads of a build with this cluster, by stratum; those without any are left out.
  func cases(of build: DeclaredBuild) -> [HealthTable.Stratum: Int] {
    var sum: [HealthTable.Stratum: Int] = [:]
    for (cell, count) in cells where build.isBuild(of: cell.build) && count.payloads > 0 {
      sum[cell.stratum, default: 0] += count.payloads
    }
    return sum
  }
}
