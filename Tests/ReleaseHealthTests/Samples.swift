import Diagnostics
import ReleaseHealth
import SignatureStore
import TestSupport

let app = "com.example.app"
let ios18 = HealthTable.Stratum(platform: "iPhone OS", release: "18.5")
let ios17 = HealthTable.Stratum(platform: "iPhone OS", release: "17.5")

/// Build `number` of version 1.
func build(_ number: Int, channel: String? = nil) -> DeclaredBuild {
  DeclaredBuild(app: app, version: "1.0", build: "\(number)", channel: channel)
}

/// A made-up history: payloads by build, system and day, and those with each cluster.
struct MadeHistory {
  var table = HealthTable()

  private func cell(_ build: DeclaredBuild, _ systems: HealthTable.Stratum) -> HealthTable.Cell {
    HealthTable.Cell(build: BuildOfRecord(app: build.app, version: build.version, build: build.build), stratum: systems)
  }

  /// Adds payloads of one day, and of them those with each cluster.
  mutating func add(
    _ build: DeclaredBuild, _ payloads: Int, _ clusters: [String: Int] = [:], on systems: HealthTable.Stratum = ios18,
    day: Int? = 0, kind: DiagnosticKind = .crash
  ) {
    let cell = cell(build, systems)
    func add(_ number: Int, to count: inout HealthTable.Count) {
      count.payloads += number
      if let day { count.days[ReportingDay(number: Int64(20_000 + day)), default: 0] += number }
    }
    add(payloads, to: &table.accepted[cell, default: .init()])
    table.builds[cell.build, default: 0] += payloads
    for (id, number) in clusters.sorted(by: { $0.key < $1.key }) {
      if !table.clusters.contains(where: { $0.id == id }) {
        table.clusters.append(HealthTable.Cluster(id: id, kind: kind, title: id))
        table.clusters.sort { $0.id < $1.id }
      }
      guard let index = table.clusters.firstIndex(where: { $0.id == id }) else { continue }
      add(number, to: &table.clusters[index].cells[cell, default: .init()])
    }
  }

  /// Adds report-days of a build.
  mutating func addReportDays(_ build: DeclaredBuild, _ days: Int, on systems: HealthTable.Stratum = ios18) {
    table.reportDays[cell(build, systems), default: 0] += days
  }

  /// The state of each cluster in `build`, with why no more is claimed.
  func states(
    _ build: DeclaredBuild, of builds: [DeclaredBuild], _ change: (inout AlertRules) -> Void = { _ in }
  ) -> [String: String] {
    let alerts = alerts(build, of: builds, change)
    return Dictionary(
      uniqueKeysWithValues: alerts.judgements.map { judgement in
        (
          judgement.cluster,
          ([judgement.state.rawValue] + judgement.reservations.map(\.rawValue)).joined(separator: " ")
        )
      })
  }

  func alerts(
    _ build: DeclaredBuild, of builds: [DeclaredBuild], _ change: (inout AlertRules) -> Void = { _ in }
  ) -> Alerts {
    var rules = AlertRules(rules: [AlertRules.Rule(name: "all", owner: "team")])
    change(&rules)
    return Alerts(table, order: BuildOrder(builds), build: build, rules: rules)
  }
}

extension SeededGenerator {
  /// How many of `n` things with probability `p` happen: by inversion, for small `n * p`.
  mutating func binomial(_ n: Int, _ p: Double) -> Int {
    var left = Double(next() >> 11) * 0x1p-53
    var term = 1.0
    for _ in 0..<n { term *= 1 - p }
    var k = 0
    while left >= term, k < n {
      left -= term
      term *= Double(n - k) / Double(k + 1) * p / (1 - p)
      k += 1
    }
    return k
  }
}
