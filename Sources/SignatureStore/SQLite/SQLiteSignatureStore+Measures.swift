internal import Diagnostics

extension SQLiteSignatureStore {
  /// The distributions of each cluster, sorted by build, generation and measure.
  ///
  /// Equal values are counted before they leave the engine, so memory follows the distinct values and not the diagnostics.
  /// Cost: a sort of what was measured.
  func distributions() throws(SignatureStoreError) -> [String: [Distribution]] {
    struct Key: Hashable {
      var cluster: String
      var build: Int64
      var generation: PayloadGeneration
      var measure: Measure
    }
    var builds: [Int64: BuildOfRecord] = [:]
    try database.rows("SELECT id, app, version, build, mixed FROM builds") { row throws(SignatureStoreError) in
      builds[row.integer(0)] = build(row, 1)
    }
    var clusters: [Int64: String] = [:]
    try database.rows("SELECT f.id, s.cluster FROM forms f JOIN signatures s ON s.id = f.signature") {
      row throws(SignatureStoreError) in clusters[row.integer(0)] = row.text(1) ?? ""
    }
    var values: [Key: [Int64: Int]] = [:]
    try database.rows(
      """
      SELECT m.form, c.build, p.generation, v.measure, v.parts, COUNT(*)
      FROM measures v JOIN diagnostics d ON d.payload = v.payload AND d.ordinal = v.ordinal
      JOIN payloads p ON p.id = v.payload JOIN cohorts c ON c.id = d.cohort
      JOIN mapping m ON m.raw_stack = d.raw_stack AND m.algorithm = ?1
      GROUP BY 1, 2, 3, 4, 5
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      guard let cluster = clusters[row.integer(0)] else { throw damaged("a form vanished") }
      let key = Key(cluster: cluster, build: row.integer(1), generation: try word(row, 2), measure: try word(row, 3))
      values[key, default: [:]][row.integer(4), default: 0] += Int(row.integer(5))
    }
    var found: [String: [Distribution]] = [:]
    for (key, values) in values {
      guard let build = builds[key.build] else { throw damaged("a build vanished") }
      found[key.cluster, default: []].append(
        Distribution(build: build, generation: key.generation, measure: key.measure, values: values))
    }
    return found.mapValues { $0.sorted(by: Self.precedes) }
  }

  private static func precedes(_ a: Distribution, _ b: Distribution) -> Bool {
    if a.build != b.build { return a.build < b.build }
    return (a.generation.rawValue, a.measure.rawValue) < (b.generation.rawValue, b.measure.rawValue)
  }

  /// Records what diagnostic `ordinal` of `payload` measured.
  func insert(
    _ values: [MeasuredValue], of payload: Int64, _ ordinal: Int
  ) throws(SignatureStoreError) {
    for value in values {
      try database.run(
        "INSERT OR IGNORE INTO measures (payload, ordinal, measure, parts) VALUES (?1, ?2, ?3, ?4)",
        [.integer(payload), SQLiteValue(ordinal), .text(value.measure.rawValue), .integer(value.parts)])
    }
  }
}
