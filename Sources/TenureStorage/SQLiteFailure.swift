import CSQLite

/// What SQLite answered: its extended code, its sentence, the statement and the file.
public struct SQLiteFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// SQLite's extended result code, such as `SQLITE_IOERR_FSYNC`.
  public let code: Int32
  /// SQLite's own sentence.
  public let message: String
  /// The statement, without its values.
  public let sql: String?
  /// The database file.
  public let path: String
  /// What the operating system said, where it was asked; 0 otherwise.
  public let systemCode: Int32

  /// A failure by its parts.
  public init(code: Int32, message: String, sql: String?, path: String, systemCode: Int32 = 0) {
    self.code = code
    self.message = message
    self.sql = sql
    self.path = path
    self.systemCode = systemCode
  }

  /// The code without its extension.
  public var primaryCode: Int32 { code & 0xff }

  public var description: String {
    let statement = sql.map { " in \"\($0)\"" } ?? ""
    return "\(path): \(message) (SQLite \(code))\(statement)"
  }

  init(of database: OpaquePointer?, code: Int32, sql: String?, path: String) {
    let message =
      database.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    let systemCode = database.map { sqlite3_system_errno($0) } ?? 0
    self.init(code: code, message: message, sql: sql, path: path, systemCode: systemCode)
  }
}
