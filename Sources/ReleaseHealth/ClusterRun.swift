internal import Diagnostics
internal import SignatureStore

/// The state of one cluster, from look to look.
struct ClusterRun {
  /// What the cluster is tested for.
  private enum Question {
    /// No build before showed it.
    case isNew
    /// It was resolved before.
    case isBack
    /// The baseline shows it, or other builds before do.
    case hasGrown
  }

  private let cluster: HealthTable.Cluster
  private let rule: AlertRules.Rule
  private let question: Question
  /// Payloads of all builds before, or of the baseline, with it, and all of theirs.
  private let oldCases: [HealthTable.Stratum: Int]
  private let oldExposure: [HealthTable.Stratum: Int]
  private let cells: [(stratum: HealthTable.Stratum, count: HealthTable.Count)]
  private let lastSeen: DeclaredBuild?
  private let seenWithoutPlace: Bool
  private var state: ClusterState?
  private var ended: [ClusterState] = []
  private var since: ReportingDay?
  private var claimedLevel: Double?
  /// Until there was a look there were too few payloads for one.
  private var reservations: [Reservation] = [.smallCohort]
  private var statistics = StratifiedComparison([])
  private var probability: Double?
  private var adjusted: Double?

  /// `nil` when neither the build nor one before it has the cluster.
  init?(_ cluster: HealthTable.Cluster, _ rule: AlertRules.Rule, _ history: History) {
    self.cluster = cluster
    self.rule = rule
    cells = cluster.cells.filter { history.build.isBuild(of: $0.key.build) }.map { ($0.key.stratum, $0.value) }
    let seen = history.earlier.map { cluster.cases(of: $0.build) }
    let last = seen.firstIndex { !$0.isEmpty }
    lastSeen = last.map { history.earlier[$0].build }
    seenWithoutPlace = cluster.cells.contains { $0.value.payloads > 0 && history.isUnordered($0.key.build) }
    if cells.allSatisfy({ $0.count.payloads == 0 }), last == nil { return nil }
    func sum(_ parts: [[HealthTable.Stratum: Int]]) -> [HealthTable.Stratum: Int] {
      parts.reduce(into: [:]) { sum, part in sum.merge(part, uniquingKeysWith: +) }
    }
    if let last {
      // In how many of the builds since it would have been seen, one after the other.
      let rate = StratifiedRate(cases: seen[last], exposure: history.earlier[last].exposure)
      let missed = history.earlier[..<last].prefix {
        rate.expected(in: $0.exposure) >= rule.comparison.informativeAbsence
      }
      question = missed.count >= rule.resolvedAfter ? .isBack : .hasGrown
    } else {
      question = .isNew
    }
    if question == .hasGrown {
      let baseline = history.earlier.firstIndex { $0.build == history.baseline }
      oldCases = baseline.map { seen[$0] } ?? [:]
      oldExposure = baseline.map { history.earlier[$0].exposure } ?? [:]
    } else {
      // What was not there is held against every build in which it was not.
      let count = question == .isBack ? last ?? 0 : history.earlier.count
      oldCases = [:]
      oldExposure = sum(history.earlier.prefix(count).map(\.exposure))
    }
  }

  /// Looks at all payloads up to a day; the probability of its numbers, if there is something to be tested. What fires already
  /// asks no more: its small probabilities would make room for false claims about others.
  mutating func look(
    until day: ReportingDay?, _ exposure: [HealthTable.Stratum: Int], _ history: History
  ) -> Double? {
    let all = exposure.values.reduce(0, +)
    statistics = compare(exposure) { count in day.map(count.payloads(until:)) ?? count.payloads }
    reservations = []
    if state?.fires != true { (probability, adjusted) = (nil, nil) }
    if statistics.new.total < rule.comparison.minimumCohort { reservations.append(.smallCohort) }
    if Double(statistics.new.total) < rule.comparison.minimumCoverage * Double(all) {
      reservations.append(.lowCoverage)
    }
    if history.earlier.isEmpty { reservations = [.noBaseline] }
    guard reservations.isEmpty else { return nil }
    if let state, state.fires {
      // Hysteresis: what fired holds until it is clearly below what it was held against.
      if state == .regressed, let ratio = statistics.ratio, ratio.interval.upperBound < 1 {
        ended.append(state)
        self.state = nil
        (since, claimedLevel) = (nil, nil)
      }
      return nil
    }
    // How many both have together says nothing of how they differ, so leaving these out chooses no results.
    guard statistics.new.cases + statistics.old.cases >= rule.comparison.minimumCases else {
      if question != .hasGrown { reservations = [.fewCases] }
      return nil
    }
    return ConditionalTest(statistics).twoSided
  }

  private func compare(
    _ exposure: [HealthTable.Stratum: Int], _ payloads: (HealthTable.Count) -> Int
  ) -> StratifiedComparison {
    var cases: [HealthTable.Stratum: Int] = [:]
    for (stratum, count) in cells { cases[stratum, default: 0] += payloads(count) }
    return StratifiedComparison(
      exposure.filter(\.key.isKnown).sorted { $0.key < $1.key }.map { stratum, total in
        .init(
          new: Proportion(cases[stratum] ?? 0, of: total),
          old: Proportion(oldCases[stratum] ?? 0, of: oldExposure[stratum] ?? 0))
      })
  }

  /// Draws what follows from a look at which `share` of the level is spent.
  mutating func judge(
    _ probability: Double, adjusted: Double, share: Double, day: ReportingDay?, _ history: History
  ) {
    (self.probability, self.adjusted) = (probability, adjusted)
    let level = rule.comparison.level * share
    let claim = claim(adjusted <= level, day, history)
    reservations = claim.reservations
    guard claim.reservations.isEmpty, let claimed = claim.state else { return }
    state = claimed
    since = day
    claimedLevel = level
  }

