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
  func inspect() throws(StorageError) {
    let folder = try status(container.path)
    guard let folder else { throw .missing(path: container.path) }
    if folder.kind != .directory { throw .notADirectory(path: container.path) }
    for other in [path + "-wal", path + "-shm", path + "-journal", container.reservePath] {
      if let kind = try status(other)?.kind, kind != .file { throw .notAFile(path: other) }
    }
    guard let file = try status(path) else { return try refuseIfLost() }
    if file.kind != .file { throw .notADatabase(path: path) }
    if file.size == 0 { return try refuseIfLost() }
    let head = try readHead()
    if head.allSatisfy({ $0 == 0 }), try status(path + "-journal") != nil {
      // A creation that a crash cut short; SQLite rolls it back to nothing.
      return try refuseIfLost()
    }
    guard head.count == 100, head.starts(with: Array("SQLite format 3".utf8) + [0]) else {
      throw .notADatabase(path: path)
    }
    let id = head[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    if id != Self.applicationID { throw .foreignDatabase(path: path, applicationID: id) }
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
    guard let layer = sqlite3_vfs_find(system.databaseLayer) else {
      throw .settingRefused(path: path, setting: "file layer \(system.databaseLayer ?? "")", found: "none")
    }
    let size = Int(layer.pointee.szOsFile)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(size, 16), alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: max(size, 16))
    defer { memory.deallocate() }
    let file = memory.assumingMemoryBound(to: sqlite3_file.self)
    // The name a layer is given ends in two zero bytes after it, where it looks for URI parameters.
    let name = Array(path.utf8CString) + [0, 0, 0]
    var head = [UInt8](repeating: 0, count: 100)
    let code = name.withUnsafeBufferPointer { name in
      var flags: Int32 = 0
      let code = layer.pointee.xOpen(
        layer, name.baseAddress, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, &flags)
      if code != SQLITE_OK { return code }
      defer { _ = file.pointee.pMethods?.pointee.xClose(file) }
      return head.withUnsafeMutableBytes {
        file.pointee.pMethods.pointee.xRead(file, $0.baseAddress, 100, 0)
      }
    }
    let primary = code & 0xff
    if code == SQLITE_IOERR | (2 << 8) {  // SQLITE_IOERR_SHORT_READ
      return Array(head.prefix { $0 != 0 })
    }
    if code != SQLITE_OK {
      let systemCode = layer.pointee.xGetLastError?(layer, 0, nil) ?? 0
      throw StorageError(
        SQLiteFailure(
          code: code, message: primary == SQLITE_CANTOPEN ? "cannot be opened" : "cannot be read", sql: nil,
          path: path, systemCode: systemCode))
    }
    return head
  }
}
