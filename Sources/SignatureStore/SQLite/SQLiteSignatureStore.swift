internal import Bytes
internal import Diagnostics
internal import Glibc
public import Identity
internal import Signatures

/// The embedded engine: one SQLite file in write-ahead mode, readable by others while one process writes.
///
/// One value is one connection and is used by one task at a time.
public final class SQLiteSignatureStore: SignatureStore {
  /// The name of the file in a store's folder.
  public static let fileName = "symclust.sqlite"

  let database: SQLiteConnection
  /// Mappings of other versions of the algorithm are kept beside this one.
  let algorithm = SQLiteValue(Signature.algorithmVersion)
  /// Whether `changing` is at work, which wants to know what was before.
  var keepsFormer = false

  /// Opens the store at `path`; makes it when there is no file and `createIfMissing` says so. Its folder must exist.
  ///
  /// Throws when the file is not a store, damaged, newer, locked or out of reach; it is then left as it was.
  /// Waits up to `busyMilliseconds` whenever another process is writing.
  public init(path: String, createIfMissing: Bool = true, busyMilliseconds: Int32 = 5000) throws(SignatureStoreError) {
    if createIfMissing, !PathName.exists(path), errno == ENOENT { try SQLiteSchema.create(at: path) }
    try SQLiteSchema.checkHeader(of: path)
    database = try SQLiteConnection(path: path, busyMilliseconds: busyMilliseconds)
    // The file may be hostile: it must not run functions through its schema.
    try database.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON")
    try SQLiteSchema.check(database)
    try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    // Keys are digests, which fall anywhere: with SQLite's own 2 MB most look-ups would read the file again.
    try database.execute("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY")
  }

  // MARK: Looking up

  /// Which of `payloads` are recorded already. Cost: one look-up each.
  public func known(payloads: [ContentDigest]) throws(SignatureStoreError) -> Set<ContentDigest> {
    try known(payloads, "SELECT 1 FROM payloads WHERE digest = ?1", [])
  }

  /// Which of the raw stacks `keys` have a signature already. Cost: one look-up each.
  public func known(rawStacks keys: [ContentDigest]) throws(SignatureStoreError) -> Set<ContentDigest> {
    try known(
      keys,
      """
      SELECT 1 FROM raw_stacks JOIN mapping ON mapping.raw_stack = raw_stacks.id WHERE key = ?1 AND algorithm = ?2
      """, [algorithm])
  }

  private func known(
    _ digests: [ContentDigest], _ sql: String, _ values: [SQLiteValue]
  ) throws(SignatureStoreError) -> Set<ContentDigest> {
    try database.snapshot { () throws(SignatureStoreError) in
      var found: Set<ContentDigest> = []
      for digest in digests where try database.number(sql, [.blob(digest.bytes)] + values) != nil {
        found.insert(digest)
      }
      return found
    }
  }

  /// The revision of each image's symbols that the mapping was derived with.
  public func symbolRevisions() throws(SignatureStoreError) -> [DebugID: ContentDigest] {
    var revisions: [DebugID: ContentDigest] = [:]
    try database.rows("SELECT debug_id, revision FROM symbols", []) { row throws(SignatureStoreError) in
      guard let id = DebugID(bytes: row.bytes(0)) else { throw damaged("a debug identifier cannot be read") }
      revisions[id] = try digest(row, 1)
    }
    return revisions
  }

  /// Notes which symbols the mapping is derived with.
  public func note(symbolRevisions: [DebugID: ContentDigest]) throws(SignatureStoreError) {
    try database.transaction { () throws(SignatureStoreError) in
      for (id, revision) in symbolRevisions {
        try database.run(
          "INSERT OR REPLACE INTO symbols (debug_id, revision) VALUES (?1, ?2)",
          [.blob(id.bytes), .blob(revision.bytes)])
      }
    }
  }

  /// Forgets by which symbols the mapping was derived.
  public func forgetSymbolRevisions() throws(SignatureStoreError) { try database.execute("DELETE FROM symbols") }

  /// The raw stacks with these keys, in their order; unknown keys are passed over. Cost: one look-up each.
  public func rawStacks(_ keys: [ContentDigest]) throws(SignatureStoreError) -> [StoredRawStack] {
    var stacks: [StoredRawStack] = []
    for key in keys {
      stacks += try rawStacks("SELECT key, encoded FROM raw_stacks WHERE key = ?1", [.blob(key.bytes)])
    }
    return stacks
  }

  func rawStacks(_ sql: String, _ values: [SQLiteValue]) throws(SignatureStoreError) -> [StoredRawStack] {
    var stacks: [StoredRawStack] = []
    try database.rows(sql, values) { row throws(SignatureStoreError) in
      stacks.append(StoredRawStack(key: try digest(row, 0), stack: try rawStack(row, 1)))
    }
    return stacks
  }

  /// The raw stacks of `cluster`.
  public func rawStacks(ofCluster cluster: String) throws(SignatureStoreError) -> [ClusterStack] {
    var stacks: [ClusterStack] = []
    try database.rows(
      """
      SELECT r.key, r.encoded, s.id, (SELECT COUNT(*) FROM diagnostics d WHERE d.raw_stack = r.id)
      FROM signatures s JOIN forms f ON f.signature = s.id JOIN mapping m ON m.form = f.id AND m.algorithm = ?2
      JOIN raw_stacks r ON r.id = m.raw_stack WHERE s.cluster = ?1 ORDER BY r.key
      """, [.text(cluster), algorithm]
    ) { row throws(SignatureStoreError) in
      stacks.append(
        ClusterStack(
          rawStack: StoredRawStack(key: try digest(row, 0), stack: try rawStack(row, 1)), signature: row.text(2) ?? "",
          diagnostics: Int(row.integer(3))))
    }
    return stacks
  }

