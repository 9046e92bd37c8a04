import TenureSystem

/// A lock on a shared file that this process holds (G2).
public struct HeldLock: Hashable, Sendable {
  /// The lock file.
  public let path: String
  /// What it was taken for.
  public let purpose: String
  /// When, by the monotonic clock in nanoseconds.
  public let since: UInt64
}

/// What this process holds. It is one per process because suspension is: the system looks at the process as a
/// whole, whichever container or library took the lock.
enum HeldLocks {
  private static let held = Lock([ObjectIdentifier: HeldLock]())

  static func add(_ lock: HeldLock, by owner: AnyObject) {
    let id = ObjectIdentifier(owner)
    held.withLock { $0[id] = lock }
  }

  static func remove(by owner: AnyObject) {
    let id = ObjectIdentifier(owner)
    held.withLock { $0[id] = nil }
  }

  static var all: [HeldLock] {
    held.withLock { Array($0.values) }.sorted { ($0.since, $0.path) < ($1.since, $1.path) }
  }
}

extension GroupLock {
  /// All locks and leases this process holds at this moment, oldest first.
  public static var heldNow: [HeldLock] { HeldLocks.all }
}
