import TenureSystem
import TenureTrace

/// A lock between processes: at any time one of all that share the file holds it (G2).
///
/// ```swift
/// let lock = GroupLock(path: container.commitLockPath, system: container.system, trace: container.trace)
/// try lock.withLock(for: "commit", timeout: .seconds(5)) { … }
/// ```
/// The lock belongs to this object's open file description, so the kernel frees it when the process ends,
/// however it ends, and it is nobody's business to clean up. Threads of this process wait in one queue in front
/// of it, first come first served; the kernel serves the processes in turn. It is not re-entrant: a thread that
/// asks again for a lock it holds, also through another object of the same path, would wait for itself; it gets
/// ``GroupError/lockHeldByCaller(lock:purpose:)`` at once. Never `fork` while it is held.
///
/// The lock file is made when it is missing and is never to be removed: two files of one name are two locks.
public final class GroupLock: Sendable {
  /// The lock file.
  public let path: String
  private let name: String
  private let clock: any SystemClock
  private let trace: Trace
  private let queue = LockQueue()
  private let exclusion: any Exclusion

  /// A lock on the file at `path`, which is not touched before the lock is first taken.
  public convenience init(path: String, system: System, trace: Trace) {
    self.init(path: path, system: system, trace: trace, guards: GroupGuards())
  }

  /// A lock whose guards may be taken away.
  package init(path: String, system: System, trace: Trace, guards: GroupGuards) {
    self.path = path
    self.name = path.lastPathPart
    self.clock = system.clock
    self.trace = trace
    let holder = HolderNote(trace.process)
    self.exclusion =
      guards.g2
      ? DescriptionLock(path: path, system: system, holder: holder)
      : MarkerFile(path: path + ".held", system: system, holder: holder)
  }

  /// Runs `body` while holding the lock.
  ///
  /// Blocks the calling thread: for threads of one's own, never for Swift's cooperative pool. With a `timeout`
  /// the wait ends in ``GroupError/lockTimedOut(lock:holder:)``; zero does not wait at all; `nil` waits for ever.
  /// `body` must not ask for this lock again: that is ``GroupError/lockHeldByCaller(lock:purpose:)``, whatever the
  /// timeout.
  public func withLock<R>(for purpose: String, timeout: Duration? = nil, _ body: () throws -> R) throws -> R {
    let hold = try take(for: purpose, timeout: timeout)
    defer { hold.end() }
    return try body()
  }

  /// Having the lock, until it is ended: exactly once, on any thread.
  struct Hold: Sendable {
    fileprivate let lock: GroupLock
    fileprivate let purpose: String
    fileprivate let since: UInt64
    fileprivate let thread: SystemThread.Identity

    func end() { lock.giveBack(self) }
  }

  /// Waits for the lock.
  func take(for purpose: String, timeout: Duration?) throws(GroupError) -> Hold {
    let thread = SystemThread.current
    if let held = LockHolders.purpose(of: path, by: thread) {
      throw .lockHeldByCaller(lock: path, purpose: held)
    }
    trace.record(LockWanted(lock: name, purpose: purpose))
    let asked = clock.monotonic
    let limit = timeout?.nanoseconds
    guard queue.wait(for: queue.draw(), timeout: limit) else { throw abandoned(purpose, since: asked) }
    do throws(GroupError) {
      let left = limit.map { limit in limit - min(limit, clock.monotonic &- asked) }
      let acquired = try onGroup(path) { () throws(SystemError) in try exclusion.acquire(timeout: left) }
      guard acquired else { throw abandoned(purpose, since: asked) }
    } catch {
      queue.leave()
      throw error
    }
    let now = clock.monotonic
    HeldLocks.add(HeldLock(path: path, purpose: purpose, since: now), by: self)
    LockHolders.add(path, purpose, by: thread)
    trace.record(LockTaken(lock: name, purpose: purpose, waited: now &- asked))
    return Hold(lock: self, purpose: purpose, since: now, thread: thread)
  }

  private func giveBack(_ hold: Hold) {
    // Recorded first: no other process's "taken" may stand before our "released".
    trace.record(LockReleased(lock: name, purpose: hold.purpose, held: clock.monotonic &- hold.since))
    LockHolders.remove(path, by: hold.thread)
    exclusion.release()
    HeldLocks.remove(by: self)
    queue.leave()
  }

  private func abandoned(_ purpose: String, since asked: UInt64) -> GroupError {
    let holder = exclusion.holder
    trace.record(
      LockAbandoned(lock: name, purpose: purpose, waited: clock.monotonic &- asked, holder: holder))
    return .lockTimedOut(lock: path, holder: holder)
  }
}

/// How one process at a time is let in. Asked by one thread of this process at a time: the head of the queue.
protocol Exclusion: Sendable {
  /// `false` when the time ran out. `timeout` in nanoseconds; `nil` waits for ever.
  func acquire(timeout: UInt64?) throws(SystemError) -> Bool
  /// Lets the next one in.
  func release()
  /// Who says to hold it.
  var holder: String? { get }
}
