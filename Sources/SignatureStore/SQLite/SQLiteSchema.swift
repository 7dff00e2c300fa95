internal import Bytes
internal import Glibc

/// The tables of the SQLite engine, and the checks before a file is taken for a store.
enum SQLiteSchema {
  /// Rises whenever a table changes. A store with another one is refused.
  static let version = 5
  /// `symc`: marks the file as ours in its header.
  static let applicationID: UInt32 = 0x7379_6d63

  /// Counts hang on `diagnostics` and `raw_stacks`; what stands below the line is derived and is built again by `reprocess --all`,
  /// but for `aliases`, which is history, and `facts`, which people said.
  static let tables = """
    CREATE TABLE payloads (
      id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), generation TEXT NOT NULL
    ) STRICT;
    CREATE TABLE builds (
      id INTEGER PRIMARY KEY, app TEXT NOT NULL, version TEXT NOT NULL, build TEXT NOT NULL, mixed INTEGER NOT NULL,
      UNIQUE (app, version, build, mixed)
    ) STRICT;
    CREATE TABLE cohorts (
      id INTEGER PRIMARY KEY, build INTEGER NOT NULL REFERENCES builds, platform TEXT NOT NULL, os_version TEXT NOT NULL,
      os_build TEXT NOT NULL, UNIQUE (build, platform, os_version, os_build)
    ) STRICT;
    CREATE TABLE raw_stacks (
      id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE CHECK (length(key) = 32), kind TEXT NOT NULL, encoded BLOB NOT NULL
    ) STRICT;
    CREATE TABLE diagnostics (
      payload INTEGER NOT NULL REFERENCES payloads, ordinal INTEGER NOT NULL, raw_stack INTEGER NOT NULL REFERENCES raw_stacks,
      cohort INTEGER NOT NULL REFERENCES cohorts, basis TEXT NOT NULL, confidence TEXT NOT NULL, begins INTEGER, ends INTEGER,
      zone_known INTEGER NOT NULL, PRIMARY KEY (payload, ordinal)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX diagnostics_by_raw_stack ON diagnostics (raw_stack);
    CREATE TABLE report_days (
      payload INTEGER NOT NULL REFERENCES payloads, ordinal INTEGER NOT NULL, cohort INTEGER NOT NULL REFERENCES cohorts,
      begins INTEGER, ends INTEGER, zone_known INTEGER NOT NULL, PRIMARY KEY (payload, ordinal)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE state_values (
      id INTEGER PRIMARY KEY, domain TEXT NOT NULL, label TEXT NOT NULL, UNIQUE (domain, label)
    ) STRICT;
    CREATE TABLE states (
      payload INTEGER NOT NULL REFERENCES payloads, ordinal INTEGER NOT NULL, state INTEGER NOT NULL REFERENCES state_values,
      PRIMARY KEY (payload, ordinal, state)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX states_by_state ON states (state);
    CREATE TABLE measures (
      payload INTEGER NOT NULL REFERENCES payloads, ordinal INTEGER NOT NULL, measure TEXT NOT NULL,
      parts INTEGER NOT NULL CHECK (parts >= 0), PRIMARY KEY (payload, ordinal, measure)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE signatures (
      id TEXT PRIMARY KEY, algorithm INTEGER NOT NULL, automatic TEXT NOT NULL, cluster TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE forms (
      id INTEGER PRIMARY KEY, content BLOB NOT NULL UNIQUE, signature TEXT NOT NULL REFERENCES signatures, kind TEXT NOT NULL,
      family TEXT NOT NULL, reason TEXT NOT NULL, title TEXT NOT NULL, tokens TEXT NOT NULL, blame TEXT, quality TEXT NOT NULL,
      provisional INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX forms_by_signature ON forms (signature);
    CREATE TABLE mapping (
      raw_stack INTEGER NOT NULL REFERENCES raw_stacks, algorithm INTEGER NOT NULL, form INTEGER NOT NULL REFERENCES forms,
      rules BLOB NOT NULL, compilation BLOB, PRIMARY KEY (raw_stack, algorithm)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX mapping_by_form ON mapping (form, compilation);
    CREATE TABLE aliases (
      old TEXT NOT NULL, new TEXT NOT NULL, kind TEXT NOT NULL, moved INTEGER NOT NULL, PRIMARY KEY (old, new)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE waits (
      debug_id BLOB NOT NULL, raw_stack INTEGER NOT NULL REFERENCES raw_stacks, name TEXT, frames INTEGER NOT NULL,
      PRIMARY KEY (debug_id, raw_stack)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX waits_by_raw_stack ON waits (raw_stack);
    CREATE TABLE symbols (
      debug_id BLOB PRIMARY KEY, revision BLOB NOT NULL CHECK (length(revision) = 32)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rules (
      version TEXT PRIMARY KEY, digest BLOB NOT NULL CHECK (length(digest) = 32)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE judgements (
      signature TEXT PRIMARY KEY REFERENCES signatures, outcome TEXT NOT NULL, cluster TEXT NOT NULL, best TEXT,
      best_exemplar TEXT, best_score INTEGER, best_average INTEGER, runner_up TEXT, runner_up_exemplar TEXT,
      runner_up_score INTEGER, runner_up_average INTEGER, barrier TEXT, sequence TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE suggestions (
      first TEXT NOT NULL, second TEXT NOT NULL, score INTEGER NOT NULL, PRIMARY KEY (first, second), CHECK (first < second)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE facts (
      number INTEGER NOT NULL, subject TEXT NOT NULL, kind TEXT NOT NULL, object TEXT, ended_by INTEGER,
      PRIMARY KEY (number, subject)
    ) STRICT, WITHOUT ROWID;
    """

