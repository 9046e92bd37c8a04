/// A file that is watched, and for what.
public struct WatchedFile: Hashable, Sendable {
  /// What is to be told.
  public enum Change: Hashable, Sendable {
    /// Bytes were written.
    case written
    /// A descriptor that could write was closed: by its owner, or by the kernel when its process ended.
    /// Only Linux tells this.
    case closedAfterWriting
  }

  /// The file, which must exist.
  public let path: String
  /// What is to be told of it.
  public let change: Change

  /// A file and what is to be told of it.
  public init(path: String, change: Change) {
    self.path = path
    self.change = change
  }
}

/// Waits for changes other processes make to files: ``FileWatcher`` on the machine itself.
public protocol FileWatching: Sendable {
  /// Blocks the thread until a file changed or ``wake()`` was called: the places of the changed files in the
  /// list that was given, each once however often it changed. Empty when only woken. One thread at a time.
  func wait() throws(Errno) -> [Int]
  /// Ends the wait of the other thread, or its next one. From any thread.
  func wake()
}

extension SystemCalls {
  /// Watches files on the machine itself.
  public func watch(_ files: [WatchedFile]) throws(Errno) -> any FileWatching {
    try FileWatcher(files)
  }
}

extension System {
  /// Starts watching files. What happens from the return on is told by the first wait.
  public func watch(_ files: [WatchedFile]) throws(SystemError) -> any FileWatching {
    try retrying(.inotify, files.first?.path) { () throws(Errno) in try calls.watch(files) }
  }
}
