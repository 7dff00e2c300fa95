internal import Diagnostics

extension DiagnosticTally {
  /// What was accepted in each cohort, sorted.
  var cohortCounts: [CohortCount] {
    sorted(byCohort) { key, count in
      let (build, system) = cohorts[Int(key.place)]
      return CohortCount(
        build: builds[Int(build)], system: system, generation: key.generation, payloads: count.payloads,
        diagnostics: count.diagnostics)
    }
  }

  /// What was accepted from each build, sorted.
  var buildCounts: [BuildCount] { sorted(byBuild, buildCount) }

  /// What was accepted on each day, sorted; first what has no day.
  var dayCounts: [DayCount] {
    byDay.sorted { a, b in
      if a.key.day == b.key.day { return a.key.generation.rawValue < b.key.generation.rawValue }
      guard let first = a.key.day, let second = b.key.day else { return a.key.day == nil }
      return first < second
    }.map {
      DayCount(
        day: $0.key.day, generation: $0.key.generation, payloads: $0.value.payloads, diagnostics: $0.value.diagnostics)
    }
  }

  /// Fills in what is counted of each cluster.
  func count(into records: inout [String: ClusterRecord]) {
    func record(_ key: Key, _ fill: (inout ClusterRecord) -> Void) {
      let id = clusterIDs[Int(key.cluster)]
      if let index = records.index(forKey: id) { fill(&records.values[index]) }
    }
    for (key, count) in byCluster { record(key) { $0.payloads[key.generation] = count.payloads } }
    for (key, count) in byClusterAndCohort.sorted(by: { $0.key < $1.key }) {
      let (build, system) = cohorts[Int(key.place)]
      let cohort = ClusterCount(
        build: builds[Int(build)], system: system, generation: key.generation, payloads: count.payloads,
        diagnostics: count.diagnostics)
      record(key) { $0.counts.append(cohort) }
    }
    for (key, count) in byClusterAndBuild.sorted(by: { $0.key < $1.key }) {
      record(key) { $0.builds.append(buildCount(key, count)) }
    }
    for (id, cluster) in zip(clusterIDs, clusters) {
      guard let index = records.index(forKey: id) else { continue }
      records.values[index].diagnostics = cluster.diagnostics
      records.values[index].firstSeen = cluster.first
      records.values[index].lastSeen = cluster.last
      records.values[index].samples = cluster.samples
    }
  }

  private func buildCount(_ key: Key, _ count: Count) -> BuildCount {
    BuildCount(
      build: builds[Int(key.place)], generation: key.generation, payloads: count.payloads,
      diagnostics: count.diagnostics)
  }

  private func sorted<Result>(_ counts: [Key: Count], _ make: (Key, Count) -> Result) -> [Result] {
    counts.sorted { $0.key < $1.key }.map { make($0.key, $0.value) }
  }
}
