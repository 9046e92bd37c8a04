import TenureSystem

/// What can go wrong between processes that share a folder, in words a person can act on.
public enum GroupError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A system call failed for a reason that has no case of its own.
  case system(SystemError)
  /// The path, or a part of it, is not a directory.
  case notADirectory(path: String)
  /// Nothing has that name, and nothing was made.
  case missing(path: String)
  /// Something else has the name of one of the container's own files. It was left as it is.
  case notAFile(path: String)
  /// The directory a file was to be written in does not exist.
  case missingDirectory(path: String)
  /// The folder or volume may be read but not written.
  case readOnly(path: String)
  /// The system denies access for now; on an Apple device until the first unlock. Never means "empty".
  case unreadableNow(path: String)
  /// The lock was not given back in time. `holder` is who last wrote to hold it.
  case lockTimedOut(lock: String, holder: String?)
  /// The calling thread holds the lock already, for `purpose`: waiting would be waiting for itself.
  case lockHeldByCaller(lock: String, purpose: String)
  /// A live process holds the lease of that name.
  case leaseHeld(name: String, holder: String?)
  /// A name with a slash, a leading dot, control characters, or of the wrong length.
  case invalidName(String)
  /// The temporary file did not read back as it was written; the old content is untouched.
  case notVerified(path: String)
  /// The new content is in place and complete, but may be gone after a power cut: its name could not be synced.
  case notDurable(path: String, cause: SystemError)
  /// The file is larger than the caller allows to be read.
  case fileTooLarge(path: String, limit: Int)

  /// The case that says best what a failed call on `path` means.
  public init(_ error: SystemError, path: String) {
    self =
      switch error.code {
      // mkdir names the part that is in the way; for other calls it is the folder the file was to be in.
      case .notDirectory: .notADirectory(path: error.call == .mkdir ? error.path ?? path : path.parentPath)
      case .noEntry: .missingDirectory(path: path.parentPath)
      case .readOnlyFileSystem, .accessDenied: .readOnly(path: path)
      case .notPermitted: .unreadableNow(path: path)
      default: .system(error)
      }
  }

  /// What happened, where and what to do, in one line.
  public var description: String {
    switch self {
    case .system(let error): error.description
    case .notADirectory(let path): "\(path) is not a directory. Choose a folder, or move the file away."
    case .missing(let path): "\(path) does not exist. Check the path."
    case .notAFile(let path):
      "\(path) is no file, and the container needs that name for one of its own. Move it away and try again."
    case .missingDirectory(let path): "The directory \(path) does not exist. Create it, or check the path."
    case .readOnly(let path):
      "\(path) cannot be written. Check its permissions, or choose a folder on a writable volume."
    case .unreadableNow(let path):
      "\(path) cannot be read now. It is not known to be empty: try again after the device was unlocked."
    case .lockTimedOut(let lock, let holder):
      "The lock \(lock) was not free in time; last held by \(holder ?? "a process that did not say who it is"). "
        + "Try again, or see what that process does."
    case .lockHeldByCaller(let lock, let purpose):
      "The lock \(lock) is held by this thread already, for \(purpose): asking for it again would wait for ever. "
        + "Do both in one turn, or ask after the first has ended."
    case .leaseHeld(let name, let holder):
      "The lease \(name) is held by \(holder ?? "another process"). Choose another name, or wait for its end."
    case .invalidName(let name):
      "\"\(name)\" is not a name: use 1 to 200 bytes without slash, control character or leading dot."
    case .notVerified(let path):
      "What was written for \(path) did not read back the same; the old content is untouched. Check the disk."
    case .notDurable(let path, let cause):
      "\(path) has its new content, but it may be gone after a power cut (\(cause)) Write it again."
    case .fileTooLarge(let path, let limit): "\(path) is larger than the \(limit) bytes allowed here."
    }
  }

  /// Whether the same request may succeed later.
  public var isRetryable: Bool {
    switch self {
    case .system(let error): error.isTransient
    case .unreadableNow, .lockTimedOut, .leaseHeld, .notDurable: true
    default: false
    }
  }
}

/// Runs a step on `path` and says its failure as a ``GroupError``.
func onGroup<Result>(
  _ path: String, _ body: () throws(SystemError) -> Result
) throws(GroupError) -> Result {
  do {
    return try body()
  } catch {
    throw GroupError(error, path: path)
  }
}
