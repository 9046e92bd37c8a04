import TenureSystem

extension CrashFileSystem {
  /// A process on the disk: its file calls, its SQLite file layer, and what it holds.
  ///
  /// ```swift
  /// let app = disk.process("app") { $0.call == .databaseSync && $0.isAfter }   // dies after its first sync
  /// let widget = disk.process("widget")
  /// ```
  /// A dead process holds nothing any more, and every further call of its threads fails with `EIO` and changes
  /// nothing, so that they find their way out. Its file layer stays registered for the life of the file system,
  /// of its ``system``, and of the databases opened through it.
  public final class Process: Sendable {
    /// For messages.
    public let name: String
    let disk: CrashDisk
    let id: Int
    private let dies: (@Sendable (Moment) -> Bool)?
    private let counts = Lock([SystemCall: Int]())
    private let layer: CrashDatabaseLayer

    init(disk: CrashDisk, name: String, dies: (@Sendable (Moment) -> Bool)?) {
      self.disk = disk
      self.name = name
      self.dies = dies
      id = disk.state.withLock { $0.newProcess() }
      layer = CrashDatabaseLayer()
      layer.register(self)
    }

    /// The disk as this process sees it.
    public var system: System { system(clock: LiveClock()) }

    /// The disk as this process sees it, with a clock of the test's.
    public func system(clock: any SystemClock) -> System {
      System(calls: self, clock: clock, databaseLayer: databaseLayer)
    }

    /// The name of the SQLite file layer that opens databases on this disk for this process.
    public var databaseLayer: String { layer.name }

    /// Whether it has been killed.
    public var isDead: Bool { disk.state.withLock { $0.dead.contains(id) } }

    /// Ends the process as SIGKILL does: between two of its calls, with no word to anybody.
    public func kill() { disk.state.change { $0.kill(id) } }

    /// Makes one call: asks whether to die before and after, and fails it when dead.
    func step<Result>(
      _ call: SystemCall, _ path: @autoclosure () -> String?, wakes: Bool = false,
      _ body: (inout CrashDiskState) throws(Errno) -> Result
    ) throws(Errno) -> Result {
      let moment = dies == nil ? nil : moment(call, path())
      try live(through: moment, isAfter: false)
      let alive = { (state: inout CrashDiskState) throws(Errno) -> Result in
        if state.dead.contains(self.id) { throw .inputOutput }
        return try body(&state)
      }
      let result = try wakes ? disk.state.change(alive) : disk.state.withLock(alive)
      try live(through: moment, isAfter: true)
      return result
    }

    func path(of descriptor: Int32) -> String? { disk.state.withLock { $0.open[descriptor]?.path } }

    func moment(_ call: SystemCall, _ path: String?) -> Moment {
      let number = counts.withLock { counts in
        counts[call, default: 0] += 1
        return counts[call]!
      }
      return Moment(call: call, path: path, number: number, isAfter: false)
    }

    func live(through moment: Moment?, isAfter: Bool) throws(Errno) {
      guard let moment, let dies else { return }
      let now = Moment(call: moment.call, path: moment.path, number: moment.number, isAfter: isAfter)
      if !isDead, dies(now) { kill() }
      if isDead { throw .inputOutput }
    }
  }
}

extension CrashFileSystem.Process: SystemCalls {
  public func open(_ path: String, _ mode: OpenMode, permissions: UInt32) throws(Errno) -> Int32 {
    try step(.open, path) { state throws(Errno) in
      try state.open(path, mode, permissions: permissions, process: id)
    }
  }

  public func close(_ descriptor: Int32) throws(Errno) {
    try step(.close, path(of: descriptor), wakes: true) { state throws(Errno) in try state.close(descriptor) }
  }

