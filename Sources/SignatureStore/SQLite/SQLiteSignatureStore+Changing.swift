internal import Diagnostics
public import Identity

extension SQLiteSignatureStore {
  /// Runs `body` as one transaction and tells what is other than before.
  ///
  /// The former state of each raw stack that is mapped meanwhile is kept in a table of the connection, on disk when it is large.
  /// Cost: one row for each of them, and one pass over their diagnostics.
  public func changing(
    isDryRun: Bool, _ body: () throws(SignatureStoreError) -> RemapOutcome
  ) throws(SignatureStoreError) -> StoreChanges {
    try database.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS former (
        raw_stack INTEGER PRIMARY KEY, form INTEGER, signature TEXT, cluster TEXT, provisional INTEGER
      ) STRICT;
      DELETE FROM temp.former
      """)
    keepsFormer = true
    defer { keepsFormer = false }
    return try database.transaction(isKept: !isDryRun) { () throws(SignatureStoreError) in
      let outcome = try body()
      var changes = try changes()
      changes.aliases = outcome.aliases
      // Only now: what is compared must still be there.
      try dropUnusedForms()
      return changes
    }
  }

  /// Keeps how a raw stack was mapped before it was mapped anew for the first time.
  func keepFormer(_ rawStack: Int64) throws(SignatureStoreError) {
    guard keepsFormer else { return }
    try database.run(
      """
      INSERT OR IGNORE INTO temp.former
      SELECT r.id, f.id, f.signature, s.cluster, f.provisional FROM raw_stacks r
      LEFT JOIN mapping m ON m.raw_stack = r.id AND m.algorithm = ?2
      LEFT JOIN forms f ON f.id = m.form LEFT JOIN signatures s ON s.id = f.signature WHERE r.id = ?1
      """, [.integer(rawStack), algorithm])
  }

  /// What differs from the former state.
  private func changes() throws(SignatureStoreError) -> StoreChanges {
    let changed = """
      temp.former o JOIN mapping m ON m.raw_stack = o.raw_stack AND m.algorithm = ?1
      JOIN forms f ON f.id = m.form JOIN signatures s ON s.id = f.signature
      """
    let isOther = "o.form IS NOT f.id OR o.cluster IS NOT s.cluster"
    let counts = """
      COUNT(DISTINCT o.raw_stack), COUNT(d.raw_stack), SUM(d.raw_stack IS NOT NULL AND o.signature IS NOT f.signature),
      SUM(d.raw_stack IS NOT NULL AND o.provisional IS 1 AND f.provisional = 0)
      """
    var changes = StoreChanges()
    try database.rows(
      """
      SELECT \(counts), SUM(d.raw_stack IS NOT NULL AND o.cluster IS NOT s.cluster)
      FROM \(changed) LEFT JOIN diagnostics d ON d.raw_stack = o.raw_stack WHERE \(isOther)
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      changes.stacks = Int(row.integer(0))
      changes.diagnostics = Int(row.integer(1))
      changes.moved = Int(row.integer(2))
      changes.settled = Int(row.integer(3))
      changes.reclustered = Int(row.integer(4))
    }
    try database.rows(
      """
      SELECT b.app, b.version, b.build, b.mixed, \(counts)
      FROM \(changed) JOIN diagnostics d ON d.raw_stack = o.raw_stack JOIN cohorts c ON c.id = d.cohort
      JOIN builds b ON b.id = c.build WHERE \(isOther) GROUP BY b.id ORDER BY 1, 4, 2, 3
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      changes.builds.append(
        BuildChange(
          build: build(row, 0), stacks: Int(row.integer(4)), diagnostics: Int(row.integer(5)),
          moved: Int(row.integer(6)), settled: Int(row.integer(7))))
    }
    return changes
  }

  /// Removes the forms that no raw stack has any more, of signatures that have others: what a signature read like with poorer
  /// symbols would be shown by chance. The last form of an id that was told stays.
  private func dropUnusedForms() throws(SignatureStoreError) {
    try database.run(
      """
      DELETE FROM forms WHERE NOT EXISTS (SELECT 1 FROM mapping m WHERE m.form = forms.id) AND EXISTS (
        SELECT 1 FROM forms f JOIN mapping m ON m.form = f.id WHERE f.signature = forms.signature)
      """)
  }

  /// Takes back which signatures belong together by themselves: each is a cluster of its own again, and none was judged.
  /// To be called within `changing`, before `judgeNewSignatures`.
  public func foundAnew() throws(SignatureStoreError) {
    try database.transaction { () throws(SignatureStoreError) in
      try database.execute(
        "DELETE FROM judgements; DELETE FROM suggestions; UPDATE signatures SET automatic = id, cluster = id")
    }
  }

  /// Lets each id that has no raw stacks any more follow the larger part of what it became: so does what was said of the cluster
  /// that it once founded. To be called when all are judged.
  public func settleFormerSignatures() throws(SignatureStoreError) {
    try database.transaction { () throws(SignatureStoreError) in
      let book = try book()
      for id in book.automatic.keys.sorted() where !book.live.contains(id) {
        guard let bearer = book.bearer(of: id), let cluster = book.automatic[bearer] else { continue }
        try database.run("UPDATE signatures SET automatic = ?2 WHERE id = ?1", [.text(id), .text(cluster)])
      }
      try showClusters()
    }
  }

  /// The images without symbols that diagnostics wait for. Cost: one look-up for each raw stack that waits.
  public func missingImages() throws(SignatureStoreError) -> [MissingImage] {
    var images: [MissingImage] = []
    try database.rows(
      """
      SELECT w.debug_id, MIN(w.name), SUM(w.frames), COUNT(*) FROM waits w JOIN diagnostics d ON d.raw_stack = w.raw_stack
      GROUP BY w.debug_id ORDER BY 4 DESC, 1
      """
    ) { row throws(SignatureStoreError) in
      guard let id = DebugID(bytes: row.bytes(0)) else { throw damaged("a debug identifier is none") }
      images.append(
        MissingImage(debugID: id, name: row.text(1), frames: Int(row.integer(2)), diagnostics: Int(row.integer(3))))
    }
    return images
  }

  /// At most `limit` of the selected raw stacks that follow the one with `key`. Cost: for those that wait one look-up each; for the
  /// others a pass over the raw stacks up to the last one that is given.
  public func rawStacks(
    _ selection: StackSelection, after key: ContentDigest?, limit: Int
  ) throws(SignatureStoreError) -> [StoredRawStack] {
    let first: [SQLiteValue] = [.blob(key?.bytes ?? []), SQLiteValue(max(0, limit))]
    let select = "SELECT key, encoded FROM raw_stacks r WHERE key > ?1"
    let order = "ORDER BY key LIMIT ?2"
    return switch selection {
    case .all: try rawStacks("\(select) \(order)", first)
    case .notDerivedBy(let rules): try rawStacks(notDerivedBy: rules, after: key, limit: limit)
    case .waitingFor(let image):
      // By their rows, in which order they lie here: an image that few wait for must not cost a pass over all.
      try rawStacks(
        """
        SELECT key, encoded FROM waits JOIN raw_stacks r ON r.id = raw_stack WHERE debug_id = ?3
          AND raw_stack > COALESCE((SELECT id FROM raw_stacks WHERE key = ?1), 0) ORDER BY raw_stack LIMIT ?2
        """, first + [.blob(image.bytes)])
    case .ofBuild(let build):
      try rawStacks(
        """
        \(select) AND EXISTS (
          SELECT 1 FROM diagnostics d JOIN cohorts c ON c.id = d.cohort JOIN builds b ON b.id = c.build
          WHERE d.raw_stack = r.id AND b.build = ?3) \(order)
        """, first + [.text(build)])
    case .ofSignature(let id):
      try rawStacks(
        """
        \(select) AND id IN (
          SELECT m.raw_stack FROM forms f JOIN mapping m ON m.form = f.id AND m.algorithm = ?4 WHERE f.signature = ?3) \(order)
        """, first + [.text(id), algorithm])
    }
  }
}