  /// The diagnostics of the payloads that follow `payload`.
  public func diagnostics(
    after payload: ContentDigest?, limit: Int
  ) throws(SignatureStoreError) -> [StoredDiagnostic] {
    var found: [StoredDiagnostic] = []
    try database.rows(
      """
      SELECT p.digest, d.ordinal, b.app, b.version, b.build, b.mixed, c.platform, c.os_version, c.os_build, d.begins, d.ends,
        d.zone_known, r.key, r.encoded
      FROM (
        SELECT id, digest FROM payloads WHERE digest > ?1 AND EXISTS (SELECT 1 FROM diagnostics WHERE payload = payloads.id)
        ORDER BY digest LIMIT ?2
      ) p
      JOIN diagnostics d ON d.payload = p.id JOIN cohorts c ON c.id = d.cohort JOIN builds b ON b.id = c.build
      JOIN raw_stacks r ON r.id = d.raw_stack ORDER BY p.digest, d.ordinal
      """, [.blob(payload?.bytes ?? []), SQLiteValue(max(0, limit))]
    ) { row throws(SignatureStoreError) in
      func time(_ column: Int32) -> PointInTime? {
        row.isNull(column)
          ? nil : PointInTime(seconds: row.integer(column), isZoneKnown: row.integer(11) != 0)
      }
      found.append(
        StoredDiagnostic(
          payload: try digest(row, 0), ordinal: Int(row.integer(1)), build: build(row, 2), system: system(row, 6),
          interval: ReportInterval(begin: time(9), end: time(10)),
          rawStack: StoredRawStack(key: try digest(row, 12), stack: try rawStack(row, 13))))
    }
    return found
  }

  /// Where the diagnostics of `payloads` ended up, sorted by payload and position.
  public func assignments(of payloads: [ContentDigest]) throws(SignatureStoreError) -> [Assignment] {
    var found: [Assignment] = []
    try database.snapshot { () throws(SignatureStoreError) in
      for payload in Set(payloads).sorted() {
        try database.rows(
          """
          SELECT d.ordinal, f.kind, b.build, r.key, f.signature, s.cluster, f.provisional
          FROM payloads p JOIN diagnostics d ON d.payload = p.id JOIN cohorts c ON c.id = d.cohort
          JOIN builds b ON b.id = c.build JOIN raw_stacks r ON r.id = d.raw_stack
          JOIN mapping m ON m.raw_stack = r.id AND m.algorithm = ?2 JOIN forms f ON f.id = m.form
          JOIN signatures s ON s.id = f.signature WHERE p.digest = ?1 ORDER BY d.ordinal
          """, [.blob(payload.bytes), algorithm]
        ) { row throws(SignatureStoreError) in
          found.append(
            Assignment(
              payload: payload, diagnostic: Int(row.integer(0)), kind: try word(row, 1), build: row.text(2).unlessEmpty,
              rawStack: try digest(row, 3), signature: row.text(4) ?? "", cluster: row.text(5) ?? "",
              isProvisional: row.integer(6) != 0))
        }
      }
    }
    return found
  }

  /// The live signatures that `id` leads to, sorted.
  public func resolve(signature id: String) throws(SignatureStoreError) -> [String] {
    try database.snapshot { () throws(SignatureStoreError) in
      var seen: Set<String> = [id]
      var pending = [id]
      var live: Set<String> = []
      while let next = pending.popLast() {
        if try isLive(next) {
          live.insert(next)
          continue
        }
        try database.rows(
          """
          SELECT new FROM aliases WHERE old = ?1
          UNION ALL SELECT object FROM facts WHERE kind = 'alias' AND subject = ?1 AND ended_by IS NULL
            AND NOT EXISTS (SELECT 1 FROM signatures WHERE id = ?1)
          """, [.text(next)]
        ) { row throws(SignatureStoreError) in
          if let new = row.text(0), seen.insert(new).inserted { pending.append(new) }
        }
      }
      return live.sorted()
    }
  }

  /// Whether a raw stack has this signature now.
  func isLive(_ signature: String) throws(SignatureStoreError) -> Bool {
    try database.number(
      """
      SELECT 1 FROM forms JOIN mapping ON mapping.form = forms.id WHERE signature = ?1 AND algorithm = ?2 LIMIT 1
      """, [.text(signature), algorithm]) != nil
  }

  // MARK: Reading columns

  func digest(_ row: SQLiteRow, _ column: Int32) throws(SignatureStoreError) -> ContentDigest {
    guard let digest = ContentDigest(bytes: row.bytes(column)) else { throw damaged("a digest is not 32 bytes") }
    return digest
  }

  func debugID(_ row: SQLiteRow, _ column: Int32) throws(SignatureStoreError) -> DebugID? {
    guard !row.isNull(column) else { return nil }
    guard let id = DebugID(bytes: row.bytes(column)) else { throw damaged("a debug identifier cannot be read") }
    return id
  }

  func rawStack(_ row: SQLiteRow, _ column: Int32) throws(SignatureStoreError) -> RawStack {
    do { return try RawStack(decoding: row.bytes(column)) } catch { throw damaged("\(error)") }
  }

  func word<Word: RawRepresentable<String>>(_ row: SQLiteRow, _ column: Int32) throws(SignatureStoreError) -> Word {
    guard let word = row.text(column).flatMap(Word.init) else { throw damaged("unknown \(Word.self)") }
    return word
  }

  func damaged(_ reason: String) -> SignatureStoreError { .damaged(path: database.path, reason: reason) }
}

extension Optional where Wrapped == String {
  /// The text; `nil` when it is missing or empty, which is how unknown parts of keys are stored.
  var unlessEmpty: String? { self == "" ? nil : self }
}
