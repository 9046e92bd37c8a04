import CSQLite
import TenureSystem

/// One connection to a database, with its prepared statements kept.
///
/// ```swift
/// try connection.run("INSERT INTO note(id, title) VALUES (?, ?)", 1, "Tea")
/// let titles = try connection.query("SELECT title FROM note") { $0.text(0) }
/// ```
/// Not sendable: it belongs to the thread that opened it. Text is bound and read as UTF-8.
public final class SQLiteConnection {
  /// How a file is opened.
  public enum Access: Sendable {
    /// For writing; the file is made when it is missing.
    case create
    /// For writing; a missing file is an error.
    case write
    /// For reading; statements that write are refused.
    case read
  }

  /// The file.
  public let path: String
  let handle: OpaquePointer
  private let stop: StopFlag
  private let busy = BusyWait()
  private var statements: [String: SQLiteStatement] = [:]
  private var uses: UInt64 = 0
  /// Pages in the write-ahead log after this connection's last commit.
  var walPages: Int64 { busy.walPages }
  /// After a checkpoint that restarted the log.
  func logStartedAnew() { busy.walPages = 0 }

  /// Opens a file through a file layer (`nil`: SQLite's own).
  public convenience init(_ path: String, _ access: Access, layer: String? = nil) throws(StorageError) {
    try self.init(path, access, layer: layer, stop: StopFlag())
  }

