import CSQLite

/// A prepared statement, kept by its connection.
final class SQLiteStatement {
  let handle: OpaquePointer
  private let database: OpaquePointer
  private let path: String
  private let sql: String
  var inUse = false
  var lastUse: UInt64 = 0

  init(_ sql: String, _ database: OpaquePointer, path: String) throws(StorageError) {
    var handle: OpaquePointer?
    var left = 0
    let code = sql.withCString { start in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(
        database, start, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
      left = tail.map { String(cString: $0).filter { !$0.isWhitespace && $0 != ";" }.count } ?? 0
      return code
    }
    if code != SQLITE_OK {
      throw StorageError(SQLiteFailure(of: database, code: code, sql: sql, path: path))
    }
    guard let handle, left == 0 else {
      sqlite3_finalize(handle)
      throw .statement(
        SQLiteFailure(
          code: SQLITE_MISUSE, message: "exactly one statement is needed", sql: sql, path: path))
    }
    self.handle = handle
    self.database = database
    self.path = path
    self.sql = sql
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ values: [SQLiteValue]) throws(StorageError) {
    guard Int(sqlite3_bind_parameter_count(handle)) == values.count else {
      throw .statement(
        SQLiteFailure(
          code: SQLITE_RANGE,
          message: "\(sqlite3_bind_parameter_count(handle)) values are needed, \(values.count) given",
          sql: sql, path: path))
    }
    var index: Int32 = 0
    for value in values {
      index += 1
      let code =
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .real(let number): sqlite3_bind_double(handle, index, number)
        case .text(var text):
          text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
              // No pointer would bind NULL; an empty text is a text.
              $0.baseAddress.map { start in
                tenure_sqlite_bind_text(handle, index, start, Int32(clamping: utf8.count))
              } ?? tenure_sqlite_bind_text(handle, index, "", 0)
            }
          }
        case .blob(let bytes):
          bytes.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : bytes.withUnsafeBytes {
              tenure_sqlite_bind_blob(handle, index, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
      if code != SQLITE_OK {
        throw StorageError(SQLiteFailure(of: database, code: code, sql: sql, path: path))
      }
    }
  }

  /// `true`: a row is ready.
  func step() throws(StorageError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw StorageError(SQLiteFailure(of: database, code: code, sql: sql, path: path))
  }

  func giveBack() {
    // The code is that of the last step, which was looked at.
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    inUse = false
  }
}

/// The row a statement stands on. Columns count from 0; reading one of another type converts it as SQLite does.
public struct SQLiteRow: ~Copyable {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) { self.statement = statement }

  /// Whether a column is null.
  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  /// A column as an integer; 0 when null.
  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  /// A column as a number; 0 when null.
  public func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

  /// A column as true or false; `false` when null.
  public func flag(_ column: Int32) -> Bool { integer(column) != 0 }

  /// A column as text; empty when null. Invalid UTF-8 is repaired.
  public func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// A column's bytes; empty when null.
  public func blob(_ column: Int32) -> [UInt8] { withBlob(column) { Array($0) } }

  /// Lends a column's bytes without a copy, until the closure ends.
  public func withBlob<Result, Failure: Error>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// A column as an integer, or `nil` when null.
  public func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  /// A column as text, or `nil` when null.
  public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// A column's bytes, or `nil` when null.
  public func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }
}
