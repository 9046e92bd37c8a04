/// The one layer under every file call in Tenure: each method is one system call, unretried.
///
/// ``PlatformCalls`` makes the real calls. Tests put another value in its place: one that fails,
/// delays or counts (``InterceptedCalls``), or a file system that loses what was never synced.
/// Methods block their thread, may be called from any thread and throw the bare ``Errno``;
/// ``System`` adds retries after `EINTR`, whole reads and writes, and errors that name the file.
public protocol SystemCalls: Sendable {
  /// open(2). Implementations add `O_CLOEXEC`.
  func open(_ path: String, _ mode: OpenMode, permissions: UInt32) throws(Errno) -> Int32
  /// close(2). Not retried by anyone: after an error the descriptor is gone all the same.
  func close(_ descriptor: Int32) throws(Errno)
  /// read(2): the number of bytes read, 0 at the end.
  func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  /// pread(2).
  func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno)
    -> Int
  /// write(2): the number of bytes written, which may be fewer than asked.
  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int
  /// pwrite(2).
  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int
  /// fsync(2) for a file or directory; `F_FULLFSYNC` on Apple.
  func sync(_ descriptor: Int32) throws(Errno)
  /// fdatasync(2); `F_FULLFSYNC` on Apple.
  func syncData(_ descriptor: Int32) throws(Errno)
  /// ftruncate(2).
  func truncate(_ descriptor: Int32, to length: Int64) throws(Errno)
  /// posix_fallocate(3): the blocks are really there afterwards.
  func allocate(_ descriptor: Int32, length: Int64) throws(Errno)
  /// rename(2).
  func rename(_ from: String, to: String) throws(Errno)
  /// link(2).
  func link(_ from: String, to: String) throws(Errno)
  /// unlink(2).
  func unlink(_ path: String) throws(Errno)
  /// mkdir(2).
  func makeDirectory(_ path: String, permissions: UInt32) throws(Errno)
  /// rmdir(2).
  func removeDirectory(_ path: String) throws(Errno)
  /// The names in a directory, without `.` and `..`, in no order.
  func list(_ path: String) throws(Errno) -> [String]
  /// stat(2); `nil` when nothing has that name. Symbolic links are followed.
  func status(_ path: String) throws(Errno) -> FileStatus?
  /// fstat(2).
  func status(of descriptor: Int32) throws(Errno) -> FileStatus
  /// faccessat(2) for writing: throws when this process may not. Nothing is refused unless implemented otherwise.
  func checkWritable(_ path: String) throws(Errno)
  /// chmod(2).
  func changeMode(_ path: String, permissions: UInt32) throws(Errno)
  /// Takes a lock that belongs to the open file description. `false`: held by another and not waited for.
  func lock(_ descriptor: Int32, exclusive: Bool, wait: Bool) throws(Errno) -> Bool
  /// Gives the lock back. Closing the last descriptor of the description does it too.
  func unlock(_ descriptor: Int32) throws(Errno)
  /// Makes the empty file `to` share the blocks of `from`; ``Errno/notSupported`` where that cannot be done.
  func clone(_ from: Int32, to: Int32) throws(Errno)
  /// Begins to watch files: inotify on Linux, kqueue on Apple. The machine's own unless implemented otherwise.
  func watch(_ files: [WatchedFile]) throws(Errno) -> any FileWatching
}

/// How a file is opened.
public struct OpenMode: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// A mode by its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Bytes can be read.
  public static let read = OpenMode(rawValue: 1)
  /// Bytes can be written.
  public static let write = OpenMode(rawValue: 2)
  /// The file is made when it is missing.
  public static let create = OpenMode(rawValue: 4)
  /// Fails when the file exists; with ``create``.
  public static let exclusive = OpenMode(rawValue: 8)
  /// Every write goes to the end.
  public static let append = OpenMode(rawValue: 16)
  /// What the file held is dropped.
  public static let truncate = OpenMode(rawValue: 32)
  /// Fails when the path is not a directory.
  public static let directory = OpenMode(rawValue: 64)
  /// Fails when the last part of the path is a symbolic link.
  public static let noFollow = OpenMode(rawValue: 128)
}

/// What stat(2) says of a file.
public struct FileStatus: Hashable, Sendable {
  /// What kind of thing has the name.
  public enum Kind: Hashable, Sendable {
    case file, directory, symbolicLink, other
  }
  /// File, directory or something else.
  public var kind: Kind
  /// Bytes.
  public var size: Int64
  /// Device and inode together name the file whatever its path.
  public var device: UInt64
  /// See ``device``.
  public var inode: UInt64
  /// Names that lead to the file.
  public var links: UInt64
  /// Last change of the content, in nanoseconds since 1970.
  public var modified: Int64
  /// Last change of anything about the file, its name count and permissions included, in nanoseconds since 1970.
  /// Unlike ``modified`` nobody can set it back.
  public var changed: Int64
  /// Permission bits.
  public var permissions: UInt32
  /// The user it belongs to.
  public var owner: UInt32

  /// A status by its parts.
  public init(
    kind: Kind, size: Int64, device: UInt64 = 0, inode: UInt64 = 0, links: UInt64 = 1, modified: Int64 = 0,
    changed: Int64 = 0, permissions: UInt32 = 0o600, owner: UInt32 = 0
  ) {
    self.kind = kind
    self.size = size
    self.device = device
    self.inode = inode
    self.links = links
    self.modified = modified
    self.changed = changed
    self.permissions = permissions
    self.owner = owner
  }
}

extension FileStatus {
  /// Whether both are of one file, whatever its names.
  public func isSameFile(as other: FileStatus) -> Bool { inode == other.inode && device == other.device }
}

extension SystemCalls {
  /// A file system without permissions.
  public func checkWritable(_ path: String) throws(Errno) {}
}
