import Tenure
import TenureSystem

/// Time that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// let saved = Task { try await keeper.waitAndSave() }     // sleeps on `clock`
/// await clock.sleepers(1)                                 // it is parked, no polling
/// clock.advance(by: .seconds(2))
/// ```
/// Sleepers are resumed in the order of their deadlines (the earlier asked first among equals), outside the
/// lock. Both clocks move together; ``setWall(_:)`` moves the wall clock alone, as a user may.
public final class ManualClock: SystemClock {
  private struct Sleeper {
    let number: UInt64
    let deadline: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct Waiter {
    let count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var monotonic: UInt64
    var wall: Int64
    var next: UInt64 = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<UInt64> = []
    var waiters: [Waiter] = []

    mutating func takeSatisfiedWaiters() -> [Waiter] {
      let satisfied = waiters.filter { $0.count <= sleepers.count }
      waiters.removeAll { $0.count <= sleepers.count }
      return satisfied
    }
  }

  private let state: Lock<State>

  /// A clock that shows these times, in nanoseconds.
  public init(monotonic: UInt64 = 1_000_000_000, wall: Int64 = 1_750_000_000_000_000_000) {
    state = Lock(State(monotonic: monotonic, wall: wall))
  }

  public var monotonic: UInt64 { state.withLock { $0.monotonic } }

  public var wall: Int64 { state.withLock { $0.wall } }

  /// Sets the wall clock, forwards or back; nobody is woken.
  public func setWall(_ wall: Int64) { state.withLock { $0.wall = wall } }

  /// How many are asleep now.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The next deadline anybody sleeps for.
  public var nextDeadline: UInt64? { state.withLock { $0.sleepers.map(\.deadline).min() } }

  /// Waits until at least `count` are asleep at once.
  public func sleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let there = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.waiters.append(Waiter(count: count, continuation: continuation))
        return false
      }
      if there { continuation.resume() }
    }
  }

  /// Moves time on. Everyone whose deadline it passes is resumed, and sees the new time.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.monotonic &+= duration.nanoseconds
      state.wall &+= Int64(truncatingIfNeeded: duration.nanoseconds)
      let now = state.monotonic
      let due = state.sleepers.filter { $0.deadline <= now }
      state.sleepers.removeAll { $0.deadline <= now }
      return due.sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
    }
    for sleeper in due { sleeper.continuation.resume(returning: true) }
  }

  /// Moves time to the next deadline anybody sleeps for; `false` when nobody sleeps.
  @discardableResult
  public func advanceToNextSleeper() -> Bool {
    guard let deadline = nextDeadline else { return false }
    let now = monotonic
    advance(by: .nanoseconds(Int64(clamping: deadline > now ? deadline - now : 0)))
    return true
  }

  public func sleep(until deadline: UInt64) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    let reached = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (answer, satisfied): (Bool?, [Waiter]) = state.withLock { state in
          if state.cancelled.remove(number) != nil { return (false, []) }
          if deadline <= state.monotonic { return (true, []) }
          state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
          return (nil, state.takeSatisfiedWaiters())
        }
        if let answer { continuation.resume(returning: answer) }
        for waiter in satisfied { waiter.continuation.resume() }
      }
    } onCancel: {
      // May come before the sleeper is parked: then it is remembered, and the sleeper does not park.
      let sleeper: Sleeper? = state.withLock { state in
        guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(returning: false)
    }
    // A cancellation that came after the wake-up left its mark; nobody will look for it again.
    state.withLock { _ = $0.cancelled.remove(number) }
    if !reached { throw CancellationError() }
  }
}
