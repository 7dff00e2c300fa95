import Diagnostics
import Glibc
import Identity
import TestSupport
import Testing

@testable import SignatureStore

@Suite("The SQLite file is never trusted, replaced or shown to others")
struct SQLiteFileTests {
  private let folder = TemporaryFolder()

  private func filled() throws {
    let store = try SQLiteSignatureStore(path: folder.store)
    let events = (0..<300).map { Event(function: "Shop.function\($0)()", build: "\($0 % 7)") }
    _ = try store.record(batch(events.enumerated().map { payload($0.offset, [$0.element]) }, events))
    try store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Opens the store and uses all of it.
  private func use() throws(SignatureStoreError) {
    let store = try SQLiteSignatureStore(path: folder.store, busyMilliseconds: 10)
    _ = try store.report()
    _ = try store.rawStacks(.all, after: nil, limit: 1000)
    _ = try store.verify()
  }

  @Test("It can be closed and opened again, by one or by two")
  func reopening() throws {
    try filled()
    let first = try SQLiteSignatureStore(path: folder.store)
    let second = try SQLiteSignatureStore(path: folder.store, createIfMissing: false)
    #expect(try first.report() == second.report())
    let event = Event(function: "Shop.more()")
    _ = try second.record(batch([payload(1000, [event])], [event]))
    #expect(try first.report().diagnostics == 301)
  }

  @Test("Only the owner can read it")
  func permissions() throws {
    let mask = umask(0)
    defer { umask(mask) }
    let store = try SQLiteSignatureStore(path: folder.store)
    _ = try store.record(batch([payload(1, [Event(function: "a")])], [Event(function: "a")]))
    for suffix in ["", "-wal", "-shm"] {
      var status = stat()
      #expect(stat(folder.store + suffix, &status) == 0, "\(suffix)")
      #expect(status.st_mode & 0o777 == 0o600, "\(suffix)")
    }
  }

  @Test("A store that is not there is an error unless it may be made")
  func missing() {
    #expect(throws: SignatureStoreError.self) { try SQLiteSignatureStore(path: folder.store, createIfMissing: false) }
    #expect(access(folder.store, F_OK) != 0)
    #expect(throws: SignatureStoreError.self) { try SQLiteSignatureStore(path: folder.path + "/no/such/folder.sqlite") }
    #expect(throws: SignatureStoreError.self) { try SQLiteSignatureStore(path: folder.path) }
  }

  @Test(
    "What is no store is refused and left as it was",
    arguments: [
      [UInt8](), Array("hello".utf8), [UInt8](repeating: 0, count: 8192), Array("SQLite format 3\0".utf8),
      Array("SQLite format 3\0".utf8) + [UInt8](repeating: 1, count: 4096),
    ])
  func noStore(bytes: [UInt8]) {
    write(bytes, to: folder.store)
    #expect(throws: SignatureStoreError.self) { try SQLiteSignatureStore(path: folder.store) }
    #expect(contents(folder.store) == bytes)
    #expect(access(folder.store + "-wal", F_OK) != 0)
  }

  @Test("A newer store is refused and nothing is changed")
  func newer() throws {
    try filled()
    do {
      let store = try SQLiteSignatureStore(path: folder.store)
      try store.database.execute("PRAGMA user_version = \(SQLiteSchema.version + 1); PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let before = contents(folder.store)
    #expect(
      throws: SignatureStoreError.newer(
        path: folder.store, found: SQLiteSchema.version + 1, known: SQLiteSchema.version)
    ) {
      try SQLiteSignatureStore(path: folder.store)
    }
    #expect(contents(folder.store) == before)
    #expect(access(folder.store + "-wal", F_OK) != 0)
  }

  @Test("An older store is refused with what to do about it, and nothing is changed")
  func older() throws {
    try filled()
    do {
      let store = try SQLiteSignatureStore(path: folder.store)
      try store.database.execute("PRAGMA user_version = \(SQLiteSchema.version - 1); PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let before = contents(folder.store)
    let error = SignatureStoreError.older(
      path: folder.store, found: SQLiteSchema.version - 1, known: SQLiteSchema.version)
    #expect(throws: error) { try SQLiteSignatureStore(path: folder.store) }
    #expect("\(error)".contains("make a new store"))
    #expect(contents(folder.store) == before)
  }

  @Test("Every column is in the data inventory, and docs/data.md shows it")
  func inventory() throws {
    let folder = TemporaryFolder()
    let store = try SQLiteSignatureStore(path: folder.store)
    var columns: [String] = []
    try store.database.rows(
      """
      SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'
      ORDER BY t.rowid, c.cid
      """
    ) { row throws(SignatureStoreError) in columns.append(row.text(0) ?? "") }
    #expect(columns.sorted() == StoredColumn.all.map { "\($0.table).\($0.name)" }.sorted())
    let page = String(decoding: try #require(contents(of: Corpus.repository + "/docs/data.md")), as: UTF8.self)
    let rows = page.split(separator: "\n").filter { $0.count(where: { $0 == "|" }) == 5 }.dropFirst(2).map(String.init)
    #expect(
      rows
        == StoredColumn.all.map {
          "| \($0.table).\($0.name) | \($0.privacy.rawValue) | \($0.retention.rawValue) | \($0.purpose) |"
        })
  }

  @Test("A database of another program is refused")
  func foreign() throws {
    try filled()
    do {
      let store = try SQLiteSignatureStore(path: folder.store)
      try store.database.execute("PRAGMA application_id = 1; PRAGMA wal_checkpoint(TRUNCATE)")
    }
    #expect(throws: SignatureStoreError.foreign(path: folder.store)) { try SQLiteSignatureStore(path: folder.store) }
  }

  @Test("A file that was cut off is damaged, never a smaller store", arguments: [99, 100, 1024, 4096, 50_000])
  func truncated(length: Int) throws {
    try filled()
    let bytes = Array(contents(folder.store).prefix(length))
    write(bytes, to: folder.store)
    #expect(throws: SignatureStoreError.self) { try use() }
    #expect(contents(folder.store) == bytes)
  }

  @Test("Pages that a full disk or a killed process left in the log are brought in, not missed")
  func interruptedCheckpoint() throws {
    try filled()
    let store = try SQLiteSignatureStore(path: folder.store)
    try store.database.execute("PRAGMA wal_autocheckpoint = 0")
    let events = (0..<300).map { Event(function: "Shop.later\($0)()") }
    _ = try store.record(batch(events.enumerated().map { payload(1000 + $0.offset, [$0.element]) }, events))
    let (before, log) = (contents(folder.store), contents(folder.store + "-wal"))
    try store.database.execute("PRAGMA wal_checkpoint(FULL)")
    let after = contents(folder.store)
    try #require(after.count > before.count)
    // The first page says how long the file is; the others did not get that far.
    let other = TemporaryFolder()
    write(Array(after.prefix(4096)) + before.dropFirst(4096), to: other.store)
    write(log, to: other.store + "-wal")
    let mended = try SQLiteSignatureStore(path: other.store)
    #expect(try mended.report().diagnostics == 600)
    #expect(try mended.verify() == [])
  }

  @Test("Bytes that change on disk give an error or a true answer, never a crash")
  func flipped() throws {
    try filled()
    let whole = contents(folder.store)
    var random = SeededGenerator(seed: 3)
    var errors = 0
    for _ in 0..<150 {
      var bytes = whole
      for _ in 0..<20 { bytes[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 + random.next() % 255) }
      write(bytes, to: folder.store)
      unlink(folder.store + "-wal")
      unlink(folder.store + "-shm")
      do throws(SignatureStoreError) { try use() } catch {
        errors += 1
        #expect(!"\(error)".isEmpty)
      }
    }
    #expect(errors > 50)
  }

  @Test("Each broken invariant is found")
  func verification() throws {
    try filled()
    let store = try SQLiteSignatureStore(path: folder.store)
    #expect(try store.verify() == [])
    try store.database.execute("UPDATE raw_stacks SET encoded = x'0101' WHERE id = 1")
    try store.database.execute(
      "UPDATE raw_stacks SET encoded = (SELECT encoded FROM raw_stacks WHERE id = 3) WHERE id = 2")
    try store.database.execute("DELETE FROM mapping WHERE raw_stack = 4")
    try store.database.execute(
      "INSERT INTO judgements (signature, outcome, cluster, sequence) SELECT id, 'founded', id, 'x' FROM signatures LIMIT 1"
    )
    try store.database.execute("PRAGMA foreign_keys = OFF; DELETE FROM cohorts WHERE id = 1")
    let findings = try store.verify()
    #expect(findings.contains { $0.contains("truncated") })
    #expect(findings.contains { $0.contains("does not have this key") })
    #expect(findings.contains { $0.contains("has no signature") })
    #expect(findings.contains { $0.contains("the judgement of sig-") })
    #expect(findings.contains { $0.contains("refers to nothing") })
  }

  @Test("A table that is missing is damage")
  func missingTable() throws {
    try filled()
    do { try SQLiteSignatureStore(path: folder.store).database.execute("DROP TABLE waits") }
    #expect(throws: SignatureStoreError.damaged(path: folder.store, reason: "table waits is missing")) {
      try SQLiteSignatureStore(path: folder.store)
    }
  }

  @Test("Another process that writes is waited for, then named")
  func locked() throws {
    try filled()
    let holder = try SQLiteSignatureStore(path: folder.store)
    let waiter = try SQLiteSignatureStore(path: folder.store, busyMilliseconds: 20)
    try holder.database.execute("BEGIN IMMEDIATE")
    let event = Event(function: "Shop.more()")
    #expect(throws: SignatureStoreError.locked(path: folder.store)) {
      try waiter.record(batch([payload(2000, [event])], [event]))
    }
    // Readers go on.
    #expect(try waiter.report().diagnostics == 300)
    try holder.database.execute("ROLLBACK")
    #expect(try waiter.record(batch([payload(2000, [event])], [event])).diagnostics == 1)
  }

  @Test("A file that may not be read or written is named as such")
  func permissionDenied() throws {
    try filled()
    let before = contents(folder.store)
    // As another user, for this thread only, when the tests run as root; root may do everything.
    let isRoot = geteuid() == 0
    typealias SetUser = @convention(c) (uid_t) -> Int32
    let setUser = unsafeBitCast(try #require(dlsym(nil, "setfsuid")), to: SetUser.self)
    chmod(folder.path, 0o755)
    for mode: mode_t in [0o000, 0o444] {
      chmod(folder.store, mode)
      if isRoot { _ = setUser(65534) }
      defer { if isRoot { _ = setUser(0) } }
      #expect(throws: SignatureStoreError.permissionDenied(path: folder.store)) {
        try SQLiteSignatureStore(path: folder.store)
      }
    }
    chmod(folder.store, 0o600)
    #expect(contents(folder.store) == before)
  }
}
