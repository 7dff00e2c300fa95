internal import Diagnostics
public import Identity
public import Signatures

/// What an explanation asks of the store. Nothing here writes.
extension SQLiteSignatureStore {
  /// The aliases that lead from `id` to live signatures. Cost: one look-up for each of them.
  public func aliases(from id: String) throws(SignatureStoreError) -> [SignatureAlias] {
    try database.snapshot { () throws(SignatureStoreError) in
      var found: [SignatureAlias] = []
      var seen: Set<String> = [id]
      var pending = [id][...]
      while let next = pending.popFirst() {
        if try isLive(next) { continue }
        try database.rows("SELECT new, kind FROM aliases WHERE old = ?1 ORDER BY new", [.text(next)]) {
          row throws(SignatureStoreError) in
          guard let new = row.text(0) else { return }
          found.append(SignatureAlias(old: next, new: new, kind: try word(row, 1)))
          if seen.insert(new).inserted { pending.append(new) }
        }
      }
      return found
    }
  }

  /// What is known of a signature. Cost: one look-up for each of its raw stacks.
  public func entry(ofSignature id: String) throws(SignatureStoreError) -> SignatureEntry? {
    try database.snapshot { () throws(SignatureStoreError) in
      var entry: SignatureEntry?
      try database.rows("SELECT cluster FROM signatures WHERE id = ?1", [.text(id)]) {
        row throws(SignatureStoreError) in
        entry = SignatureEntry(id: id, cluster: row.text(0) ?? id, title: nil, isLive: false, diagnostics: 0)
      }
      guard var entry else { return nil }
      // Of several forms the one that says most, then the first by its text: a choice that no order of arrival changes.
      try database.rows(
        "SELECT title FROM forms WHERE signature = ?1 ORDER BY quality <> 'normal', title LIMIT 1", [.text(id)]
      ) { row throws(SignatureStoreError) in entry.title = row.text(0) }
      entry.isLive = try isLive(id)
      entry.diagnostics = Int(
        try database.number(
          """
          SELECT COUNT(*) FROM forms f JOIN mapping m ON m.form = f.id AND m.algorithm = ?2
          JOIN diagnostics d ON d.raw_stack = m.raw_stack WHERE f.signature = ?1
          """, [.text(id), algorithm]) ?? 0)
      return entry
    }
  }

  /// The raw stack that stands for a signature. Cost: one look-up for each of its raw stacks.
  public func example(ofSignature id: String) throws(SignatureStoreError) -> ClusterStack? {
    var found: ClusterStack?
    try database.rows(
      """
      SELECT r.key, r.encoded, (SELECT COUNT(*) FROM diagnostics d WHERE d.raw_stack = r.id) AS seen
      FROM forms f JOIN mapping m ON m.form = f.id AND m.algorithm = ?2 JOIN raw_stacks r ON r.id = m.raw_stack
      WHERE f.signature = ?1 ORDER BY seen DESC, r.key LIMIT 1
      """, [.text(id), algorithm]
    ) { row throws(SignatureStoreError) in
      found = ClusterStack(
        rawStack: StoredRawStack(key: try digest(row, 0), stack: try rawStack(row, 1)), signature: id,
        diagnostics: Int(row.integer(2)))
    }
    return found
  }

  /// Other clusters that may be one problem with `cluster`; those that have nothing left are no suggestion.
  public func suggestedMerges(ofCluster cluster: String) throws(SignatureStoreError) -> [SimilarCluster] {
    var found: [SimilarCluster] = []
    try database.rows(
      """
      SELECT other, score FROM (
        SELECT second AS other, score FROM suggestions WHERE first = ?1
        UNION ALL SELECT first, score FROM suggestions WHERE second = ?1
      ) WHERE EXISTS (
        SELECT 1 FROM signatures s JOIN forms f ON f.signature = s.id
        JOIN mapping m ON m.form = f.id AND m.algorithm = ?2 WHERE s.cluster = other
      ) ORDER BY score DESC, other
      """, [.text(cluster), algorithm]
    ) { row throws(SignatureStoreError) in
      found.append(SimilarCluster(cluster: row.text(0) ?? "", score: Int(row.integer(1))))
    }
    return found
  }

  /// Recorded payloads whose digests begin with `prefix`. Cost: one look-up.
  public func payloads(beginningWith prefix: String, limit: Int) throws(SignatureStoreError) -> [ContentDigest] {
    func bound(_ digit: Character) -> ContentDigest? {
      prefix.utf8.count > 64
        ? nil : ContentDigest(hex: prefix + String(repeating: digit, count: 64 - prefix.utf8.count))
    }
    guard let least = bound("0"), let greatest = bound("f") else { return [] }
    var found: [ContentDigest] = []
    try database.rows(
      "SELECT digest FROM payloads WHERE digest BETWEEN ?1 AND ?2 ORDER BY digest LIMIT ?3",
      [.blob(least.bytes), .blob(greatest.bytes), SQLiteValue(max(0, limit))]
    ) { row throws(SignatureStoreError) in found.append(try digest(row, 0)) }
    return found
  }

  /// How the stack of a diagnostic was chosen.
  public func attribution(
    ofDiagnostic ordinal: Int, in payload: ContentDigest
  ) throws(SignatureStoreError) -> Attribution? {
    var found: Attribution?
    try database.rows(
      """
      SELECT d.basis, d.confidence FROM payloads p JOIN diagnostics d ON d.payload = p.id
      WHERE p.digest = ?1 AND d.ordinal = ?2
      """, [.blob(payload.bytes), SQLiteValue(ordinal)]
    ) { row throws(SignatureStoreError) in
      found = Attribution(stack: nil, basis: try word(row, 0), confidence: try word(row, 1))
    }
    return found
  }
}
