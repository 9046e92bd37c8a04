import CSQLite
import TenureGroup
import TenureSystem

/// Why the database could not do what was asked, and what to do about it.
///
/// Only ``inDoubt(reason:)`` leaves open whether a change happened. After every other error it did not.
public enum StorageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Nothing has that name.
  case missing(path: String)
  /// The path is a file where a directory is needed.
  case notADirectory(path: String)
  /// The folder or the volume cannot be written.
  case readOnly(path: String, detail: String)
  /// The file is there and cannot be read at the moment; never treated as empty.
  case unreadableNow(path: String, detail: String)
  /// The file is no SQLite database.
  case notADatabase(path: String)
  /// Something else has the name of one of the database's own files. It was left as it is.
  case notAFile(path: String)
  /// A table is not there: the database was changed by something else, or the statement names a table that no
  /// component makes.
  case tableMissing(SQLiteFailure)
  /// The file is another program's database. Not a byte of it was written.
  case foreignDatabase(path: String, applicationID: UInt32)
  /// The database is gone or empty, and what is left of the container says that there was one. Nothing was made in
  /// its place.
  case databaseLost(path: String, found: [String])
  /// A newer version of the app has changed the tables (D12). Nothing was written.
  case newerSchema(component: String, found: Int64, known: Int64)
  /// The container was restored from a backup under a running process (D14). Nothing was written.
  case epochChanged(expected: String, found: String)
  /// A migration threw; the tables are as they were.
  case migrationFailed(component: String, from: Int64, to: Int64, reason: String)
  /// SQLite did not take a setting that durability rests on.
  case settingRefused(path: String, setting: String, found: String)
  /// The database is a copy made for looking, and nothing can be written to it or to what it is a copy of.
  case inspectedOnly(original: String)
  /// A copy of the container would not fit. Nothing of it was left behind.
  case noRoomForCopy(of: String, folder: String, bytes: Int64)
  /// The disk is full. Free some space, or delete something, and try again.
  case full(path: String, detail: String)
  /// The write-ahead log has reached its bound and somebody who reads keeps it from starting anew (D13).
  case logFull(bytes: Int64, bound: Int64, inTheWay: [String])
  /// The commit lock was not had in time.
  case lockTimedOut(holder: String?)
  /// Somebody outside this library holds SQLite's own lock.
  case busy(SQLiteFailure)
  /// The database is suspended, and the caller did not ask to wait.
  case suspended
  /// The database was closed.
  case closed
  /// The statement was interrupted.
  case interrupted
  /// COMMIT failed in a way that leaves open whether the change is there. Ask by change ID after
  /// ``GroupDatabase/resolveDoubt()``.
  case inDoubt(reason: String)
  /// Not tried, because an earlier commit is in doubt and the barrier does not succeed yet.
  case halted(reason: String)
  /// The database is damaged.
  case corrupt(SQLiteFailure)
  /// The device failed.
  case inputOutput(SQLiteFailure)
  /// A rule of the tables was broken.
  case constraint(SQLiteFailure)
  /// Any other answer of SQLite.
  case statement(SQLiteFailure)
  /// A body file does not hold what was written.
  case bodyDamaged(path: String, detail: String)
  /// A body was removed before its row was written, because this process was suspended in between.
  case bodySwept(path: String)
  /// A body is larger than its bound.
  case bodyTooLarge(path: String, size: Int64, bound: Int64)
  /// A file call failed.
  case system(SystemError)
  /// A lock, lease or the container failed.
  case group(GroupError)

  /// Whether the same request may succeed later, unchanged.
  public var isRetryable: Bool {
    switch self {
    case .unreadableNow, .full, .noRoomForCopy, .logFull, .lockTimedOut, .busy, .suspended, .interrupted,
      .halted, .bodySwept:
      true
    case .system(let error): error.isTransient
    default: false
    }
  }

  public var description: String {
    switch self {
    case .missing(let path): "\(path) does not exist. Check the path."
    case .notADirectory(let path): "\(path) is not a directory. Choose a folder."
    case .readOnly(let path, let detail):
      "\(path) cannot be written: \(detail). Choose a folder you may write to."
    case .unreadableNow(let path, let detail):
      "\(path) cannot be read now: \(detail). It was left as it is; try again after unlocking the device or "
        + "changing its permissions."
    case .notADatabase(let path):
      "\(path) is not a database. It was left as it is; move it away to start anew."
    case .foreignDatabase(let path, let id):
      "\(path) belongs to another program (application ID \(id)). It was left as it is; choose another folder."
    case .notAFile(let path):
      "\(path) is no file, and the database needs that name for one of its own. Move it away and try again."
    case .tableMissing(let failure):
      "\(failure). A table of this database was removed by something else, or no component makes it; run a check, "
        + "and put a copy back when one is missing."
    case .databaseLost(let path, let found):
      "\(path) is missing or empty, yet the container holds \(found.joined(separator: ", ")): its documents were "
        + "in a database that is gone. Nothing was made in its place; put a copy of \(path.lastPathPart) and its "
        + "-wal back, or move \(path.parentPath) away to start anew."
    case .newerSchema(let component, let found, let known):
      "The tables of \(component) have version \(found), this process knows \(known). Nothing was written; "
        + "update the app or restart this process."
    case .epochChanged(let expected, let found):
      "The container was restored (epoch \(found), this process opened \(expected)). Nothing was written; "
        + "open it again."
    case .migrationFailed(let component, let from, let to, let reason):
      "Migrating \(component) from version \(from) to \(to) failed: \(reason). The tables are as they were."
    case .settingRefused(let path, let setting, let found):
      "\(path): SQLite answers \"\(found)\" where \(setting) is needed for durability."
    case .inspectedOnly(let original):
      "This is a copy of \(original), made to look into it, and nothing is written. Open the container itself to write."
    case .noRoomForCopy(let original, let folder, let bytes):
      "\(original) is looked into by a copy of its database, and \(folder) has no room for its \(bytes) bytes. Free "
        + "some space there, or set TMPDIR to a folder that has it."
    case .full(let path, let detail): "\(path): the disk is full (\(detail)). Free some space and try again."
    case .logFull(let bytes, let bound, let inTheWay):
      "The write-ahead log holds \(bytes) bytes of at most \(bound), and cannot start anew because of "
        + (inTheWay.isEmpty ? "a reader outside this library" : inTheWay.joined(separator: ", "))
        + ". End that read and try again."
    case .lockTimedOut(let holder):
      "The commit lock was not had in time; \(holder ?? "nobody") says to hold it. Try again."
    case .busy(let failure): "\(failure). Another program holds the database; try again."
    case .suspended: "The database is suspended. Try again after resume()."
    case .closed: "The database was closed."
    case .interrupted: "The statement was interrupted. Try again."
    case .inDoubt(let reason):
      "Whether the change was committed is not known: \(reason). Ask again by change ID; do not make the "
        + "change anew."
    case .halted(let reason):
      "Nothing is written until an earlier commit is settled: \(reason). Try again."
    case .corrupt(let failure): "\(failure). The database is damaged; keep a copy and recover from it."
    case .inputOutput(let failure): "\(failure). The device failed."
    case .constraint(let failure), .statement(let failure): failure.description
    case .bodyDamaged(let path, let detail): "\(path) is damaged: \(detail)."
    case .bodySwept(let path):
      "\(path) was swept while this process was suspended. Write the body again."
    case .bodyTooLarge(let path, let size, let bound):
      "\(path) has \(size) bytes; at most \(bound) are taken."
    case .system(let error): error.description
    case .group(let error): "\(error)"
    }
  }

  /// The meaning of an answer of SQLite.
  init(_ failure: SQLiteFailure) {
    switch failure.primaryCode {
    case SQLITE_FULL: self = .full(path: failure.path, detail: failure.message)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy(failure)
    case SQLITE_INTERRUPT: self = .interrupted
    case SQLITE_CORRUPT: self = .corrupt(failure)
    case SQLITE_NOTADB: self = .notADatabase(path: failure.path)
    case SQLITE_READONLY: self = .readOnly(path: failure.path, detail: failure.message)
    case SQLITE_PERM, SQLITE_AUTH: self = .unreadableNow(path: failure.path, detail: failure.message)
    case SQLITE_IOERR:
      // Also when the cause is a full disk: a sync that failed for it leaves a commit in doubt, and `full` never does.
      switch Errno(rawValue: failure.systemCode) {
      case .accessDenied, .notPermitted:
        self = .unreadableNow(path: failure.path, detail: Errno(rawValue: failure.systemCode).description)
      default: self = .inputOutput(failure)
      }
    case SQLITE_CANTOPEN:
      let code = Errno(rawValue: failure.systemCode)
      switch code {
      case .accessDenied, .notPermitted: self = .unreadableNow(path: failure.path, detail: code.description)
      case .readOnlyFileSystem: self = .readOnly(path: failure.path, detail: code.description)
      case .noSpace, .quotaExceeded: self = .full(path: failure.path, detail: code.description)
      case .noEntry: self = .missing(path: failure.path)
      default: self = .statement(failure)
      }
    case SQLITE_CONSTRAINT: self = .constraint(failure)
    case SQLITE_ERROR where failure.message.hasPrefix("no such table"): self = .tableMissing(failure)
    default: self = .statement(failure)
    }
  }

  /// The meaning of a failed file call.
  init(_ error: SystemError) {
    let path = error.path ?? ""
    switch error.code {
    case .noSpace, .quotaExceeded: self = .full(path: path, detail: error.code.description)
    case .accessDenied, .notPermitted: self = .unreadableNow(path: path, detail: error.code.description)
    case .readOnlyFileSystem: self = .readOnly(path: path, detail: error.code.description)
    case .noEntry: self = .missing(path: path)
    default: self = .system(error)
    }
  }

  /// Something in the tables that nothing here ever writes.
  package static func impossible(_ what: String, in path: String) -> StorageError {
    .corrupt(SQLiteFailure(code: SQLITE_CORRUPT, message: what, sql: nil, path: path))
  }
}

extension Int64 {
  /// The number after this one, which counts what is stored. `what` says whose last it is: counted by ones nobody
  /// gets to the end, or below 1, so such a number was written by something else.
  package func successor(_ what: String, in path: String) throws(StorageError) -> Int64 {
    let (next, overflows) = addingReportingOverflow(1)
    if overflows || next < 1 { throw .impossible("\(what) \(self)", in: path) }
    return next
  }
}
