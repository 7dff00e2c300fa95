public import Diagnostics

extension SQLiteSignatureStore {
  /// What was accepted of one app, cell by cell. Cost: one pass over its diagnostics, on one snapshot; memory follows the cells.
  public func health(
    app: String, generation: PayloadGeneration, calendar: ReportingCalendar
  ) throws(SignatureStoreError) -> HealthTable {
    try database.snapshot { () throws(SignatureStoreError) in
      var tally = try HealthTally(self, app: app, generation: generation, calendar: calendar)
      try tally.count(self)
      return try tally.table(self)
    }
  }

  /// The apps of which diagnostics were recorded, sorted.
  public func apps() throws(SignatureStoreError) -> [String] {
    var apps: [String] = []
    try database.rows("SELECT DISTINCT app FROM builds WHERE app <> '' ORDER BY app") {
      row throws(SignatureStoreError) in apps.append(row.text(0) ?? "")
    }
    return apps
  }
}

/// Counts the payloads of one app in one pass, in the order of the payloads, so that one that has a cell twice counts once.
private struct HealthTally {
  private let app: String
  private let generation: PayloadGeneration
  private let calendar: ReportingCalendar
  private var cells: [Int64: HealthTable.Cell] = [:]
  private var clusterOfStack: [Int64: (cluster: Int, kind: DiagnosticKind, title: String)] = [:]
  /// How many diagnostics each title of a cluster has.
  private var titles: [[String: Int]] = []
  private var clusters: [HealthTable.Cluster] = []
  private var accepted: [HealthTable.Cell: Once] = [:]
  private var builds: [BuildOfRecord: Once] = [:]
  private var kinds: [BuildOfRecord: [DiagnosticKind: Once]] = [:]
  private var others: [PayloadGeneration: Once] = [:]
  private var mixed = Once()
  private var ofClusters: [[HealthTable.Cell: Once]] = []

  /// A number of payloads that come one after the other.
  private struct Once {
    var count = HealthTable.Count()
    private var last: Int64 = -1
    private var lastOfDay: [ReportingDay: Int64] = [:]

    init() {}

    mutating func add(_ payload: Int64, on day: ReportingDay?) {
      if payload != last { count.payloads += 1 }
      last = payload
      guard let day, lastOfDay[day] != payload else { return }
      lastOfDay[day] = payload
      count.days[day, default: 0] += 1
    }
  }

  init(
    _ store: SQLiteSignatureStore, app: String, generation: PayloadGeneration, calendar: ReportingCalendar
  ) throws(SignatureStoreError) {
    (self.app, self.generation, self.calendar) = (app, generation, calendar)
    try readCells(store)
    try readClusters(store)
  }

  private mutating func readCells(_ store: SQLiteSignatureStore) throws(SignatureStoreError) {
    try store.database.rows(
      """
      SELECT c.id, b.app, b.version, b.build, b.mixed, c.platform, c.os_version, c.os_build
      FROM cohorts c JOIN builds b ON b.id = c.build WHERE b.app = ?1
      """, [.text(app)]
    ) { row throws(SignatureStoreError) in
      cells[row.integer(0)] = HealthTable.Cell(
        build: store.build(row, 1), stratum: HealthTable.Stratum(store.system(row, 5)))
    }
  }

  /// The clusters that people see, each with the raw stacks that are in it. A cluster proves nothing while all of its names may
  /// still change, or tell too little.
  private mutating func readClusters(_ store: SQLiteSignatureStore) throws(SignatureStoreError) {
    try store.database.rows(
      """
      SELECT s.cluster, m.raw_stack, f.kind, f.title, f.provisional, f.quality FROM mapping m JOIN forms f ON f.id = m.form
      JOIN signatures s ON s.id = f.signature WHERE m.algorithm = ?1 ORDER BY s.cluster, f.title
      """, [store.algorithm]
    ) { row throws(SignatureStoreError) in
      let id = row.text(0) ?? ""
      let kind: DiagnosticKind = try store.word(row, 2)
      if clusters.last?.id != id {
        clusters.append(HealthTable.Cluster(id: id, kind: kind, title: "", isUnproven: true))
      }
      let last = clusters.count - 1
      clusterOfStack[row.integer(1)] = (last, kind, row.text(3) ?? "")
      if row.integer(4) == 0, row.text(5) == "normal" { clusters[last].isUnproven = false }
    }
    titles = Array(repeating: [:], count: clusters.count)
    ofClusters = Array(repeating: [:], count: clusters.count)
  }

  mutating func count(_ store: SQLiteSignatureStore) throws(SignatureStoreError) {
    try store.eachDiagnostic { diagnostic throws(SignatureStoreError) in
      guard let cell = cells[diagnostic.cohort] else { return }
      let payload = diagnostic.payload
      guard diagnostic.generation == generation else {
        return others[diagnostic.generation, default: Once()].add(payload, on: nil)
      }
      guard !cell.build.isMixed else { return mixed.add(payload, on: nil) }
      let day = ReportingDay(from: diagnostic.begin, to: diagnostic.end, in: calendar)
      accepted[cell, default: Once()].add(payload, on: day)
      builds[cell.build, default: Once()].add(payload, on: nil)
      guard let (cluster, kind, title) = clusterOfStack[diagnostic.rawStack] else { return }
      kinds[cell.build, default: [:]][kind, default: Once()].add(payload, on: nil)
      titles[cluster][title, default: 0] += 1
      ofClusters[cluster][cell, default: Once()].add(payload, on: day)
    }
  }

  func table(_ store: SQLiteSignatureStore) throws(SignatureStoreError) -> HealthTable {
    var table = HealthTable()
    table.accepted = accepted.mapValues(\.count)
    table.builds = builds.mapValues(\.count.payloads)
    table.kinds = kinds.mapValues { $0.mapValues(\.count.payloads) }
    table.mixed = mixed.count.payloads
    table.otherGenerations = others.mapValues(\.count.payloads)
    for (index, cluster) in clusters.enumerated() where !ofClusters[index].isEmpty {
      var cluster = cluster
      // By its commonest name.
      cluster.title = titles[index].max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
      cluster.cells = ofClusters[index].mapValues(\.count)
      table.clusters.append(cluster)
    }
    for count in try store.reportDayCounts(calendar) where count.build.app == app && !count.build.isMixed {
      let cell = HealthTable.Cell(build: count.build, stratum: HealthTable.Stratum(count.system))
      table.reportDays[cell, default: 0] += count.total
    }
    return table
  }
}
