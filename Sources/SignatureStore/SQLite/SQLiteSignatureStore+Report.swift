public import Diagnostics
internal import Identity
internal import Signatures

extension SQLiteSignatureStore {
  /// How many examples a cluster shows.
  private static let sampleLimit = 5

  /// From a diagnostic to its cluster.
  private static let toCluster = """
    diagnostics d JOIN mapping m ON m.raw_stack = d.raw_stack AND m.algorithm = ?1
    JOIN forms f ON f.id = m.form JOIN signatures s ON s.id = f.signature JOIN payloads p ON p.id = d.payload
    """

  /// Counts, clusters and missing images. Cost: a few passes over the recorded diagnostics, on one snapshot.
  public func report(calendar: ReportingCalendar) throws(SignatureStoreError) -> StoreReport {
    try database.snapshot { () throws(SignatureStoreError) in
      var report = StoreReport()
      try database.rows("SELECT generation, COUNT(*) FROM payloads GROUP BY generation") {
        row throws(SignatureStoreError) in
        report.payloads[try word(row, 0)] = Int(row.integer(1))
      }
      report.diagnostics = Int(try database.number("SELECT COUNT(*) FROM diagnostics") ?? 0)
      report.suspectedTwins = try suspectedTwins()
      report.cohorts = try cohortCounts()
      report.builds = try buildCounts()
      report.days = try dayCounts(calendar)
      report.reportDays = try reportDayCounts(calendar)
      report.missingImages = try missingImages()
      report.clusters = try clusters()
      return report
    }
  }

  private func suspectedTwins() throws(SignatureStoreError) -> Int {
    let twins = try database.number(
      """
      SELECT COUNT(*) FROM (
        SELECT 1 FROM diagnostics d JOIN payloads p ON p.id = d.payload WHERE p.generation IN ('v1', 'v2')
        GROUP BY d.raw_stack, d.cohort HAVING COUNT(DISTINCT p.generation) = 2)
      """)
    return Int(twins ?? 0)
  }

  private func cohortCounts() throws(SignatureStoreError) -> [CohortCount] {
    var counts: [CohortCount] = []
    try database.rows(
      """
      SELECT b.app, b.version, b.build, b.mixed, c.platform, c.os_version, c.os_build, p.generation,
        COUNT(DISTINCT d.payload), COUNT(*)
      FROM diagnostics d JOIN payloads p ON p.id = d.payload JOIN cohorts c ON c.id = d.cohort JOIN builds b ON b.id = c.build
      GROUP BY c.id, p.generation ORDER BY 1, 4, 2, 3, 5, 6, 7, 8
      """
    ) { row throws(SignatureStoreError) in
      counts.append(
        CohortCount(
          build: build(row, 0), system: system(row, 4), generation: try word(row, 7), payloads: Int(row.integer(8)),
          diagnostics: Int(row.integer(9))))
    }
    return counts
  }

  private func buildCounts() throws(SignatureStoreError) -> [BuildCount] {
    var counts: [BuildCount] = []
    try database.rows(
      """
      SELECT b.app, b.version, b.build, b.mixed, p.generation, COUNT(DISTINCT d.payload), COUNT(*)
      FROM diagnostics d JOIN payloads p ON p.id = d.payload JOIN cohorts c ON c.id = d.cohort JOIN builds b ON b.id = c.build
      GROUP BY b.id, p.generation ORDER BY 1, 4, 2, 3, 5
      """
    ) { row throws(SignatureStoreError) in counts.append(try buildCount(row, 0)) }
    return counts
  }

  /// Build, generation, payloads and diagnostics from `column` on.
  private func buildCount(_ row: SQLiteRow, _ column: Int32) throws(SignatureStoreError) -> BuildCount {
    BuildCount(
      build: build(row, column), generation: try word(row, column + 4), payloads: Int(row.integer(column + 5)),
      diagnostics: Int(row.integer(column + 6)))
  }

