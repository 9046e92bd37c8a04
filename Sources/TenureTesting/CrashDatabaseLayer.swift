import CSQLite
import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The SQLite file layer of one process of a ``CrashFileSystem``.
///
/// It says of itself what SQLite's unix layer says: sectors of 4096 bytes, and that a write changes no bytes
/// beside its own. Like that layer it syncs the directory with the first sync of a new journal or log.
///
/// `@unchecked Sendable`: the structures are written in `init` and `register` before anybody else knows of
/// them, and only read after; `pNext` belongs to SQLite, which changes it under its own mutex.
final class CrashDatabaseLayer: @unchecked Sendable {
  let name = DatabaseLayerName.next("tenure-crash")
  /// Read by SQLite's callbacks; does not keep the process alive, whose property this object is.
  private(set) weak var process: CrashFileSystem.Process?
  let methods: UnsafeMutablePointer<sqlite3_io_methods>
  private let vfs: UnsafeMutablePointer<sqlite3_vfs>
  private let cName: UnsafeMutablePointer<CChar>

  init() {
    vfs = .allocate(capacity: 1)
    methods = .allocate(capacity: 1)
    methods.initialize(to: crashFileMethods())
    vfs.initialize(to: crashLayerMethods())
    cName = strdup(name)
    vfs.pointee.zName = UnsafePointer(cName)
    vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
  }

  func register(_ process: CrashFileSystem.Process) {
    self.process = process
    // Registering fails only when SQLite cannot initialise; opening a database then says so.
    sqlite3_vfs_register(vfs, 0)
  }

  deinit {
    sqlite3_vfs_unregister(vfs)
    vfs.deallocate()
    methods.deallocate()
    free(cName)
  }
}

/// A database, log or journal that SQLite has open.
final class CrashDatabaseFile: Sendable {
  struct State {
    var level = SQLITE_LOCK_NONE
    var persistsLog = false
    /// A new journal or log: its name becomes durable with its first sync.
    var syncsDirectory: Bool
    var memory: CrashSharedMemory?
  }

  let process: CrashFileSystem.Process
  let descriptor: Int32
  let inode: CrashInode
  let path: String?
  let deletesOnClose: Bool
  let state: Lock<State>

  init(
    process: CrashFileSystem.Process, descriptor: Int32, inode: CrashInode, path: String?,
    deletesOnClose: Bool, syncsDirectory: Bool
  ) {
    self.process = process
    self.descriptor = descriptor
    self.inode = inode
    self.path = path
    self.deletesOnClose = deletesOnClose
    state = Lock(State(syncsDirectory: syncsDirectory))
  }

  static func open(
    _ path: String?, flags: Int32, process: CrashFileSystem.Process
  ) throws(Errno) -> CrashDatabaseFile {
    var mode: OpenMode = .read
    if flags & SQLITE_OPEN_READONLY == 0 { mode.insert(.write) }
    if flags & SQLITE_OPEN_CREATE != 0 { mode.insert(.create) }
    if flags & SQLITE_OPEN_EXCLUSIVE != 0 { mode.insert(.exclusive) }
    let (descriptor, inode, isNew) = try process.step(.databaseOpen, path) { state throws(Errno) in
      guard let path else {
        let inode = state.make(isDirectory: false, permissions: 0o600)
        let description = CrashDiskState.Description(process: process.id, inode: inode, path: "", mode: mode)
        return (state.describe(description), inode, true)
      }
      let isNew = try state.find(path) == nil
      let descriptor = try state.open(path, mode, permissions: 0o644, process: process.id)
      return (descriptor, try state.description(descriptor).inode, isNew)
    }
    let journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL
    return CrashDatabaseFile(
      process: process, descriptor: descriptor, inode: inode, path: path,
      deletesOnClose: flags & SQLITE_OPEN_DELETEONCLOSE != 0,
      syncsDirectory: isNew && flags & journals != 0)
  }

  func close() {
    let memory = state.withLock { $0.memory }
    process.disk.state.change { state in
      try? state.close(descriptor)
      memory?.unmap(file: descriptor, process: process.id)
      if deletesOnClose, let path, !state.dead.contains(process.id) { try? state.unlink(path) }
    }
  }