  public func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try step(.read, path(of: descriptor)) { state throws(Errno) in
      let offset = try state.description(descriptor).offset
      let count = try state.read(descriptor, into: buffer, at: offset)
      state.open[descriptor]?.offset += Int64(count)
      return count
    }
  }

  public func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try step(.pread, path(of: descriptor)) { state throws(Errno) in
      try state.read(descriptor, into: buffer, at: offset)
    }
  }

  public func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try step(.write, path(of: descriptor)) { state throws(Errno) in
      let description = try state.description(descriptor)
      let end = state.volume.files[description.inode]?.size ?? 0
      let offset = description.mode.contains(.append) ? end : description.offset
      let count = try state.write(descriptor, bytes, at: offset)
      state.open[descriptor]?.offset = offset + Int64(count)
      return count
    }
  }

  public func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try step(.pwrite, path(of: descriptor)) { state throws(Errno) in
      try state.write(descriptor, bytes, at: offset)
    }
  }

  public func sync(_ descriptor: Int32) throws(Errno) {
    try step(.fsync, path(of: descriptor)) { state throws(Errno) in
      state.change(.sync(try state.description(descriptor).inode))
    }
  }

  public func syncData(_ descriptor: Int32) throws(Errno) {
    try step(.fdatasync, path(of: descriptor)) { state throws(Errno) in
      state.change(.sync(try state.description(descriptor).inode))
    }
  }

  public func truncate(_ descriptor: Int32, to length: Int64) throws(Errno) {
    try step(.ftruncate, path(of: descriptor)) { state throws(Errno) in
      try state.truncate(descriptor, to: length)
    }
  }

  public func allocate(_ descriptor: Int32, length: Int64) throws(Errno) {
    try step(.fallocate, path(of: descriptor)) { state throws(Errno) in
      let inode = try state.description(descriptor, for: .write).inode
      guard let size = state.volume.files[inode]?.size else { throw .isDirectory }
      if length > size { try state.truncate(descriptor, to: length) }
    }
  }

  public func rename(_ from: String, to: String) throws(Errno) {
    try step(.rename, from) { state throws(Errno) in
      let source = try state.place(from)
      let target = try state.place(to)
      guard let inode = state.volume.directories[source.directory]?[source.name] else { throw .noEntry }
      if let old = state.volume.directories[target.directory]?[target.name] {
        if old == inode { return }
        switch (state.isDirectory(inode), state.volume.directories[old]) {
        case (true, nil): throw .notDirectory
        case (false, .some): throw .isDirectory
        case (true, .some(let names)) where !names.isEmpty: throw .notEmpty
        default: break
        }
      }
      state.change(
        .names([
          CrashName(directory: source.directory, name: source.name, inode: nil),
          CrashName(directory: target.directory, name: target.name, inode: inode),
        ]))
    }
  }

  public func link(_ from: String, to: String) throws(Errno) {
    try step(.link, to) { state throws(Errno) in
      guard let inode = try state.find(from) else { throw .noEntry }
      if state.isDirectory(inode) { throw .notPermitted }
      let target = try state.place(to)
      if state.volume.directories[target.directory]?[target.name] != nil { throw .exists }
      state.change(.names([CrashName(directory: target.directory, name: target.name, inode: inode)]))
    }
  }

  public func unlink(_ path: String) throws(Errno) {
    try step(.unlink, path) { state throws(Errno) in try state.unlink(path) }
  }

  public func makeDirectory(_ path: String, permissions: UInt32) throws(Errno) {
    try step(.mkdir, path) { state throws(Errno) in
      let target = try state.place(path)
      if state.volume.directories[target.directory]?[target.name] != nil { throw .exists }
      let inode = state.make(isDirectory: true, permissions: permissions)
      state.change(.names([CrashName(directory: target.directory, name: target.name, inode: inode)]))
    }
  }

  public func removeDirectory(_ path: String) throws(Errno) {
    try step(.rmdir, path) { state throws(Errno) in
      let target = try state.place(path)
      guard let inode = state.volume.directories[target.directory]?[target.name] else { throw .noEntry }
      guard let names = state.volume.directories[inode] else { throw .notDirectory }
      if !names.isEmpty { throw .notEmpty }
      state.change(.names([CrashName(directory: target.directory, name: target.name, inode: nil)]))
    }
  }

  public func list(_ path: String) throws(Errno) -> [String] {
    try step(.readdir, path) { state throws(Errno) in
      guard let inode = try state.find(path) else { throw .noEntry }
      guard let names = state.volume.directories[inode] else { throw .notDirectory }
      return Array(names.keys)
    }
  }

  public func status(_ path: String) throws(Errno) -> FileStatus? {
    try step(.stat, path) { state throws(Errno) -> FileStatus? in
      let inode: CrashInode?
      do throws(Errno) { inode = try state.find(path) } catch {
        if error == .notDirectory { return nil }
        throw error
      }
      return inode.map { state.status(of: $0) }
    }
  }

  public func status(of descriptor: Int32) throws(Errno) -> FileStatus {
    try step(.stat, path(of: descriptor)) { state throws(Errno) in
      state.status(of: try state.description(descriptor).inode)
    }
  }

  public func changeMode(_ path: String, permissions: UInt32) throws(Errno) {
    try step(.chmod, path) { state throws(Errno) in
      guard let inode = try state.find(path) else { throw .noEntry }
      state.setPermissions(permissions, of: inode)
    }
  }

  public func lock(_ descriptor: Int32, exclusive: Bool, wait: Bool) throws(Errno) -> Bool {
    let moment = moment(.lock, path(of: descriptor))
    try live(through: moment, isAfter: false)
    let take = { (state: inout CrashDiskState) -> Result<Bool, Errno>? in
      if state.dead.contains(self.id) { return .failure(.inputOutput) }
      guard let inode = state.open[descriptor]?.inode else { return .failure(.badDescriptor) }
      let others = state.locks[inode, default: [:]].filter { $0.key != descriptor }
      if exclusive ? !others.isEmpty : others.values.contains(true) {
        return wait ? nil : .success(false)
      }
      state.locks[inode, default: [:]][descriptor] = exclusive
      return .success(true)
    }
    let taken = try (disk.state.wait(until: take) ?? .success(false)).get()
    try live(through: moment, isAfter: true)
    return taken
  }

  public func unlock(_ descriptor: Int32) throws(Errno) {
    try step(.unlock, path(of: descriptor), wakes: true) { state throws(Errno) in
      let inode = try state.description(descriptor).inode
      state.locks[inode]?[descriptor] = nil
    }
  }

  public func clone(_ from: Int32, to: Int32) throws(Errno) {
    try step(.clone, path(of: to)) { _ throws(Errno) in throw .notSupported }
  }
}
