import CSQLite
import TenureSystem

/// The peer: SQLite's C API as somebody who knows it well uses it, with nothing of Tenure's storage.
///
/// One connection per writer, opened without the mutex that one thread does not need; WAL, FULL, a busy timeout;
/// every statement prepared once and for long; values bound without being copied; `BEGIN IMMEDIATE`, so that no
/// transaction ever has to start again; statements reset as soon as they are stepped.
final class RawConnection {
  /// A call that SQLite refused.
  struct Failure: Error, CustomStringConvertible {
    var code: Int32
    var description: String
  }

  private let handle: OpaquePointer
  private var statements: [RawStatement] = []

  /// Opens `path`, which is made when it is missing.
  ///
  /// - Parameter checkpointPages: WAL pages after which a commit checkpoints; the same as ours, or less would be
  ///   compared than the two ways of writing.
  init(_ path: String, pageSize: Int = 4096, checkpointPages: Int, busyTimeout: Int32 = 60_000) throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened else { throw Failure(code: code, description: "\(path): out of memory") }
    guard code == SQLITE_OK else {
      defer { sqlite3_close_v2(opened) }
      throw Failure(code: code, description: "\(path): \(String(cString: sqlite3_errmsg(opened)))")
    }
    handle = opened
    sqlite3_busy_timeout(handle, busyTimeout)
    try execute("PRAGMA page_size = \(pageSize)")
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = FULL")
    try execute("PRAGMA fullfsync = 1")
    try execute("PRAGMA wal_autocheckpoint = \(checkpointPages)")
    try execute("PRAGMA foreign_keys = OFF")
  }

  deinit {
    statements = []
    sqlite3_close_v2(handle)
  }

  /// Runs statements that answer nothing.
  func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code, sql) }
  }

  /// Prepares a statement that is kept for the connection's life.
  func prepare(_ sql: String) throws -> RawStatement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code, sql) }
    return RawStatement(statement, of: handle)
  }

  /// Copies the WAL back, so that the next commit starts at its beginning and finds the file long enough.
  func checkpoint() throws {
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_RESTART, nil, nil)
    if code != SQLITE_OK { throw failure(code, "checkpoint") }
  }

  private func failure(_ code: Int32, _ sql: String) -> Failure {
    Failure(code: code, description: "\(sql): \(String(cString: sqlite3_errmsg(handle))) (\(code))")
  }
}

/// A prepared statement. What is bound must live until ``reset()``.
final class RawStatement {
  private let statement: OpaquePointer
  private let connection: OpaquePointer

  fileprivate init(_ statement: OpaquePointer, of connection: OpaquePointer) {
    self.statement = statement
    self.connection = connection
  }

  deinit { sqlite3_finalize(statement) }

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(statement, index, value) }
  func bind(_ index: Int32) { sqlite3_bind_null(statement, index) }

  /// Bound without a copy: the bytes stay where they are until ``reset()``.
  func bind(_ index: Int32, text: UnsafeRawBufferPointer) {
    let bytes = text.baseAddress?.assumingMemoryBound(to: CChar.self)
    sqlite3_bind_text(statement, index, bytes, Int32(text.count), nil)
  }

  /// Bound without a copy: the bytes stay where they are until ``reset()``.
  func bind(_ index: Int32, blob: UnsafeRawBufferPointer) {
    sqlite3_bind_blob64(statement, index, blob.baseAddress, UInt64(blob.count), nil)
  }

  /// Whether there is a row.
  func step() throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let sql = String(cString: sqlite3_sql(statement))
      let text = String(cString: sqlite3_errmsg(connection))
      sqlite3_reset(statement)
      throw RawConnection.Failure(code: code, description: "\(sql): \(text) (\(code))")
    }
  }

  /// Steps a statement that answers no row, and is ready again.
  func run() throws {
    _ = try step()
    reset()
  }

  func reset() { sqlite3_reset(statement) }
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  /// A text's or a blob's bytes; none where it is NULL.
  func bytes(_ column: Int32) -> [UInt8] {
    let start = sqlite3_column_blob(statement, column)
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }
}
