public import Identity

extension SQLiteSignatureStore {
  /// The digest of the rules that the store knows under a name and version; `nil` when it knows none.
  public func rules(version: String) throws(SignatureStoreError) -> ContentDigest? {
    var known: ContentDigest?
    try database.rows("SELECT digest FROM rules WHERE version = ?1", [.text(version)]) {
      row throws(SignatureStoreError) in
      known = try digest(row, 0)
    }
    return known
  }

  /// Remembers which rules go by a name and version; what is known already stays.
  public func note(rules digest: ContentDigest, version: String) throws(SignatureStoreError) {
    try database.run(
      "INSERT OR IGNORE INTO rules (version, digest) VALUES (?1, ?2)", [.text(version), .blob(digest.bytes)])
  }

  /// At most `limit` raw stacks whose keys follow `key` and whose mapping was not derived by these rules, sorted.
  func rawStacks(
    notDerivedBy rules: ContentDigest, after key: ContentDigest?, limit: Int
  ) throws(SignatureStoreError) -> [StoredRawStack] {
    // Most often there is none, which a scan of the small rows tells soonest.
    let any = "SELECT 1 FROM mapping WHERE algorithm = ?1 AND rules <> ?2 LIMIT 1"
    guard try database.number(any, [algorithm, .blob(rules.bytes)]) != nil else { return [] }
    return try rawStacks(
      """
      SELECT key, encoded FROM raw_stacks WHERE key > ?1 AND EXISTS
        (SELECT 1 FROM mapping WHERE raw_stack = raw_stacks.id AND algorithm = ?2 AND rules <> ?3) ORDER BY key LIMIT ?4
      """, [.blob(key?.bytes ?? []), algorithm, .blob(rules.bytes), SQLiteValue(max(0, limit))])
  }

  /// How many diagnostics have each of the raw stacks `keys`; unknown keys are left out. Cost: one look-up each.
  public func diagnosticCounts(_ keys: [ContentDigest]) throws(SignatureStoreError) -> [ContentDigest: Int] {
    var counts: [ContentDigest: Int] = [:]
    for key in keys {
      try database.rows(
        """
        SELECT COUNT(d.raw_stack) FROM raw_stacks r LEFT JOIN diagnostics d ON d.raw_stack = r.id WHERE r.key = ?1
        GROUP BY r.id
        """, [.blob(key.bytes)]
      ) { row throws(SignatureStoreError) in counts[key] = Int(row.integer(0)) }
    }
    return counts
  }
}
