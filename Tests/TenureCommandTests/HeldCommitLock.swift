import TenureGroup
import TenureSystem
import TenureTrace

/// The commit lock of a container, held until it is let go: nobody commits meanwhile, so a process that imports
/// stands still in the middle of it.
final class HeldCommitLock: Sendable {
  private let isOver = Monitor(false)

  /// Waits for its turn among those that commit.
  static func take(in container: GroupContainer) async throws -> HeldCommitLock {
    let held = HeldCommitLock()
    try await withCheckedThrowingContinuation { (taken: CheckedContinuation<Void, any Error>) in
      do {
        try SystemThread.start(name: "test-hold") {
          let lock = GroupLock(path: container.commitLockPath, system: container.system, trace: .off)
          do {
            try lock.withLock(for: "test") {
              taken.resume()
              held.isOver.wait { $0 ? () : nil }
            }
          } catch {
            taken.resume(throwing: error)
          }
        }
      } catch {
        taken.resume(throwing: error)
      }
    }
    return held
  }

  func letGo() { isOver.change { $0 = true } }
}