  /// What is claimed of the numbers of this look, and why no more.
  private func claim(
    _ isClear: Bool, _ day: ReportingDay?, _ history: History
  ) -> (state: ClusterState?, reservations: [Reservation]) {
    guard statistics.new.cases > 0 else { return (nil, []) }
    var reservations: [Reservation] = []
    switch question {
    case .isNew, .isBack:
      if statistics.new.cases < rule.comparison.minimumCases { reservations.append(.fewCases) }
      if statistics.expectedFromNew < rule.comparison.informativeAbsence { reservations.append(.shortExposure) }
      if !isClear { reservations.append(.notSignificant) }
      if seenWithoutPlace { reservations.append(.unknownOrder) }
      if cluster.isUnproven { reservations.append(.unprovenSignature) }
      return (question == .isNew ? .new : .reopened, reservations)
    case .hasGrown:
      guard history.baseline != nil else { return (.regressed, [.noBaseline]) }
      // Less than the baseline, or as much: nothing to be said.
      guard Double(statistics.new.cases) > statistics.expectedFromOld, isClear else { return (nil, []) }
      let lower = statistics.ratio?.interval.lowerBound ?? (statistics.old.cases == 0 ? .infinity : 0)
      let rise = statistics.new.value - statistics.expectedFromOld / Double(max(1, statistics.new.total))
      if lower <= 1 + rule.relativeChange || rise < rule.floor { reservations.append(.belowFloor) }
      if statistics.new.cases < rule.comparison.minimumCases { reservations.append(.fewCases) }
      if isOnlyAShare(history) { reservations.append(.shareOnly) }
      if cluster.isUnproven { reservations.append(.unprovenSignature) }
      if rule.sustainedDays > 1 {
        if day == nil {
          reservations.append(.unknownDays)
        } else if !isSustained(until: day, history) {
          reservations.append(.notSustained)
        }
      }
      return (.regressed, reservations)
    }
  }

  /// Whether as many reporting days in a row as the rule wants, up to a day, each with enough payloads, show it more often than
  /// the baseline by the relative change.
  private func isSustained(until day: ReportingDay?, _ history: History) -> Bool {
    var run = 0
    for candidate in history.days where day.map({ candidate <= $0 }) ?? true {
      let numbers = compare(history.exposure(on: candidate)) { $0.days[candidate] ?? 0 }
      guard numbers.new.total >= rule.minimumDay else {
        run = 0
        continue
      }
      let isUp = Double(numbers.new.cases) >= (1 + rule.relativeChange) * numbers.expectedFromOld
      run = isUp && numbers.new.cases > 0 ? run + 1 : 0
      if run >= rule.sustainedDays { return true }
    }
    return false
  }

  /// Whether the rate per report-day did not rise, where both builds have report-days: then payloads with other clusters became
  /// fewer, and this one not more frequent.
  private func isOnlyAShare(_ history: History) -> Bool {
    func days(_ counts: [HealthTable.Stratum: Int]) -> Int {
      counts.reduce(0) { $0 + (oldExposure[$1.key] != nil ? $1.value : 0) }
    }
    let (new, old) = (days(history.reportDays), days(history.oldReportDays))
    guard new > 0, old > 0 else { return false }
    return Double(statistics.new.cases) / Double(new) <= Double(statistics.old.cases) / Double(old)
  }

  /// What is said of the cluster after the last look; `nil` when there is nothing to be said.
  func judgement(_ history: History) -> ClusterJudgement? {
    let isHere = cells.contains { $0.count.payloads > 0 }
    var result: ClusterState
    var reasons = reservations
    if let state {
      (result, reasons) = (state, [])
    } else if reasons.contains(.smallCohort) {
      result = .suppressed
    } else if isHere {
      result = reasons.isEmpty ? .known : .unproven
    } else {
      guard let missed = missedBuilds(history) else { return nil }
      // Once it is resolved it is told in the build that resolves it.
      guard missed <= rule.resolvedAfter else { return nil }
      result = missed == rule.resolvedAfter ? .resolved : .unproven
      reasons = result == .resolved ? [] : [.tooFewBuilds]
    }
    return ClusterJudgement(
      cluster: cluster.id, kind: cluster.kind, title: cluster.title, state: result, reservations: reasons, ended: ended,
      statistics: statistics, probability: probability, adjusted: adjusted, level: claimedLevel, since: since,
      owner: rule.owner, lastSeen: lastSeen)
  }

  /// In how many builds up to this one the cluster is missed, though it would have been seen; `nil` if not in this one.
  private func missedBuilds(_ history: History) -> Int? {
    guard let last = history.earlier.firstIndex(where: { $0.build == lastSeen }) else { return nil }
    let rate = StratifiedRate(
      cases: cluster.cases(of: history.earlier[last].build), exposure: history.earlier[last].exposure)
    func isInformative(_ exposure: [HealthTable.Stratum: Int]) -> Bool {
      rate.expected(in: exposure) >= rule.comparison.informativeAbsence
    }
    guard isInformative(history.exposure(until: nil)) else { return nil }
    return 1 + history.earlier[..<last].count { isInformative($0.exposure) }
  }
}

/// How often a cluster is seen in a build, stratum by stratum.
private struct StratifiedRate {
  var cases: [HealthTable.Stratum: Int]
  var exposure: [HealthTable.Stratum: Int]

  /// The payloads that would show it in other payloads of the same strata.
  func expected(in other: [HealthTable.Stratum: Int]) -> Double {
    other.reduce(0) { sum, part in
      guard let all = exposure[part.key], all > 0 else { return sum }
      return sum + Double(part.value) * Double(cases[part.key] ?? 0) / Double(all)
    }
  }
}