  private func clusters() throws(SignatureStoreError) -> [ClusterRecord] {
    var clusters = try namedClusters()
    for (id, states) in try states() { clusters[id]?.states = states }
    try database.rows(
      """
      SELECT s.cluster, b.app, b.version, b.build, b.mixed, c.platform, c.os_version, c.os_build, p.generation,
        COUNT(DISTINCT d.payload), COUNT(*)
      FROM \(SQLiteSignatureStore.toCluster) JOIN cohorts c ON c.id = d.cohort JOIN builds b ON b.id = c.build
      GROUP BY s.cluster, d.cohort, p.generation ORDER BY 1, 2, 5, 3, 4, 6, 7, 8, 9
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      let count = ClusterCount(
        build: build(row, 1), system: system(row, 5), generation: try word(row, 8), payloads: Int(row.integer(9)),
        diagnostics: Int(row.integer(10)))
      clusters[row.text(0) ?? ""]?.counts.append(count)
    }
    try database.rows(
      """
      SELECT s.cluster, b.app, b.version, b.build, b.mixed, p.generation, COUNT(DISTINCT d.payload), COUNT(*)
      FROM \(SQLiteSignatureStore.toCluster) JOIN cohorts c ON c.id = d.cohort JOIN builds b ON b.id = c.build
      GROUP BY s.cluster, b.id, p.generation ORDER BY 1, 2, 5, 3, 4, 6
      """, [algorithm]
    ) { row throws(SignatureStoreError) in clusters[row.text(0) ?? ""]?.builds.append(try buildCount(row, 1)) }
    // A time and whether its zone is known as one number, so that the extremes keep their own zone.
    try database.rows(
      """
      SELECT s.cluster, p.generation, COUNT(DISTINCT d.payload), COUNT(*), MIN(COALESCE(d.ends, d.begins) * 2 + d.zone_known),
        MAX(COALESCE(d.ends, d.begins) * 2 + d.zone_known)
      FROM \(SQLiteSignatureStore.toCluster) GROUP BY s.cluster, p.generation
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      let id = row.text(0) ?? ""
      clusters[id]?.payloads[try word(row, 1)] = Int(row.integer(2))
      clusters[id]?.diagnostics += Int(row.integer(3))
      guard !row.isNull(4) else { return }
      let first = SQLiteSignatureStore.time(row.integer(4))
      let last = SQLiteSignatureStore.time(row.integer(5))
      guard var cluster = clusters[id] else { return }
      cluster.firstSeen = min(cluster.firstSeen ?? first, first)
      cluster.lastSeen = max(cluster.lastSeen ?? last, last)
      clusters[id] = cluster
    }
    try database.rows(
      "SELECT DISTINCT s.cluster, p.digest FROM \(SQLiteSignatureStore.toCluster) ORDER BY 1, 2", [algorithm]
    ) { row throws(SignatureStoreError) in
      let id = row.text(0) ?? ""
      guard let count = clusters[id]?.samples.count, count < SQLiteSignatureStore.sampleLimit else { return }
      clusters[id]?.samples.append(try digest(row, 1))
    }
    let book = try decisions()
    let decided = book?.shown
    try addAliases(&clusters)
    if let book, let decided { book.addAliases(&clusters, decided) }
    try addSuggestions(&clusters, decided)
    return clusters.values.filter { $0.diagnostics > 0 }
      .sorted { $0.diagnostics == $1.diagnostics ? $0.id < $1.id : $0.diagnostics > $1.diagnostics }
  }

  /// The clusters with their names: those of the signature with the most diagnostics, in the least of its forms.
  private func namedClusters() throws(SignatureStoreError) -> [String: ClusterRecord] {
    struct Form {
      var signature: String
      var record: ClusterRecord
      var diagnostics: Int
    }
    var forms: [String: [Form]] = [:]
    try database.rows(
      """
      SELECT s.cluster, f.signature, f.kind, f.family, f.reason, f.title, f.tokens, f.blame, f.quality, f.provisional,
        (SELECT COUNT(*) FROM mapping m JOIN diagnostics d ON d.raw_stack = m.raw_stack
         WHERE m.form = f.id AND m.algorithm = ?1) AS n
      FROM forms f JOIN signatures s ON s.id = f.signature WHERE n > 0 ORDER BY s.cluster, f.signature, f.title, f.tokens
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      let id = row.text(0) ?? ""
      let record = ClusterRecord(
        id: id, signatures: [], kind: try word(row, 2), family: try word(row, 3),
        reasons: [ReasonCount(reason: row.text(4) ?? "", diagnostics: Int(row.integer(10)))], title: row.text(5) ?? "",
        tokens: (row.text(6) ?? "").split(separator: "\u{1f}").map(String.init), blame: row.text(7),
        quality: try word(row, 8), isProvisional: row.integer(9) != 0, diagnostics: 0, payloads: [:], counts: [],
        samples: [], rawStacks: [], aliases: [])
      forms[id, default: []].append(
        Form(signature: row.text(1) ?? "", record: record, diagnostics: Int(row.integer(10))))
    }
    var clusters: [String: ClusterRecord] = [:]
    var naming: Set<String> = []
    for (id, forms) in forms {
      var bySignature: [String: Int] = [:]
      var reasons: [String: Int] = [:]
      for form in forms {
        bySignature[form.signature, default: 0] += form.diagnostics
        for reason in form.record.reasons { reasons[reason.reason, default: 0] += reason.diagnostics }
      }
      let leading = bySignature.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }.first?.key
      let shown = forms.filter { $0.signature == leading }
      guard var record = shown.first?.record, let leading else { continue }
      naming.insert(leading)
      // One signature can have been read from poorer stacks too.
      if shown.contains(where: { $0.record.quality == .normal }) { record.quality = .normal }
      record.signatures = bySignature.keys.sorted()
      record.reasons = reasons.map { ReasonCount(reason: $0.key, diagnostics: $0.value) }
        .sorted { $0.diagnostics == $1.diagnostics ? $0.reason < $1.reason : $0.diagnostics > $1.diagnostics }
      clusters[id] = record
    }
    try database.rows(
      """
      SELECT s.cluster, r.key, s.id FROM raw_stacks r JOIN mapping m ON m.raw_stack = r.id AND m.algorithm = ?1
      JOIN forms f ON f.id = m.form JOIN signatures s ON s.id = f.signature ORDER BY r.key
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      let id = row.text(0) ?? ""
      if clusters[id]?.namedBy == nil, naming.contains(row.text(2) ?? "") { clusters[id]?.namedBy = try digest(row, 1) }
      guard let count = clusters[id]?.rawStacks.count, count < SQLiteSignatureStore.sampleLimit else { return }
      clusters[id]?.rawStacks.append(try digest(row, 1))
    }
    return clusters
  }