  func sync() throws(Errno) {
    let syncsDirectory = state.withLock { $0.syncsDirectory }
    try process.step(.databaseSync, path) { disk throws(Errno) in
      disk.change(.sync(inode))
      if syncsDirectory, let path, let directory = try? disk.place(path).directory {
        disk.change(.sync(directory))
      }
    }
    state.withLock { $0.syncsDirectory = false }
  }

  // MARK: Locks

  /// Takes a higher level; `false` when another connection stands in the way.
  func lock(_ level: Int32) throws(Errno) -> Bool {
    if level <= state.withLock({ $0.level }) { return true }
    let taken = try process.step(.databaseLock, path) { disk throws(Errno) in
      disk.lockDatabase(descriptor, inode, level)
    }
    if taken { state.withLock { $0.level = level } }
    return taken
  }

  func unlock(_ level: Int32) {
    if level >= state.withLock({ $0.level }) { return }
    process.disk.state.withLock { disk in
      disk.unlockDatabase(descriptor, inode, to: level == SQLITE_LOCK_SHARED ? .shared : .none)
    }
    state.withLock { $0.level = level }
  }

  var isReserved: Bool {
    process.disk.state.withLock { disk in
      let locks = disk.databaseLocks[inode]
      return locks?.reserved != nil || locks?.exclusive != nil
    }
  }

  // MARK: Shared memory

  private var sharedPath: String? { path.map { $0 + "-shm" } }

  func mapShared(_ region: Int, size: Int, extend: Bool) throws(Errno) -> UnsafeMutableRawPointer? {
    let (memory, address) = try process.step(.databaseSharedMap, sharedPath) { disk throws(Errno) in
      let memory = try disk.sharedMemory(of: inode)
      let address = try memory.map(
        region, size: size, extend: extend, file: descriptor, process: process.id)
      return (memory, address)
    }
    state.withLock { $0.memory = memory }
    return address
  }

  func lockShared(_ first: Int, _ count: Int, exclusive: Bool) throws(Errno) -> Bool {
    try process.step(.databaseSharedLock, sharedPath) { disk throws(Errno) in
      try disk.sharedMemory(of: inode).lock(first, count, descriptor, exclusive: exclusive)
    }
  }

  func unlockShared(_ first: Int, _ count: Int) {
    process.disk.state.withLock { disk in
      disk.shared[inode]?.unlock(first, count, descriptor)
    }
  }

  func unmapShared() {
    let memory = state.withLock { state in
      defer { state.memory = nil }
      return state.memory
    }
    process.disk.state.withLock { disk in
      disk.leaveShared(inode, descriptor)
      memory?.unmap(file: descriptor, process: process.id)
    }
  }
}

extension CrashDiskState {
  enum DatabaseLevel { case none, shared }

  mutating func lockDatabase(_ file: Int32, _ inode: CrashInode, _ level: Int32) -> Bool {
    var locks = databaseLocks[inode, default: DatabaseLocks()]
    defer { databaseLocks[inode] = locks }
    func isOther(_ holder: Int32?) -> Bool { holder != nil && holder != file }
    if isOther(locks.exclusive) { return false }
    switch level {
    case SQLITE_LOCK_SHARED:
      if isOther(locks.pending) { return false }
      locks.shared.insert(file)
    case SQLITE_LOCK_RESERVED:
      if isOther(locks.reserved) || isOther(locks.pending) { return false }
      locks.reserved = file
    default:
      if isOther(locks.reserved) || isOther(locks.pending) { return false }
      // Stays when readers are in the way, so that they drain.
      locks.pending = file
      if !locks.shared.subtracting([file]).isEmpty { return false }
      if level == SQLITE_LOCK_EXCLUSIVE { locks.exclusive = file }
    }
    return true
  }

  mutating func unlockDatabase(_ file: Int32, _ inode: CrashInode, to level: DatabaseLevel) {
    guard var locks = databaseLocks[inode] else { return }
    if locks.reserved == file { locks.reserved = nil }
    if locks.pending == file { locks.pending = nil }
    if locks.exclusive == file { locks.exclusive = nil }
    if level == .none { locks.shared.remove(file) }
    databaseLocks[inode] = locks.shared.isEmpty && locks.reserved == nil && locks.pending == nil ? nil : locks
  }
}
