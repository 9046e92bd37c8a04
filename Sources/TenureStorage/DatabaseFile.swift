import CSQLite
import TenureGroup
import TenureSystem

/// The database file of a container: what it must be, and how connections to it are set up.
struct DatabaseFile: Sendable {
  /// "Tenu": marks the file as ours.
  static let applicationID: UInt32 = 0x5465_6E75

  let container: GroupContainer
  let options: GroupDatabase.Options
  let guards: StorageGuards

  var path: String { container.databasePath }
  private var system: System { container.system }

  /// Opens a connection with every setting that durability rests on, each read back.
  func connect(_ access: SQLiteConnection.Access, stop: StopFlag) throws(StorageError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path, access, layer: system.databaseLayer, stop: stop)
    connection.busyTimeout = options.busyTimeout.nanoseconds
    try keepLog(of: connection)
    if case .create = access {
      // In this order: a crash between the two leaves a file that is already known to be ours.
      if try connection.integer("PRAGMA application_id") != Int64(Self.applicationID) {
        try connection.run("PRAGMA application_id = \(Self.applicationID)")
      } else if try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
        // A crash between the two left it, or its log, which had everything else, is gone.
        try refuseIfLost(countingLog: false)
      }
      try demand(connection, "journal_mode", set: "WAL", answer: "wal")
    }
    if case .read = access { return connection }
    if guards.d1 {
      try demand(connection, "synchronous", set: "FULL", answer: "2")
    } else {
      try demand(connection, "synchronous", set: "OFF", answer: "0")
    }
    #if canImport(Darwin)
      try demand(connection, "fullfsync", set: "ON", answer: "1")
      try demand(connection, "checkpoint_fullfsync", set: "ON", answer: "1")
    #endif
    try connection.run("PRAGMA journal_size_limit = \(options.logHardBound)")
    return connection
  }

  /// No checkpoint behind our back: not on a commit (``SQLiteConnection`` holds the hook that would), not when
  /// the last connection closes; and the log's file stays, so that its blocks are written over.
  private func keepLog(of connection: SQLiteConnection) throws(StorageError) {
    let code = tenure_sqlite_set_flag(connection.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    var persist: Int32 = 1
    let control = sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_PERSIST_WAL, &persist)
    if code != SQLITE_OK || (control != SQLITE_OK && control != SQLITE_NOTFOUND) {
      throw .settingRefused(path: path, setting: "no checkpoint on close", found: "\(code), \(control)")
    }
  }

  private func demand(
    _ connection: SQLiteConnection, _ pragma: String, set: String, answer: String
  ) throws(StorageError) {
    try connection.run("PRAGMA \(pragma) = \(set)")
    let found = try connection.text("PRAGMA \(pragma)") ?? ""
    if found != answer {
      throw .settingRefused(path: path, setting: "\(pragma)=\(set)", found: found)
    }
  }

  /// Looks at the container and the file's head, and refuses what is not ours before a byte is written.
  ///
  /// The head is read through SQLite's file layer: opening and closing the file beside it would drop the locks
  /// this process holds on it. Call under the commit lock.
  ///
  /// `false`: there is no database, and there never was one.
  @discardableResult
  func inspect() throws(StorageError) -> Bool {
    let folder = try status(container.path)
    guard let folder else { throw .missing(path: container.path) }
    if folder.kind != .directory { throw .notADirectory(path: container.path) }
    for other in [path + "-wal", path + "-shm", path + "-journal", container.reservePath] {
      if let kind = try status(other)?.kind, kind != .file { throw .notAFile(path: other) }
    }
    guard let file = try status(path) else { return try refusedIfLost() }
    if file.kind != .file { throw .notADatabase(path: path) }
    if file.size == 0 { return try refusedIfLost() }
    let head = try readHead()
    if head.allSatisfy({ $0 == 0 }), try status(path + "-journal") != nil {
      // A creation that a crash cut short; SQLite rolls it back to nothing.
      return try refusedIfLost()
    }
    guard head.count == 100, head.starts(with: Array("SQLite format 3".utf8) + [0]) else {
      throw .notADatabase(path: path)
    }
    let id = head[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    if id != Self.applicationID { throw .foreignDatabase(path: path, applicationID: id) }
    // A schema that was never changed has no tables, unless they are all in the log still.
    if head[40..<44].allSatisfy({ $0 == 0 }), try status(path + "-wal")?.size ?? 0 == 0 {
      return try refusedIfLost()
    }
    return true
  }

  private func refusedIfLost() throws(StorageError) -> Bool {
    try refuseIfLost()
    return false
  }

  private func status(_ path: String) throws(StorageError) -> FileStatus? {
    do {
      return try system.status(path)
    } catch {
      throw error.code == .notDirectory ? .notADirectory(path: path) : StorageError(error)
    }
  }

  /// The first hundred bytes, fewer when there are no more.
  private func readHead() throws(StorageError) -> [UInt8] {
    let file = try LayerFile(path, layer: system.databaseLayer)
    var head = [UInt8](repeating: 0, count: 100)
    let isWhole = head.withUnsafeMutableBytes { bytes in
      Result { () throws(StorageError) in try file.read(into: bytes, at: 0) }
    }
    return try isWhole.get() ? head : Array(head.prefix { $0 != 0 })
  }
}
