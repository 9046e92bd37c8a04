#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The number a failed system call left behind.
public struct Errno: Error, RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The platform's value, such as `ENOSPC`.
  public let rawValue: Int32

  /// An error by the platform's value.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The value the calling thread's last failed call left.
  public static var current: Errno { Errno(rawValue: errno) }

  /// No such file or directory.
  public static let noEntry = Errno(rawValue: ENOENT)
  /// The file exists already.
  public static let exists = Errno(rawValue: EEXIST)
  /// A signal arrived before the call did anything; call again.
  public static let interrupted = Errno(rawValue: EINTR)
  /// The call would have had to wait.
  public static let wouldBlock = Errno(rawValue: EAGAIN)
  /// The file system is full.
  public static let noSpace = Errno(rawValue: ENOSPC)
  /// The user's share of the file system is used up.
  public static let quotaExceeded = Errno(rawValue: EDQUOT)
  /// The device failed.
  public static let inputOutput = Errno(rawValue: EIO)
  /// The caller may not do this.
  public static let accessDenied = Errno(rawValue: EACCES)
  /// The operation is not permitted, on Apple also while the device is locked.
  public static let notPermitted = Errno(rawValue: EPERM)
  /// The file system is mounted read-only.
  public static let readOnlyFileSystem = Errno(rawValue: EROFS)
  /// The process has no descriptor left.
  public static let tooManyFiles = Errno(rawValue: EMFILE)
  /// A part of the path is not a directory.
  public static let notDirectory = Errno(rawValue: ENOTDIR)
  /// The path names a directory.
  public static let isDirectory = Errno(rawValue: EISDIR)
  /// The directory is not empty.
  public static let notEmpty = Errno(rawValue: ENOTEMPTY)
  /// The two paths are on different file systems.
  public static let crossDevice = Errno(rawValue: EXDEV)
  /// The file system cannot do this.
  public static let notSupported = Errno(rawValue: EOPNOTSUPP)
  /// An argument was refused.
  public static let invalidArgument = Errno(rawValue: EINVAL)
  /// The name is longer than the file system allows.
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// The file is larger than the caller allows.
  public static let fileTooLarge = Errno(rawValue: EFBIG)
  /// Nobody reads the other end.
  public static let brokenPipe = Errno(rawValue: EPIPE)
  /// The process does not exist.
  public static let noProcess = Errno(rawValue: ESRCH)

  /// The system's own sentence, such as "No space left on device".
  public var description: String { String(cString: strerror(rawValue)) }
}
