public import Diagnostics
public import SignatureStore

/// Is this build worse? Every cluster of a build, held against the builds before it.
///
/// A build is looked at once for each of its reporting days, with all payloads up to that day, as a job would that ran every
/// night. Looks are paid for: the k-th has the level divided by 2 to the k, so that all of them together have the level of the
/// rules. What is claimed holds until the upper end of the ratio's interval is below 1; no state goes up and down with the day.
public struct Alerts: Sendable, Hashable {
  /// The judged build.
  public let build: DeclaredBuild
  /// The release that it is held against; `nil` when there is none before it.
  public let baseline: DeclaredBuild?
  /// The rules.
  public let rules: AlertRules
  /// Every cluster of the build or of builds before it, what fires first.
  public private(set) var judgements: [ClusterJudgement] = []
  /// How many looks there were.
  public private(set) var looks = 0
  /// The last day of the build that was counted.
  public private(set) var lastDay: ReportingDay?
  /// Accepted payloads of the build; `nil` when they are too few to be told.
  public private(set) var payloads: Int?

  /// Those that fire.
  public var firing: [ClusterJudgement] { judgements.filter(\.state.fires) }
  /// Whether so many fire that they are told as one notice: something of all of them is the matter.
  public var isStorm: Bool { firing.count > rules.stormLimit }

  /// Judges `build` by `rules`. The `baseline`, if one is chosen, must come before it. Builds that are not in `order` have no place in it, and what they show proves nothing.
  public init(
    _ table: HealthTable, order: BuildOrder, build: DeclaredBuild, baseline chosen: DeclaredBuild? = nil,
    rules: AlertRules
  ) {
    self.build = build
    self.rules = rules
    let place = order.place(of: build) ?? order.builds.count
    baseline = chosen ?? order.baseline(of: place)
    let history = History(table, build: build, baseline: baseline, place: place, order: order)
    let least = rules.rules.map(\.comparison.minimumCohort).min() ?? 0
    payloads = history.newTotal >= least ? history.newTotal : nil
    lastDay = history.days.last
    var runs = table.clusters.compactMap { cluster -> ClusterRun? in
      guard let rule = rules.rule(for: cluster.kind) else { return nil }
      return ClusterRun(cluster, rule, history)
    }
    // Without days there is one look at everything; what must stay up for days is then not claimed.
    let days: [ReportingDay?] = history.days.isEmpty ? [nil] : history.days
    var level = 1.0
    for day in days {
      let exposure = history.exposure(until: day)
      guard exposure.values.reduce(0, +) >= least else { continue }
      looks += 1
      level /= 2
      var tested: [(run: Int, probability: Double)] = []
      for index in runs.indices {
        if let probability = runs[index].look(until: day, exposure, history) { tested.append((index, probability)) }
      }
      let adjusted = FalseDiscovery.adjusted(tested.map(\.probability))
      for (test, adjusted) in zip(tested, adjusted) {
        runs[test.run].judge(test.probability, adjusted: adjusted, share: level, day: day, history)
      }
    }
    judgements = runs.compactMap { $0.judgement(history) }.sorted(by: Self.precedes)
  }

  private static func precedes(_ a: ClusterJudgement, _ b: ClusterJudgement) -> Bool {
    func place(_ state: ClusterState) -> Int { ClusterState.allCases.firstIndex(of: state) ?? 0 }
    if a.state != b.state { return place(a.state) < place(b.state) }
    let (x, y) = (a.adjusted ?? 2, b.adjusted ?? 2)
    return x == y ? a.cluster < b.cluster : x < y
  }

  /// The key of the notice that stands for all alerts.
  public var stormKey: String { "storm/\(build.app)/\(build.version)/\(build.build)" }

  /// The beginning of the last day that was counted, in RFC 3339 and UTC; 1970 when no day is known: in any case past.
  public var lastDayBegin: String { PointInTime(seconds: (lastDay?.number ?? 0) * 86_400, isZoneKnown: true).text }

  /// What a job tells two alerts apart by: it stays the same as long as the alert does.
  public static func key(_ cluster: String, _ state: ClusterState, in build: DeclaredBuild) -> String {
    "\(cluster)/\(build.app)/\(build.version)/\(build.build)/\(state.rawValue)"
  }
}

/// What all clusters are held against: the payloads of the judged build day by day, and of those before it.
struct History {
  let build: DeclaredBuild
  let baseline: DeclaredBuild?
  /// The builds before, with their payloads by stratum; the last one first.
  let earlier: [(build: DeclaredBuild, exposure: [HealthTable.Stratum: Int])]
  /// The days of the judged build on which payloads were reported, sorted.
  let days: [ReportingDay]
  private let cells: [(stratum: HealthTable.Stratum, count: HealthTable.Count)]
  private let all: [HealthTable.Stratum: Int]
  let reportDays: [HealthTable.Stratum: Int]
  let oldReportDays: [HealthTable.Stratum: Int]
  /// Builds of the app whose place is not known.
  let isUnordered: (BuildOfRecord) -> Bool

  init(
    _ table: HealthTable, build: DeclaredBuild, baseline: DeclaredBuild?, place: Int, order: BuildOrder
  ) {
    self.build = build
    self.baseline = baseline
    earlier = order.builds.prefix(place).reversed().map { ($0, table.exposure(of: $0)) }
    cells = table.accepted.filter { build.isBuild(of: $0.key.build) }.map { ($0.key.stratum, $0.value) }
    all = table.exposure(of: build)
    days = Set(cells.flatMap { $0.count.days.keys }).sorted()
    func reportDays(_ build: DeclaredBuild?) -> [HealthTable.Stratum: Int] {
      var sum: [HealthTable.Stratum: Int] = [:]
      for (cell, count) in table.reportDays where build?.isBuild(of: cell.build) ?? false {
        sum[cell.stratum, default: 0] += count
      }
      return sum
    }
    self.reportDays = reportDays(build)
    oldReportDays = reportDays(baseline)
    isUnordered = { order.place(of: $0) == nil && !build.isBuild(of: $0) }
  }

  var newTotal: Int { all.values.reduce(0, +) }

  /// The judged build's payloads up to a day, by stratum; of all when there are no days.
  func exposure(until day: ReportingDay?) -> [HealthTable.Stratum: Int] {
    guard let day else { return all }
    var sum: [HealthTable.Stratum: Int] = [:]
    for (stratum, count) in cells { sum[stratum, default: 0] += count.payloads(until: day) }
    return sum
  }

  /// Those of one day.
  func exposure(on day: ReportingDay) -> [HealthTable.Stratum: Int] {
    var sum: [HealthTable.Stratum: Int] = [:]
    for (stratum, count) in cells { sum[stratum, default: 0] += count.days[day] ?? 0 }
    return sum
  }
}

extension HealthTable.Count {
  func payloads(until day: ReportingDay) -> Int { days.reduce(0) { $0 + ($1.key <= day ? $1.value : 0) } }
}
