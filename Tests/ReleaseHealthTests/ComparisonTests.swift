import Diagnostics
import ReleaseHealth
import SignatureStore
import Testing

@Suite("Two builds")
struct ComparisonTests {
  private let old = build(1)
  private let new = build(2)

  @Test("A-54 are compared cluster by cluster: new, gone, grown, shrunk, unchanged, not comparable")
  func changes() {
    var history = MadeHistory()
    history.add(old, 2000, ["gone": 40, "grown": 50, "shrunk": 120, "same": 60, "rare": 1])
    history.add(new, 2000, ["new": 40, "grown": 120, "shrunk": 50, "same": 64, "rare": 2])
    let comparison = Comparison(history.table, old: old, new: new)
    let changes = Dictionary(uniqueKeysWithValues: comparison.clusters.map { ($0.id, $0.change) })
    #expect(
      changes == [
        "new": .new, "gone": .gone, "grown": .grown, "shrunk": .shrunk, "same": .unchanged, "rare": .notComparable,
      ])
    #expect(comparison.coverage == 1)
    // The strongest claims come first.
    #expect(comparison.clusters.map(\.change).first == .new)
  }

  @Test("A-45 on other mixes of systems are not told apart by the mix")
  func mix() throws {
    var history = MadeHistory()
    history.add(old, 2000, ["x": 200], on: ios17)
    history.add(old, 500, ["x": 5], on: ios18)
    history.add(new, 500, ["x": 50], on: ios17)
    history.add(new, 2000, ["x": 20], on: ios18)
    let cluster = try #require(Comparison(history.table, old: old, new: new).clusters.first)
    #expect(cluster.change == .unchanged)
    // Thrown together it would have fallen to a third.
    #expect(cluster.statistics.new.value < cluster.statistics.old.value / 2)
    #expect(abs((cluster.statistics.ratio?.value ?? 0) - 1) < 0.01)
    #expect(abs(cluster.statistics.difference?.value ?? 1) < 0.001)
  }

  @Test("without enough in common are not compared, and the reason is told")
  func reservations() {
    var history = MadeHistory()
    history.add(old, 2000, ["x": 100], on: ios17)
    history.add(new, 300, ["x": 30], on: ios17)
    history.add(new, 700, ["x": 300], on: ios18)
    #expect(Comparison(history.table, old: old, new: new).reservations == [.lowCoverage])
    var rules = ComparisonRules()
    rules.minimumCoverage = 0.2
    #expect(Comparison(history.table, old: old, new: new, rules: rules).reservations == [])
    rules.minimumCohort = 301
    #expect(Comparison(history.table, old: old, new: new, rules: rules).reservations == [.smallCohort])
  }

  @Test("with a cluster on systems of its own say nothing of it")
  func elsewhere() throws {
    var history = MadeHistory()
    history.add(old, 1000, ["x": 0], on: ios17)
    history.add(old, 1000, ["x": 30], on: ios18)
    history.add(new, 1000, ["x": 30], on: ios17)
    let cluster = try #require(Comparison(history.table, old: old, new: new).clusters.first)
    #expect(cluster.change == .notComparable)
    #expect(cluster.reservations == [.otherSystems])
  }
}

@Suite("The order of builds")
struct BuildOrderTests {
  private func texts(_ order: BuildOrder) -> [String] { order.builds.map(\.text) }

  private func declared(_ version: String, _ build: String, order: Int? = nil) -> DeclaredBuild {
    DeclaredBuild(app: app, version: version, build: build, order: order)
  }

  @Test("is that of version and build number, as numbers")
  func numbers() {
    let order = BuildOrder([
      declared("1.10", "2"), declared("1.9", "30"), declared("1.9", "4"), declared("2", "1"), declared("1.9.1", "1"),
    ])
    #expect(order.basis == .numbers)
    #expect(texts(order) == ["1.9 (4)", "1.9 (30)", "1.9.1 (1)", "1.10 (2)", "2 (1)"])
  }

  @Test("is that of the places, when every build has one")
  func places() {
    let all = [declared("2.0", "a", order: 1), declared("1.0", "b", order: 2), declared("1.0", "c", order: 2)]
    let order = BuildOrder(all)
    #expect(order.basis == .declared)
    #expect(texts(order) == ["2.0 (a)"])
    // Two at one place have no order.
    #expect(order.unordered.map(\.text) == ["1.0 (b)", "1.0 (c)"])
    #expect(BuildOrder(all + [declared("3.0", "4")]).basis == .numbers)
  }