  /// The tables that a store must have.
  static let names = [
    "aliases", "builds", "cohorts", "diagnostics", "facts", "forms", "judgements", "mapping", "measures", "payloads",
    "raw_stacks", "report_days", "rules", "signatures", "state_values", "states", "suggestions", "symbols", "waits",
  ]

  /// Makes a store at `path`, unless there is a file already. It appears at once, whole, and for its owner only.
  static func create(at path: String) throws(SignatureStoreError) {
    let temporary = path + ".new-\(getpid())"
    PathName.unlink(temporary)
    let file = PathName.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(errno, path) }
    close(file)
    defer { PathName.unlink(temporary) }
    try fill(temporary)
    // A link, not a rename: if another process was quicker, its store stays.
    guard PathName.link(temporary, path) == 0 || errno == EEXIST else { throw failure(errno, path) }
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let directory = PathName.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
  }

  private static func fill(_ path: String) throws(SignatureStoreError) {
    let connection = try SQLiteConnection(path: path, busyMilliseconds: 0)
    try connection.execute("PRAGMA application_id = \(applicationID)")
    try connection.transaction { () throws(SignatureStoreError) in
      try connection.execute(tables)
      try connection.execute("PRAGMA user_version = \(version)")
    }
  }

  /// Looks at the first bytes of the file before SQLite does, since even opening a file can change what lies beside it.
  ///
  /// Offsets: SQLite's file format, section 1.3.
  static func checkHeader(of path: String) throws(SignatureStoreError) {
    let file = PathName.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(errno, path) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure(errno, path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .cannotOpen(path: path, reason: "not a file") }
    var header = [UInt8](repeating: 0, count: 100)
    let count = pread(file, &header, header.count, 0)
    guard count == header.count, header.starts(with: "SQLite format 3\0".utf8) else { throw .notADatabase(path: path) }
    func number(_ offset: Int) -> UInt32 { header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    guard number(68) == applicationID else { throw .foreign(path: path) }
    let found = Int(number(60))
    guard found <= version else { throw .newer(path: path, found: found, known: version) }
    guard found > 0 else { throw .damaged(path: path, reason: "schema \(found)") }
    guard found == version else { throw .older(path: path, found: found, known: version) }
    let page = UInt64(header[16]) << 8 | UInt64(header[17])
    let expected = UInt64(number(28)) * (page == 1 ? 65_536 : page)
    // The count of pages is valid when the two change counters agree. Pages that a process left in the log when it was
    // killed, or the disk was full, are not missing: SQLite brings them in.
    let hasLog = PathName.status(path + "-wal").map { $0.st_size > 0 } ?? false
    if number(24) == number(92), UInt64(status.st_size) < expected, !hasLog {
      throw .damaged(path: path, reason: "cut off at \(status.st_size) of \(expected) bytes")
    }
  }

  /// Checks what the header cannot tell: that the tables are there.
  static func check(_ connection: SQLiteConnection) throws(SignatureStoreError) {
    let found = Int(try connection.number("PRAGMA user_version") ?? 0)
    guard found <= version else { throw .newer(path: connection.path, found: found, known: version) }
    var tables: Set<String> = []
    try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { row throws(SignatureStoreError) in
      if let name = row.text(0) { tables.insert(name) }
    }
    if let missing = names.first(where: { !tables.contains($0) }) {
      throw .damaged(path: connection.path, reason: "table \(missing) is missing")
    }
  }

  private static func failure(_ number: Int32, _ path: String) -> SignatureStoreError {
    switch number {
    case EACCES, EPERM, EROFS: .permissionDenied(path: path)
    case ENOSPC, EDQUOT: .full(path: path)
    default: .cannotOpen(path: path, reason: String(cString: strerror(number)))
    }
  }
}
