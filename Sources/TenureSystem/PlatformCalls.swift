import CTenureShim

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The real system calls.
public struct PlatformCalls: SystemCalls {
  /// The only value there is.
  public init() {}

  public func open(_ path: String, _ mode: OpenMode, permissions: UInt32) throws(Errno) -> Int32 {
    var flags = O_CLOEXEC
    switch (mode.contains(.read), mode.contains(.write)) {
    case (_, false): flags |= O_RDONLY
    case (false, true): flags |= O_WRONLY
    case (true, true): flags |= O_RDWR
    }
    if mode.contains(.create) { flags |= O_CREAT }
    if mode.contains(.exclusive) { flags |= O_EXCL }
    if mode.contains(.append) { flags |= O_APPEND }
    if mode.contains(.truncate) { flags |= O_TRUNC }
    if mode.contains(.directory) { flags |= O_DIRECTORY }
    if mode.contains(.noFollow) { flags |= O_NOFOLLOW }
    return try checked(tenure_open(path, flags, permissions))
  }

  public func close(_ descriptor: Int32) throws(Errno) {
    try checked(closeDescriptor(descriptor))
  }

  public func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try checked(readBytes(descriptor, buffer.baseAddress, buffer.count))
  }

  public func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try checked(pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)))
  }

  public func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try checked(writeBytes(descriptor, bytes.baseAddress, bytes.count))
  }

  public func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try checked(pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)))
  }

  public func sync(_ descriptor: Int32) throws(Errno) {
    try checked(tenure_full_sync(descriptor))
  }

  public func syncData(_ descriptor: Int32) throws(Errno) {
    #if os(Linux)
      try checked(fdatasync(descriptor))
    #else
      try checked(tenure_full_sync(descriptor))
    #endif
  }

  public func truncate(_ descriptor: Int32, to length: Int64) throws(Errno) {
    try checked(ftruncate(descriptor, off_t(length)))
  }

  public func allocate(_ descriptor: Int32, length: Int64) throws(Errno) {
    try checked(tenure_allocate(descriptor, length))
  }

  public func rename(_ from: String, to: String) throws(Errno) {
    try checked(renamePath(from, to))
  }

  public func link(_ from: String, to: String) throws(Errno) {
    try checked(linkPath(from, to))
  }

  public func unlink(_ path: String) throws(Errno) {
    try checked(unlinkPath(path))
  }

  public func makeDirectory(_ path: String, permissions: UInt32) throws(Errno) {
    try checked(mkdir(path, mode_t(permissions)))
  }

  public func removeDirectory(_ path: String) throws(Errno) {
    try checked(rmdir(path))
  }

  public func list(_ path: String) throws(Errno) -> [String] {
    guard let stream = opendir(path) else { throw Errno.current }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafePointer(to: entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    if errno != 0 { throw Errno.current }
    return names
  }

  public func status(_ path: String) throws(Errno) -> FileStatus? {
    var value = stat()
    if stat(path, &value) == 0 { return FileStatus(value) }
    let code = Errno.current
    if code == .noEntry || code == .notDirectory { return nil }
    throw code
  }

  public func status(of descriptor: Int32) throws(Errno) -> FileStatus {
    var value = stat()
    try checked(fstat(descriptor, &value))
    return FileStatus(value)
  }

  public func checkWritable(_ path: String) throws(Errno) {
    try checked(faccessat(AT_FDCWD, path, W_OK, AT_EACCESS))
  }

  public func changeMode(_ path: String, permissions: UInt32) throws(Errno) {
    try checked(chmod(path, mode_t(permissions)))
  }

  public func lock(_ descriptor: Int32, exclusive: Bool, wait: Bool) throws(Errno) -> Bool {
    let result =
      wait
      ? tenure_lock_wait(descriptor, exclusive ? 1 : 0) : tenure_lock_try(descriptor, exclusive ? 1 : 0)
    if result == 0 { return true }
    let code = Errno.current
    if !wait, code == .wouldBlock || code == .accessDenied { return false }
    throw code
  }

  public func unlock(_ descriptor: Int32) throws(Errno) {
    try checked(tenure_unlock(descriptor))
  }

  public func clone(_ from: Int32, to: Int32) throws(Errno) {
    if tenure_clone_blocks(from, to) == 0 { return }
    // ext4 says EOPNOTSUPP or ENOTTY, overlays EINVAL, other file systems EXDEV: one meaning.
    switch errno {
    case EOPNOTSUPP, ENOTSUP, ENOTTY, EINVAL, EXDEV: throw .notSupported
    default: throw Errno.current
    }
  }
}

// The methods above have the names of the calls they make; these reach the C functions from inside them.
private let closeDescriptor: @Sendable (Int32) -> Int32 = { close($0) }
private let readBytes: @Sendable (Int32, UnsafeMutableRawPointer?, Int) -> Int = { read($0, $1, $2) }
private let writeBytes: @Sendable (Int32, UnsafeRawPointer?, Int) -> Int = { write($0, $1, $2) }
private let renamePath: @Sendable (String, String) -> Int32 = { rename($0, $1) }
private let linkPath: @Sendable (String, String) -> Int32 = { link($0, $1) }
private let unlinkPath: @Sendable (String) -> Int32 = { unlink($0) }

@discardableResult
private func checked<Number: SignedInteger>(_ result: Number) throws(Errno) -> Number {
  if result < 0 { throw Errno.current }
  return result
}

extension FileStatus {
  fileprivate init(_ value: stat) {
    let kind: Kind =
      switch value.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .other
      }
    #if canImport(Darwin)
      let (modified, changed) = (value.st_mtimespec, value.st_ctimespec)
    #else
      let (modified, changed) = (value.st_mtim, value.st_ctim)
    #endif
    self.init(
      kind: kind, size: Int64(value.st_size), device: UInt64(truncatingIfNeeded: value.st_dev),
      inode: UInt64(value.st_ino), links: UInt64(value.st_nlink),
      modified: Self.nanoseconds(modified), changed: Self.nanoseconds(changed),
      permissions: UInt32(value.st_mode) & 0o7777, owner: UInt32(value.st_uid))
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