  @Test("knows no place for what are no numbers, and for one build twice")
  func unknown() {
    let order = BuildOrder([declared("1.0", "12"), declared("1.0", "abc"), declared("1.0.0", "12"), declared("2", "")])
    #expect(texts(order) == [])
    #expect(order.unordered.count == 4)
    #expect(order.latest == nil)
    #expect(BuildOrder([declared("1", "99999999999999999999")]).builds.isEmpty)
  }

  @Test("does not follow from the order of their declaration")
  func shuffled() {
    let all = (1...30).map { declared("1.\($0 % 7)", "\($0)") }
    let order = BuildOrder(all)
    for _ in 0..<20 { #expect(BuildOrder(all.shuffled()) == order) }
  }

  @Test("puts diagnostics of one build together, whether or not they tell the version")
  func records() {
    let build = declared("1.0", "12")
    #expect(build.isBuild(of: BuildOfRecord(app: app, version: "1.0", build: "12")))
    #expect(build.isBuild(of: BuildOfRecord(app: app, version: nil, build: "12")))
    #expect(!build.isBuild(of: BuildOfRecord(app: app, version: "1.1", build: "12")))
    #expect(!build.isBuild(of: BuildOfRecord(app: app, version: "1.0", build: nil)))
    #expect(
      DeclaredBuild(app: app, version: "", build: "").isBuild(of: BuildOfRecord(app: app, version: nil, build: nil)))
    #expect(!build.isBuild(of: BuildOfRecord(app: nil, version: "1.0", build: "12")))
    #expect(!build.isBuild(of: BuildOfRecord(app: app, version: "1.0", build: "12", isMixed: true)))
  }
}

@Suite("Rules of alerts")
struct AlertRulesTests {
  private func rules(_ text: String) throws -> AlertRules {
    try Array(text.utf8).withUnsafeBytes { raw in try AlertRules(json: raw) }
  }

  @Test("are read from a small file, the first one for a kind counts")
  func reading() throws {
    let rules = try rules(
      """
      {"schema":"symclust.alert-rules/1","storm_limit":10,"include_preview":true,"rules":[
        {"name":"hangs","owner":"ui","kinds":["hang"],"minimum_cohort":500,"relative_change":0.5,"sustained_days":3},
        {"owner":"oncall","floor":0.01,"level":0.01}]}
      """)
    #expect(rules.stormLimit == 10 && rules.includesPreview)
    #expect(rules.rule(for: .hang)?.owner == "ui")
    #expect(rules.rule(for: .hang)?.comparison.minimumCohort == 500)
    #expect(rules.rule(for: .crash)?.owner == "oncall")
    #expect(rules.rule(for: .crash)?.floor == 0.01)
    #expect(rules.rule(for: .crash)?.comparison.level == 0.01)
  }

  @Test(
    "A-80 are refused with the place and the reason",
    arguments: [
      ("{", "end"), ("[]", "schema"), (#"{"schema":"symclust.alert-rules/2","rules":[{"owner":"a"}]}"#, "schema"),
      (#"{"schema":"symclust.alert-rules/1","rules":[]}"#, "must hold a rule"),
      (#"{"schema":"symclust.alert-rules/1","rules":[{"name":"a"}]}"#, "rules[0].owner is missing"),
      (#"{"schema":"symclust.alert-rules/1","rules":[{"owner":""}]}"#, "rules[0].owner is missing"),
      (#"{"schema":"symclust.alert-rules/1","rules":[{"owner":"a","flor":1}]}"#, "rules[0].flor is not known"),
      (#"{"schema":"symclust.alert-rules/1","rules":[{"owner":"a","floor":2}]}"#, "rules[0].floor must be a number"),
      (#"{"schema":"symclust.alert-rules/1","rules":[{"owner":"a","minimum_cohort":1.5}]}"#, "whole number"),
      (#"{"schema":"symclust.alert-rules/1","rules":[{"owner":"a","kinds":["crush"]}]}"#, "kinds"),
    ])
  func refusals(text: String, reason: String) {
    let error = #expect(throws: AlertRules.Problem.self) { try rules(text) }
    #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
  }
}
