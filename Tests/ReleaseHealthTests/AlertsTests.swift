import Diagnostics
import ReleaseHealth
import SignatureStore
import TestSupport
import Testing

@Suite("The state of a cluster")
struct ClusterStateTests {
  private let builds = (1...5).map { build($0) }

  /// One build after the other with the same payloads, four days each, and the cluster `x` in some of them.
  private func history(_ cases: [Int], payloads: Int = 2000) -> MadeHistory {
    var history = MadeHistory()
    for (number, cases) in cases.enumerated() {
      for day in 0..<4 {
        history.add(builds[number], payloads / 4, ["x": cases / 4, "other": payloads / 20], day: number * 10 + day)
      }
    }
    return history
  }

  @Test(
    "is one of these, for payloads with it in one build after the other",
    arguments: [
      // New, and it would have been seen.
      ([0, 0, 40], "new"), ([0, 24], "new"),
      // Too few, or too little before it, for a claim.
      ([0, 0, 4], "unproven few_cases"), ([0, 8], "unproven not_significant"), ([40], "unproven no_baseline"),
      // Before and now alike.
      ([40, 40], "known"), ([40, 48], "known"), ([80, 40], "known"),
      // Twice as often, in every day.
      ([100, 200], "regressed"), ([0, 100, 200], "regressed"),
      // Missed once, twice; and back.
      ([40, 0], "unproven too_few_builds"), ([40, 0, 0], "resolved"), ([40, 0, 0, 40], "reopened"),
      ([40, 0, 40], "known"), ([0, 40, 0, 0, 60], "reopened"),
    ] as [([Int], String)])
  func table(cases: [Int], state: String) {
    let history = history(cases)
    let found = history.states(builds[cases.count - 1], of: builds)
    // What is twice as often as in the last release, after it was nearly gone there, is judged by that release.
    let wanted = cases == [40, 0, 40] ? nil : state
    if let wanted { #expect(found["x"] == wanted, "\(cases)") }
    #expect(found["other"] == (cases.count == 1 ? "unproven no_baseline" : "known"))
  }

  @Test("is told once more in no later build when it is resolved")
  func resolvedOnce() {
    #expect(history([40, 0, 0]).states(builds[2], of: builds)["x"] == "resolved")
    #expect(history([40, 0, 0, 0]).states(builds[3], of: builds)["x"] == nil)
  }

  @Test("A-46 is regressed when it stays up for as many days as the rules want, and once")
  func sustained() {
    func state(_ days: [Int]) -> String? {
      var history = MadeHistory()
      for day in 0..<4 { history.add(builds[0], 500, ["x": 25], day: day) }
      for (day, cases) in days.enumerated() { history.add(builds[1], 500, ["x": cases], day: 10 + day) }
      return history.states(builds[1], of: builds) { $0.rules[0].sustainedDays = 2 }["x"]
    }
    #expect(state([70, 20, 70]) == "unproven not_sustained")
    #expect(state([70, 70]) == "regressed")
    #expect(state([70, 70, 25]) == "regressed")
    #expect(state([25, 25, 25]) == "known")
  }

  @Test("holds until it is clearly below what it was held against, and then tells that it ended")
  func hysteresis() throws {
    var history = MadeHistory()
    for day in 0..<4 { history.add(builds[0], 500, ["x": 25], day: day) }
    for day in 0..<2 { history.add(builds[1], 500, ["x": 70], day: 10 + day) }
    #expect(history.states(builds[1], of: builds)["x"] == "regressed")
    // Some days as before: the whole is still above.
    for day in 2..<8 { history.add(builds[1], 500, ["x": 25], day: 10 + day) }
    #expect(history.states(builds[1], of: builds)["x"] == "regressed")
    for day in 8..<60 { history.add(builds[1], 500, ["x": 15], day: 10 + day) }
    let judgement = try #require(history.alerts(builds[1], of: builds).judgements.first { $0.cluster == "x" })
    #expect(judgement.state == .known)
    #expect(judgement.ended == [.regressed])
  }

  @Test("A-45 is judged like for like: another mix of systems is no change")
  func strata() {
    var history = MadeHistory()
    // On the one system a tenth shows it, on the other a hundredth; the new build is mostly on the first.
    history.add(builds[0], 400, ["x": 40], on: ios17)
    history.add(builds[0], 4000, ["x": 40], on: ios18)
    for day in 0..<4 {
      history.add(builds[1], 1000, ["x": 100], on: ios17, day: 10 + day)
      history.add(builds[1], 100, ["x": 1], on: ios18, day: 10 + day)
    }
    #expect(history.states(builds[1], of: builds)["x"] == "known")
    let elsewhere = HealthTable.Stratum(platform: "iPhone OS", release: "19.0")
    for day in 0..<4 { history.add(builds[2], 1000, ["x": 300], on: elsewhere, day: 20 + day) }
    #expect(history.states(builds[2], of: builds)["x"] == "suppressed small_cohort low_coverage")
  }

  @Test("A-45 is regressed where every system shows it more often, though all together show it less")
  func hiddenByTheMix() {
    var history = MadeHistory()
    history.add(builds[0], 4000, ["x": 800], on: ios17)
    history.add(builds[0], 1000, ["x": 20], on: ios18)
    for day in 0..<4 {
      history.add(builds[1], 100, ["x": 30], on: ios17, day: 10 + day)
      history.add(builds[1], 1000, ["x": 60], on: ios18, day: 10 + day)
    }
    #expect(history.states(builds[1], of: builds)["x"] == "regressed")
  }

  @Test("tells no number of a build with too few payloads")
  func suppressed() {
    let history = history([40, 40], payloads: 160)
    let alerts = history.alerts(builds[1], of: builds)
    #expect(alerts.judgements.map(\.state) == [.suppressed, .suppressed])
    #expect(alerts.payloads == nil)
    #expect(alerts.firing.isEmpty)
  }

  @Test("is no claim where its share rose and its rate per report-day did not")
  func shareOnly() {
    var history = history([100, 200])
    history.addReportDays(builds[0], 100_000)
    history.addReportDays(builds[1], 250_000)
    #expect(history.states(builds[1], of: builds)["x"] == "unproven share_only")
    history.addReportDays(builds[0], 100_000)
    #expect(history.states(builds[1], of: builds)["x"] == "regressed")
  }

  @Test("is no claim where a build without a place shows it, or its name may change")
  func unknown() {
    var history = history([0, 40])
    let stray = DeclaredBuild(app: app, version: "?", build: "nightly")
    history.add(stray, 10, ["x": 1])
    #expect(history.states(builds[1], of: builds)["x"] == "unproven unknown_order")
    var other = self.history([100, 200])
    other.table.clusters[1].isUnproven = true
    #expect(other.table.clusters[1].id == "x")
    #expect(other.states(builds[1], of: builds)["x"] == "unproven unproven_signature")
  }

  @Test("of payloads without days holds only what needs no days")
  func withoutDays() {
    var history = MadeHistory()
    history.add(builds[0], 2000, ["x": 100], day: nil)
    history.add(builds[1], 2000, ["x": 200, "y": 40], day: nil)
    let states = history.states(builds[1], of: builds)
    #expect(states["x"] == "unproven unknown_days")
    #expect(states["y"] == "new")
    #expect(history.states(builds[1], of: builds) { $0.rules[0].sustainedDays = 1 }["x"] == "regressed")
  }

  @Test("of a beta is held against the last release before it")
  func channels() {
    let builds = [build(1), build(2, channel: "beta"), build(3, channel: "beta")]
    var history = MadeHistory()
    for day in 0..<4 {
      history.add(builds[0], 500, ["x": 25], day: day)
      history.add(builds[1], 500, ["x": 60], day: 10 + day)
      history.add(builds[2], 500, ["x": 60], day: 20 + day)
    }
    #expect(history.states(builds[2], of: builds)["x"] == "regressed")
    #expect(BuildOrder(builds).latest == builds[0])
  }

  @Test("of very many at once is one notice")
  func storm() {
    var history = MadeHistory()
    for day in 0..<4 {
      history.add(builds[0], 500, ["old": 20], day: day)
      let many = Dictionary(uniqueKeysWithValues: (0..<40).map { ("new\($0)", 10) })
      history.add(builds[1], 500, many, day: 10 + day)
    }
    let alerts = history.alerts(builds[1], of: builds)
    #expect(alerts.firing.count == 40)
    #expect(alerts.isStorm)
    #expect(!history.alerts(builds[1], of: builds) { $0.stormLimit = 40 }.isStorm)
  }
}

/// What is claimed of builds that are made by chance.
@Suite("Builds by chance")
struct ChanceTests {
  /// A build like the one before, or with the cluster `bad` twice as often; the clusters that fire.
  private func firing(_ generator: inout SeededGenerator, payloads: Int, doubled: Bool) -> [String] {
    let rates = (0..<30).map { 0.002 * Double(1 + $0 * $0 / 20) }
    var history = MadeHistory()
    let builds = [build(1), build(2), build(3)]
    for (number, build) in builds.enumerated() {
      for day in 0..<4 {
        for (systems, part) in [(ios17, 3), (ios18, 5)] {
          let count = payloads * part / 32
          var cases: [String: Int] = [:]
          for (index, rate) in rates.enumerated() { cases["c\(index)"] = generator.binomial(count, rate) }
          if doubled { cases["bad"] = generator.binomial(count, number == 2 ? 0.1 : 0.05) }
          history.add(build, count, cases.filter { $0.value > 0 }, on: systems, day: number * 10 + day)
        }
      }
    }
    return history.alerts(builds[2], of: builds).firing.map(\.cluster)
  }

  @Test("that are alike fire in one build of 20 at most")
  func noChange() {
    var generator = SeededGenerator(seed: 0x5eed_0001)
    var builds = 0
    for _ in 0..<500 where !firing(&generator, payloads: 2000, doubled: false).isEmpty { builds += 1 }
    #expect(builds <= 25, "\(builds) of 500")
  }

  @Test("with twice as much of something are found four times of five, at 2,000 payloads")
  func power() {
    var generator = SeededGenerator(seed: 0x5eed_0002)
    var found = 0
    for _ in 0..<100 where firing(&generator, payloads: 2000, doubled: true).contains("bad") { found += 1 }
    #expect(found >= 80, "\(found) of 100")
  }
}
