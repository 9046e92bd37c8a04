import TenureSystem

/// A disk in use: what its processes see, what they hold open and locked, and the recording so far.
///
/// Confined to the `Monitor` of ``CrashDisk``.
struct CrashDiskState {
  /// What a descriptor leads to. Each `open` makes one of its own, as locks belong to it.
  struct Description {
    let process: Int
    let inode: CrashInode
    let path: String
    let mode: OpenMode
    var offset: Int64 = 0
  }

  /// Who holds what of a database file, by descriptor: SQLite's five-level lock.
  struct DatabaseLocks {
    var shared: Set<Int32> = []
    var reserved: Int32?
    var pending: Int32?
    var exclusive: Int32?
  }

  /// Files larger than this are refused.
  static let largestFile: Int64 = 1 << 34

  let origin: CrashVolume
  var volume: CrashVolume
  var changes: [CrashChange] = []
  var open: [Int32: Description] = [:]
  /// File locks: which descriptors hold one, and whether alone.
  var locks: [CrashInode: [Int32: Bool]] = [:]
  var databaseLocks: [CrashInode: DatabaseLocks] = [:]
  var shared: [CrashInode: CrashSharedMemory] = [:]
  var dead: Set<Int> = []
  private var lastProcess = 0
  private var lastInode: CrashInode
  /// Far from numbers the real system gives out, so that none is mistaken for the other.
  private var lastDescriptor: Int32 = 1_000_000
  private var permissions: [CrashInode: UInt32] = [:]
  private var modified: [CrashInode: Int64] = [:]

  init(_ volume: CrashVolume) {
    origin = volume
    self.volume = volume
    lastInode = volume.lastInode
  }

  // MARK: Changing

  mutating func change(_ change: CrashChange) {
    switch change {
    case .make(let inode, let isDirectory): volume.make(inode, isDirectory: isDirectory)
    case .data(let inode, let data):
      volume.apply(data, to: inode)
      touch(inode)
    case .names(let names):
      for name in names {
        volume.apply(name)
        touch(name.directory)
      }
    case .sync, .acknowledge: break
    }
    changes.append(change)
  }

  private mutating func touch(_ inode: CrashInode) { modified[inode] = LiveClock().wall }

  mutating func make(isDirectory: Bool, permissions mode: UInt32) -> CrashInode {
    lastInode += 1
    change(.make(lastInode, isDirectory: isDirectory))
    permissions[lastInode] = mode
    touch(lastInode)
    return lastInode
  }

  mutating func setPermissions(_ mode: UInt32, of inode: CrashInode) { permissions[inode] = mode }

  mutating func newProcess() -> Int {
    lastProcess += 1
    return lastProcess
  }

  // MARK: Names

  /// The parts of a path; what leads nowhere else is left out.
  private static func parts(_ path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }
  }

  func find(_ path: String) throws(Errno) -> CrashInode? {
    var inode = CrashVolume.root
    for part in Self.parts(path) {
      guard let names = volume.directories[inode] else { throw .notDirectory }
      guard let next = names[part] else { return nil }
      inode = next
    }
    return inode
  }

  /// The directory that holds the last part of a path, and that part.
  func place(_ path: String) throws(Errno) -> (directory: CrashInode, name: String) {
    var parts = Self.parts(path)
    guard let name = parts.popLast() else { throw .exists }
    if name.utf8.count > 255 { throw .nameTooLong }
    guard let directory = try find(parts.joined(separator: "/")) else { throw .noEntry }
    if volume.directories[directory] == nil { throw .notDirectory }
    return (directory, name)
  }

  func isDirectory(_ inode: CrashInode) -> Bool { volume.directories[inode] != nil }

  func status(of inode: CrashInode) -> FileStatus {
    var links = 0
    for names in volume.directories.values { links += names.values.count { $0 == inode } }
    return FileStatus(
      kind: isDirectory(inode) ? .directory : .file, size: volume.files[inode]?.size ?? 0, device: 1,
      inode: inode, links: UInt64(links), modified: modified[inode] ?? 0,
      permissions: permissions[inode] ?? 0o600)
  }

  mutating func unlink(_ path: String) throws(Errno) {
    let (directory, name) = try place(path)
    guard let inode = volume.directories[directory]?[name] else { throw .noEntry }
    if isDirectory(inode) { throw .isDirectory }
    change(.names([CrashName(directory: directory, name: name, inode: nil)]))
  }

  // MARK: Descriptors

  mutating func open(
    _ path: String, _ mode: OpenMode, permissions: UInt32, process: Int
  ) throws(Errno) -> Int32 {
    let inode: CrashInode
    if let found = try find(path) {
      if mode.contains([.create, .exclusive]) { throw .exists }
      inode = found
      if isDirectory(found) {
        if mode.contains(.write) { throw .isDirectory }
      } else {
        if mode.contains(.directory) { throw .notDirectory }
        if mode.contains(.truncate), mode.contains(.write) { change(.data(found, .resize(0))) }
      }
    } else {
      if !mode.contains(.create) { throw .noEntry }
      let (directory, name) = try place(path)
      inode = make(isDirectory: false, permissions: permissions)
      change(.names([CrashName(directory: directory, name: name, inode: inode)]))
    }
    return describe(Description(process: process, inode: inode, path: path, mode: mode))
  }

  mutating func describe(_ description: Description) -> Int32 {
    lastDescriptor += 1
    open[lastDescriptor] = description
    return lastDescriptor
  }

  func description(_ descriptor: Int32, for mode: OpenMode = []) throws(Errno) -> Description {
    guard let description = open[descriptor] else { throw .badDescriptor }
    if !description.mode.isSuperset(of: mode) { throw .badDescriptor }
    return description
  }

  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    let description = try description(descriptor, for: .read)
    guard let pages = volume.files[description.inode] else { throw .isDirectory }
    if offset < 0 { throw .invalidArgument }
    return pages.read(into: buffer, at: offset)
  }

  mutating func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    let description = try description(descriptor, for: .write)
    if offset < 0 { throw .invalidArgument }
    if offset > Self.largestFile - Int64(bytes.count) { throw .fileTooLarge }
    if bytes.isEmpty { return 0 }
    change(.data(description.inode, .write(Array(bytes), at: offset)))
    return bytes.count
  }

  mutating func truncate(_ descriptor: Int32, to length: Int64) throws(Errno) {
    let description = try description(descriptor, for: .write)
    if length < 0 { throw .invalidArgument }
    if length > Self.largestFile { throw .fileTooLarge }
    change(.data(description.inode, .resize(length)))
  }

  mutating func close(_ descriptor: Int32) throws(Errno) {
    guard let description = open.removeValue(forKey: descriptor) else { throw .badDescriptor }
    release(descriptor, of: description.inode)
  }

  private mutating func release(_ descriptor: Int32, of inode: CrashInode) {
    locks[inode]?[descriptor] = nil
    unlockDatabase(descriptor, inode, to: .none)
    leaveShared(inode, descriptor)
  }

  /// Everything a process holds is given back; what it wrote stays.
  mutating func kill(_ process: Int) {
    dead.insert(process)
    for (descriptor, description) in open where description.process == process {
      open[descriptor] = nil
      // Its threads may still be inside SQLite and touch the memory: from here on they touch a copy.
      shared[description.inode]?.detach(process)
      release(descriptor, of: description.inode)
    }
  }
}
