import TenureGroup
import TenureSystem

/// This process's lease in a container, taken when it is first needed.
public final class SharedLease: Sendable {
  private let container: GroupContainer
  private let held = Lock<Lease?>(nil)

  init(container: GroupContainer) { self.container = container }

  /// The lease, taken now if it was not.
  public func taken() throws(StorageError) -> Lease {
    if let lease = held.withLock({ $0 }) { return lease }
    let made: Lease
    do {
      made = try Lease.take(in: container)
    } catch {
      throw StorageError(error)
    }
    let winner = held.withLock { lease -> Lease in
      if let lease { return lease }
      lease = made
      return made
    }
    if winner !== made { made.end() }
    return winner
  }

  /// The lease's name, if it was taken.
  var name: String? { held.withLock { $0?.name } }

  func end() {
    let lease = held.withLock { lease -> Lease? in
      defer { lease = nil }
      return lease
    }
    lease?.end()
  }
}
