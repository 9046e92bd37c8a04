#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension System {
  /// Opens a file. Its descriptor is never inherited by another program.
  public func open(
    _ path: String, _ mode: OpenMode, permissions: UInt32 = 0o600
  ) throws(SystemError) -> OpenFile {
    let descriptor = try retrying(.open, path) { () throws(Errno) in
      try calls.open(path, mode, permissions: permissions)
    }
    return OpenFile(descriptor: descriptor, path: path, calls: calls)
  }

  /// Size, identity and times; `nil` when nothing has that name.
  public func status(_ path: String) throws(SystemError) -> FileStatus? {
    try retrying(.stat, path) { () throws(Errno) in try calls.status(path) }
  }

  /// Whether this process may write the file, or the names in the directory; `false` on a read-only volume.
  public func mayWrite(_ path: String) throws(SystemError) -> Bool {
    do {
      try retrying(.access, path) { () throws(Errno) in try calls.checkWritable(path) }
      return true
    } catch {
      switch error.code {
      case .accessDenied, .notPermitted, .readOnlyFileSystem: return false
      default: throw error
      }
    }
  }

  /// The names in a directory, sorted by their bytes.
  public func list(_ path: String) throws(SystemError) -> [String] {
    try retrying(.readdir, path) { () throws(Errno) in try calls.list(path) }.sorted()
  }

  /// Gives a file another name, atomically. Durable after ``syncDirectory(_:)`` of both directories.
  public func rename(_ from: String, to: String) throws(SystemError) {
    try retrying(.rename, from) { () throws(Errno) in try calls.rename(from, to: to) }
  }

  /// Gives a file a second name.
  public func link(_ from: String, to: String) throws(SystemError) {
    try retrying(.link, to) { () throws(Errno) in try calls.link(from, to: to) }
  }

  /// Sets the permission bits of a file.
  public func changeMode(_ path: String, permissions: UInt32) throws(SystemError) {
    try retrying(.chmod, path) { () throws(Errno) in try calls.changeMode(path, permissions: permissions) }
  }

  /// Takes a name away; `false` when it was already gone.
  @discardableResult
  public func remove(_ path: String) throws(SystemError) -> Bool {
    do {
      try retrying(.unlink, path) { () throws(Errno) in try calls.unlink(path) }
      return true
    } catch {
      if error.code == .noEntry { return false }
      throw error
    }
  }

  /// Makes a directory and those above it that are missing, each synced into its parent.
  public func makeDirectories(_ path: String, permissions: UInt32 = 0o700) throws(SystemError) {
    if let status = try status(path) {
      if status.kind == .directory { return }
      throw SystemError(.mkdir, .notDirectory, path: path)
    }
    let parent = path.parentPath
    if parent != path { try makeDirectories(parent, permissions: permissions) }
    do {
      try retrying(.mkdir, path) { () throws(Errno) in
        try calls.makeDirectory(path, permissions: permissions)
      }
    } catch {
      if error.code != .exists { throw error }
    }
    try syncDirectory(parent)
  }

  /// Makes one directory, which must not be there yet. Not synced.
  public func makeDirectory(_ path: String, permissions: UInt32 = 0o700) throws(SystemError) {
    try retrying(.mkdir, path) { () throws(Errno) in
      try calls.makeDirectory(path, permissions: permissions)
    }
  }

  /// Makes a directory for nobody else, whose name begins with `prefix` and was nothing's before; its path.
  public func makePrivateDirectory(in parent: String, prefix: String) throws(SystemError) -> String {
    var number = clock.monotonic
    while true {
      let path = parent.appendingPath("\(prefix)\(getpid())-\(number)")
      do throws(SystemError) {
        try makeDirectory(path)
        return path
      } catch {
        if error.code != .exists {
          // Made, and then said to have failed.
          try? removeDirectory(path)
          throw error
        }
        number &+= 1
      }
    }
  }

  /// Removes an empty directory.
  public func removeDirectory(_ path: String) throws(SystemError) {
    try retrying(.rmdir, path) { () throws(Errno) in try calls.removeDirectory(path) }
  }

  /// Makes the names in a directory durable.
  public func syncDirectory(_ path: String) throws(SystemError) {
    try open(path, [.read, .directory]).sync()
  }

  /// All bytes of a file. A file larger than `limit` bytes is refused with `EFBIG`.
  public func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try open(path, .read)
    let size = try file.status().size
    if size > Int64(limit) { throw SystemError(.read, .fileTooLarge, path: path) }
    var bytes = [UInt8](repeating: 0, count: Int(size))
    let count = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in try file.read(into: buffer, at: 0) }
    }
    bytes.removeLast(bytes.count - (try count.get()))
    return bytes
  }
}

extension String {
  /// The path above this one: `/a/b` of `/a/b/c`, `.` of `c`, `/` of `/`.
  public var parentPath: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    if slash == startIndex { return "/" }
    return String(self[..<slash])
  }

  /// The last part of this path: `c` of `/a/b/c`.
  public var lastPathPart: String {
    guard let slash = lastIndex(of: "/") else { return self }
    return String(self[index(after: slash)...])
  }

  /// The path of `name` inside this one.
  public func appendingPath(_ name: String) -> String {
    hasSuffix("/") ? self + name : self + "/" + name
  }
}
