internal import Bytes
internal import CSQLite

/// One connection to a SQLite file. It owns the handle and closes it; statements are prepared once and kept.
///
/// Not for concurrent use: the library is opened without its own locks.
final class SQLiteConnection {
  let path: String
  private let handle: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]

  /// Opens the existing file at `path`. Waits up to `busyMilliseconds` for other processes' transactions.
  init(path: String, busyMilliseconds: Int32) throws(SignatureStoreError) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = PathName.with(path) { sqlite3_open_v2($0, &handle, flags, nil) }
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteConnection.error(code, handle, path)
      sqlite3_close_v2(handle)
      throw error
    }
    // A write-protected file opens for reading without a word.
    guard sqlite3_db_readonly(handle, "main") != 1 else {
      sqlite3_close_v2(handle)
      throw SignatureStoreError.permissionDenied(path: path)
    }
    self.path = path
    self.handle = handle
    sqlite3_busy_timeout(handle, busyMilliseconds)
  }

  deinit {
    // Statements first: a connection with open statements would linger.
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Runs statements without parameters or results.
  func execute(_ sql: String) throws(SignatureStoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Runs one statement that gives no rows, or whose rows do not matter.
  func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SignatureStoreError) {
    try rows(sql, values) { _ throws(SignatureStoreError) in }
  }

  /// Calls `body` for each row that the statement gives.
  func rows(
    _ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) throws(SignatureStoreError) -> Void
  ) throws(SignatureStoreError) {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values, in: self)
    while try statement.step(in: self) { try body(SQLiteRow(statement: statement.pointer)) }
  }

  /// The first column of the first row as a number; `nil` when there is no row.
  func number(_ sql: String, _ values: [SQLiteValue] = []) throws(SignatureStoreError) -> Int64? {
    var result: Int64?
    try rows(sql, values) { row throws(SignatureStoreError) in result = result ?? row.integer(0) }
    return result
  }

  /// Whether a transaction or a snapshot is open.
  private var isInside: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs `body` in a transaction that writes: all of it or nothing. Within another one it is a part of that. With `isKept` false
  /// nothing of it stays.
  func transaction<R>(
    isKept: Bool = true, _ body: () throws(SignatureStoreError) -> R
  ) throws(SignatureStoreError) -> R {
    if isInside { return try body() }
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute(isKept ? "COMMIT" : "ROLLBACK")
      return result
    } catch {
      // The engine may have rolled back by itself; then this fails and that is as it should be.
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  /// Runs `body` on one snapshot of the store.
  func snapshot<R>(_ body: () throws(SignatureStoreError) -> R) throws(SignatureStoreError) -> R {
    if isInside { return try body() }
    try execute("BEGIN")
    defer { sqlite3_exec(handle, "COMMIT", nil, nil, nil) }
    return try body()
  }

  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }
  var changedRows: Int { Int(sqlite3_changes(handle)) }

  func error(_ code: Int32) -> SignatureStoreError { SQLiteConnection.error(code, handle, path) }

  private func statement(_ sql: String) throws(SignatureStoreError) -> SQLiteStatement {
    if let known = statements[sql] { return known }
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
    guard code == SQLITE_OK, let pointer else { throw error(code) }
    let statement = SQLiteStatement(pointer: pointer)
    statements[sql] = statement
    return statement
  }

  private static func error(_ code: Int32, _ handle: OpaquePointer?, _ path: String) -> SignatureStoreError {
    let message =
      handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? String(cString: sqlite3_errstr(code))
    switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED: return .locked(path: path)
    case SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH: return .permissionDenied(path: path)
    case SQLITE_NOTADB: return .notADatabase(path: path)
    case SQLITE_CORRUPT: return .damaged(path: path, reason: message)
    case SQLITE_FULL: return .full(path: path)
    case SQLITE_CANTOPEN: return .cannotOpen(path: path, reason: message)
    default: return .engine(code: Int(code), message: message)
    }
  }
}

/// A value on its way into a statement.
enum SQLiteValue {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  init(_ number: Int) { self = .integer(Int64(number)) }
  init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
}

/// A prepared statement; finalised when nobody holds it any more.
final class SQLiteStatement {
  let pointer: OpaquePointer

  init(pointer: OpaquePointer) { self.pointer = pointer }

  deinit { sqlite3_finalize(pointer) }

  func reset() {
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
  }

  func bind(_ values: [SQLiteValue], in connection: SQLiteConnection) throws(SignatureStoreError) {
    // Safety: the value -1 is SQLite's own sign (SQLITE_TRANSIENT) for "copy the bytes before returning".
    let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let code: Int32 =
        switch value {
        case .null: sqlite3_bind_null(pointer, place)
        case .integer(let number): sqlite3_bind_int64(pointer, place, number)
        case .text(let text): sqlite3_bind_text(pointer, place, text, Int32(text.utf8.count), copy)
        case .blob(let bytes): sqlite3_bind_blob64(pointer, place, bytes, UInt64(bytes.count), copy)
        }
      guard code == SQLITE_OK else { throw connection.error(code) }
    }
  }

  /// Moves to the next row; `false` when there is none.
  func step(in connection: SQLiteConnection) throws(SignatureStoreError) -> Bool {
    let code = sqlite3_step(pointer)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else { throw connection.error(code) }
    return false
  }
}

/// The current row of a statement; valid until the statement moves on.
struct SQLiteRow {
  fileprivate let statement: OpaquePointer

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func text(_ column: Int32) -> String? {
    guard let text = sqlite3_column_text(statement, column) else { return nil }
    return String(cString: text)
  }

  func bytes(_ column: Int32) -> [UInt8] {
    guard let blob = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_column_bytes(statement, column))))
  }
}
