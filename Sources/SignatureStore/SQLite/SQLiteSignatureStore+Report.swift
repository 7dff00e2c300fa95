public import Diagnostics
internal import Identity
internal import Signatures

extension SQLiteSignatureStore {
  /// Counts, clusters and missing images. Cost: one pass over the recorded diagnostics, on one snapshot.
  public func report(calendar: ReportingCalendar) throws(SignatureStoreError) -> StoreReport {
    try database.snapshot { () throws(SignatureStoreError) in
      var report = StoreReport()
      try database.rows("SELECT generation, COUNT(*) FROM payloads GROUP BY generation") {
        row throws(SignatureStoreError) in
        report.payloads[try word(row, 0)] = Int(row.integer(1))
      }
      let tally = try DiagnosticTally(self, calendar: calendar)
      report.diagnostics = tally.diagnostics
      report.cohorts = tally.cohortCounts
      report.builds = tally.buildCounts
      report.days = tally.dayCounts
      report.reportDays = try reportDayCounts(calendar)
      report.missingImages = try missingImages()
      report.clusters = try clusters(tally)
      if report.payloads[.v1] != nil, report.payloads[.v2] != nil { report.suspectedTwins = try suspectedTwins() }
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

  private func clusters(_ tally: DiagnosticTally) throws(SignatureStoreError) -> [ClusterRecord] {
    var clusters = try namedClusters(tally)
    for (id, states) in try states() { clusters[id]?.states = states }
    for (id, distributions) in try distributions() { clusters[id]?.distributions = distributions }
    tally.count(into: &clusters)
    let book = try decisions()
    let decided = book?.shown
    try addAliases(&clusters)
    if let book, let decided { book.addAliases(&clusters, decided) }
    try addSuggestions(&clusters, decided)
    return clusters.values.filter { $0.diagnostics > 0 }
      .sorted { $0.diagnostics == $1.diagnostics ? $0.id < $1.id : $0.diagnostics > $1.diagnostics }
  }

  /// The clusters with their names: those of the signature with the most diagnostics, in the least of its forms.
  private func namedClusters(_ tally: DiagnosticTally) throws(SignatureStoreError) -> [String: ClusterRecord] {
    struct Form {
      var signature: String
      var record: ClusterRecord
      var diagnostics: Int
    }
    var diagnostics: [Int64: Int] = [:]
    try database.rows("SELECT form, raw_stack FROM mapping WHERE algorithm = ?1", [algorithm]) {
      row throws(SignatureStoreError) in
      diagnostics[row.integer(0), default: 0] += tally.ofRawStack[row.integer(1)] ?? 0
    }
    var forms: [String: [Form]] = [:]
    try database.rows(
      """
      SELECT s.cluster, f.signature, f.kind, f.family, f.reason, f.title, f.tokens, f.blame, f.quality, f.provisional, f.id
      FROM forms f JOIN signatures s ON s.id = f.signature ORDER BY s.cluster, f.signature, f.title, f.tokens
      """
    ) { row throws(SignatureStoreError) in
      guard let count = diagnostics[row.integer(10)], count > 0 else { return }
      let id = row.text(0) ?? ""
      let record = ClusterRecord(
        id: id, signatures: [], kind: try word(row, 2), family: try word(row, 3),
        reasons: [ReasonCount(reason: row.text(4) ?? "", diagnostics: count)], title: row.text(5) ?? "",
        tokens: (row.text(6) ?? "").split(separator: "\u{1f}").map(String.init), blame: row.text(7),
        quality: try word(row, 8), isProvisional: row.integer(9) != 0, diagnostics: 0, payloads: [:], counts: [],
        samples: [], rawStacks: [], aliases: [])
      forms[id, default: []].append(
        Form(signature: row.text(1) ?? "", record: record, diagnostics: count))
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
      guard let count = clusters[id]?.rawStacks.count, count < DiagnosticTally.sampleLimit else { return }
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
}
