import CSQLite

/// SQLite's C interface as thin as it gets: these tests are about the layer under it.
///
/// A connection is for one thread at a time and is closed with the object.
final class RawDatabase {
  /// A call that did not answer SQLITE_OK.
  struct Failure: Error {
    let code: Int32
    let extended: Int32
    let errno: Int32
    let message: String
  }

  private let handle: OpaquePointer

  init(_ path: String, layer: String? = nil) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &handle, flags, layer)
    guard let handle else {
      throw Failure(code: code, extended: code, errno: 0, message: "out of memory")
    }
    self.handle = handle
    if code != SQLITE_OK { throw failure(code) }
  }

  deinit { sqlite3_close(handle) }

  func run(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
  }

  /// The first column of every row, as text.
  func column(_ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    if code != SQLITE_OK { throw failure(code) }
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
      case SQLITE_DONE: return rows
      case let code: throw failure(code)
      }
    }
  }

  private func failure(_ code: Int32) -> Failure {
    Failure(
      code: code & 0xff, extended: sqlite3_extended_errcode(handle), errno: sqlite3_system_errno(handle),
      message: String(cString: sqlite3_errmsg(handle)))
  }
}