  init(_ path: String, _ access: Access, layer: String?, stop: StopFlag) throws(StorageError) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_READWRITE
    if case .create = access { flags |= SQLITE_OPEN_CREATE }
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, flags, layer)
    guard code == SQLITE_OK, let handle else {
      let failure = SQLiteFailure(of: handle, code: code, sql: nil, path: path)
      sqlite3_close_v2(handle)
      throw StorageError(failure)
    }
    self.path = path
    self.handle = handle
    self.stop = stop
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_progress_handler(handle, 1000, progress, Unmanaged.passUnretained(stop).toOpaque())
    busy.stop = stop
    let context = Unmanaged.passUnretained(busy).toOpaque()
    sqlite3_busy_handler(handle, waitWhileBusy, context)
    sqlite3_wal_hook(handle, noteLogSize, context)
    if case .read = access { try run("PRAGMA query_only = ON") }
  }

  deinit {
    statements.removeAll()
    // Statements finalise themselves; _v2 waits for any that a caller still holds.
    sqlite3_close_v2(handle)
  }

  /// How long statements wait for a lock that somebody else holds, in nanoseconds.
  var busyTimeout: UInt64 {
    get { busy.timeout }
    set { busy.timeout = newValue }
  }

  /// Whether no transaction is open.
  public var isAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }
  /// The rowid of the last insert.
  public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }
  /// Rows the last statement changed.
  public var changes: Int64 { Int64(sqlite3_changes(handle)) }
  /// Rows all statements of this connection have changed.
  public var totalChanges: Int64 { Int64(sqlite3_total_changes(handle)) }

  /// Runs one statement to its end; rows are dropped.
  public func run(_ sql: String, _ values: SQLiteValue...) throws(StorageError) {
    try run(sql, values: values)
  }

  /// Runs one statement to its end; rows are dropped.
  public func run(_ sql: String, values: [SQLiteValue]) throws(StorageError) {
    let statement = try take(sql)
    defer { statement.giveBack() }
    try statement.bind(values)
    while try statement.step() {}
  }

  /// Runs several statements without values, separated by semicolons: for making tables.
  public func script(_ sql: String) throws(StorageError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code, sql: sql) }
  }

  /// All rows, each turned into a value.
  public func query<Value>(
    _ sql: String, _ values: SQLiteValue..., row: (borrowing SQLiteRow) throws -> Value
  ) throws -> [Value] {
    try query(sql, values: values, row: row)
  }

  /// All rows, each turned into a value.
  public func query<Value>(
    _ sql: String, values: [SQLiteValue], row: (borrowing SQLiteRow) throws -> Value
  ) throws -> [Value] {
    let statement = try take(sql)
    defer { statement.giveBack() }
    try statement.bind(values)
    var result: [Value] = []
    while try statement.step() { result.append(try row(SQLiteRow(statement.handle))) }
    return result
  }

  /// The first row, turned into a value; `nil` when there is none.
  public func first<Value>(
    _ sql: String, _ values: SQLiteValue..., row: (borrowing SQLiteRow) throws -> Value
  ) throws -> Value? {
    try first(sql, values: values, row: row)
  }

  /// The first row, turned into a value; `nil` when there is none.
  public func first<Value>(
    _ sql: String, values: [SQLiteValue], row: (borrowing SQLiteRow) throws -> Value
  ) throws -> Value? {
    let statement = try take(sql)
    defer { statement.giveBack() }
    try statement.bind(values)
    guard try statement.step() else { return nil }
    return try row(SQLiteRow(statement.handle))
  }

  /// The first column of the first row as an integer; `nil` when there is no row or it is null.
  public func integer(_ sql: String, _ values: SQLiteValue...) throws(StorageError) -> Int64? {
    let statement = try take(sql)
    defer { statement.giveBack() }
    try statement.bind(values)
    guard try statement.step() else { return nil }
    return SQLiteRow(statement.handle).optionalInteger(0)
  }

  /// The first column of the first row as text; `nil` when there is no row or it is null.
  public func text(_ sql: String, _ values: SQLiteValue...) throws(StorageError) -> String? {
    let statement = try take(sql)
    defer { statement.giveBack() }
    try statement.bind(values)
    guard try statement.step() else { return nil }
    return SQLiteRow(statement.handle).optionalText(0)
  }

  // MARK: Statements kept

  /// A statement that nobody is in the middle of. A nested use of the same text gets one of its own.
  private func take(_ sql: String) throws(StorageError) -> SQLiteStatement {
    if stop.isRaised { throw .interrupted }
    uses &+= 1
    if let kept = statements[sql], !kept.inUse {
      kept.inUse = true
      kept.lastUse = uses
      return kept
    }
    let made = try SQLiteStatement(sql, handle, path: path)
    made.inUse = true
    made.lastUse = uses
    if statements[sql] == nil {
      if statements.count >= 128, let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        statements[oldest.key] = nil
      }
      statements[sql] = made
    }
    return made
  }

  /// Ends the open transaction whatever happened before, also while statements are asked to stop.
  func rollBack() {
    if isAutocommit { return }
    // A failing ROLLBACK leaves SQLite in autocommit all the same; there is nobody to tell.
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }

  func failure(_ code: Int32, sql: String?) -> StorageError {
    StorageError(SQLiteFailure(of: handle, code: code, sql: sql, path: path))
  }
}

/// What the C callbacks of one connection look at. Used on the connection's thread only.
private final class BusyWait {
  var timeout: UInt64 = 5_000_000_000
  var stop: StopFlag?
  var walPages: Int64 = 0
}

private func progress(_ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let context else { return 0 }
  return Unmanaged<StopFlag>.fromOpaque(context).takeUnretainedValue().isRaised ? 1 : 0
}

/// Called by SQLite before the n-th look at a lock that is taken; a millisecond apart.
private func waitWhileBusy(_ context: UnsafeMutableRawPointer?, _ looks: Int32) -> Int32 {
  guard let context else { return 0 }
  let busy = Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue()
  if busy.stop?.isRaised == true || UInt64(looks) * 1_000_000 >= busy.timeout { return 0 }
  sqlite3_sleep(1)
  return 1
}

private func noteLogSize(
  _ context: UnsafeMutableRawPointer?, _: OpaquePointer?, _: UnsafePointer<CChar>?, _ pages: Int32
) -> Int32 {
  if let context { Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue().walPages = Int64(pages) }
  return SQLITE_OK
}
