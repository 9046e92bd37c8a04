import TenureSystem

/// Which thread of this process took which lock, so that one that asks again is told instead of waiting for itself.
///
/// By path, because two objects of one path are two descriptors, and the second waits for the first.
enum LockHolders {
  private struct Key: Hashable {
    let thread: SystemThread.Identity
    let path: String
  }

  private static let held = Lock([Key: String]())

  /// What `thread` holds the lock at `path` for; `nil`: it does not hold it.
  static func purpose(of path: String, by thread: SystemThread.Identity) -> String? {
    held.withLock { $0[Key(thread: thread, path: path)] }
  }

  static func add(_ path: String, _ purpose: String, by thread: SystemThread.Identity) {
    held.withLock { $0[Key(thread: thread, path: path)] = purpose }
  }

  static func remove(_ path: String, by thread: SystemThread.Identity) {
    held.withLock { $0[Key(thread: thread, path: path)] = nil }
  }
}