  /// Adds to each cluster the dead ids that lead to it.
  private func addAliases(_ clusters: inout [String: ClusterRecord]) throws(SignatureStoreError) {
    var home: [String: String] = [:]
    for (id, cluster) in clusters { for signature in cluster.signatures { home[signature] = id } }
    var next: [String: [String]] = [:]
    try database.rows("SELECT old, new FROM aliases ORDER BY old, new") { row throws(SignatureStoreError) in
      next[row.text(0) ?? "", default: []].append(row.text(1) ?? "")
    }
    var found: [String: Set<String>] = [:]
    // A cluster can live on by what people put into it.
    for old in next.keys where home[old] == nil && clusters[old] == nil {
      var seen: Set<String> = [old]
      var pending = [old]
      while let id = pending.popLast() {
        if let cluster = home[id] {
          if cluster != old { found[cluster, default: []].insert(old) }
          continue
        }
        for new in next[id] ?? [] where seen.insert(new).inserted { pending.append(new) }
      }
    }
    for (cluster, aliases) in found { clusters[cluster]?.aliases = aliases.sorted() }
  }

  /// Checks the file, its references, and every raw stack against its key; the findings in words.
  public func verify() throws(SignatureStoreError) -> [String] {
    try database.snapshot { () throws(SignatureStoreError) in
      var findings: [String] = []
      try database.rows("PRAGMA integrity_check(20)") { row throws(SignatureStoreError) in
        if let text = row.text(0), text != "ok" { findings.append(text) }
      }
      try database.rows("PRAGMA foreign_key_check") { row throws(SignatureStoreError) in
        findings.append("\(row.text(0) ?? "?") row \(row.integer(1)) refers to nothing in \(row.text(2) ?? "?")")
      }
      try database.rows(
        """
        SELECT key, encoded, (SELECT COUNT(*) FROM mapping WHERE raw_stack = id AND algorithm = ?1) FROM raw_stacks ORDER BY key
        """, [algorithm]
      ) { row throws(SignatureStoreError) in
        let key = try digest(row, 0)
        do {
          if try rawStack(row, 1).key != key { findings.append("raw stack \(key) does not have this key") }
        } catch {
          findings.append("raw stack \(key): \(error)")
        }
        if row.integer(2) == 0 { findings.append("raw stack \(key) has no signature") }
      }
      findings += try unreadableJudgements().map { "the judgement of \($0) cannot be read" }
      findings += try factFindings()
      return findings
    }
  }

  // MARK: Columns

  func build(_ row: SQLiteRow, _ column: Int32) -> BuildOfRecord {
    BuildOfRecord(
      app: row.text(column), version: row.text(column + 1), build: row.text(column + 2),
      isMixed: row.integer(column + 3) != 0)
  }

  func system(_ row: SQLiteRow, _ column: Int32) -> OperatingSystem {
    OperatingSystem(platform: row.text(column), version: row.text(column + 1), build: row.text(column + 2))
  }

  private static func time(_ packed: Int64) -> PointInTime {
    PointInTime(seconds: packed >> 1, isZoneKnown: packed & 1 != 0)
  }
}
