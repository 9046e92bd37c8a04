import TenureSystem
import TenureTrace

/// Turns at the commit lock, and the looking that spares two threads from waking each other.
extension Writer {
  /// Nanoseconds to look for more work before sleeping.
  private static let patience: UInt64 = 150_000

  /// Looks for more work for a moment before it sleeps, where callers have the habit of coming back: waking a
  /// thread costs more than that moment.
  func nextWork() -> WriteQueue.Work {
    if let work = queue.poll() { return work }
    if habit.waits {
      let mark = queue.arrivalMark
      SystemThread.look(for: Self.patience) { queue.arrivalMark != mark }
      let work = queue.poll()
      habit.note(work != nil)
      if let work { return work }
    }
    return queue.next()
  }

  /// One turn at the lock: the writes that wait, and those that come while they are being answered.
  ///
  /// A caller that was just answered most often writes again. Keeping the lock for it, for a bounded time, saves
  /// the other processes' pages from being read anew for every commit; they wait a few milliseconds longer, each
  /// for its own turn. Callers are answered as soon as their commit is durable, under no lock of this process.
  func commitWaiting() {
    gather()
    var outcome = GroupOutcome()
    var isTurnOver = false
    do {
      try underLock("commit") {
        let end = Self.realTime &+ options.lockTurn.nanoseconds
        commitOnce(&outcome)
        while outcome.committed > 0, doubt == nil, Self.realTime < end {
          let mark = queue.arrivalMark
          answer(&outcome)
          guard habit.waits, returned(since: mark) else { break }
          gather()
          commitOnce(&outcome)
        }
        isTurnOver = Self.realTime >= end
      }
    } catch {
      // The lock was not had: nothing was tried.
      if !queue.isStopping { outcome.refuse(queue.takeWrites(atMost: max(queue.count, 1)), error) }
    }
    answer(&outcome)
    // The kernel wakes who waits but keeps the lock for nobody: whoever is running would have it again first.
    if isTurnOver { queue.pause(nanoseconds: 100_000) }
  }

  private func commitOnce(_ outcome: inout GroupOutcome) {
    let waiting = queue.count
    do {
      outcome = try commitGroup()
    } catch {
      // Stopped by a suspension: the queue knows what becomes of those that wait.
      if !(Self.isInterruption(error) && queue.isStopping) {
        outcome.refuse(queue.takeWrites(atMost: max(waiting, 1)), error)
      }
    }
    afterCommit(&outcome)
  }

  /// Rings, and tells each caller; the outcome is empty afterwards.
  private func answer(_ outcome: inout GroupOutcome) {
    if outcome.isEmpty { return }
    lastGroup = outcome.finished.count
    let (finished, committed) = (outcome.finished, outcome.committed)
    outcome = GroupOutcome()
    // First: they wake up while the bell is being rung.
    for (write, error) in finished {
      if let error { write.fail(error) } else { write.succeed() }
    }
    if committed > 0 {
      signal.ring(sequence: known?.sequence ?? 0)
      announcer.changed()
    }
  }

  /// Whether somebody who was answered writes again within a moment. What else arrives ends the turn.
  private func returned(since mark: Int) -> Bool {
    queue.isOneAwaited = lastGroup == 1 && pace.isShort
    beginEarly()
    SystemThread.look(for: Self.patience) { queue.arrivalMark != mark }
    queue.isOneAwaited = false
    let isBack = queue.count > 0 && !queue.isStopping
    habit.note(isBack)
    if !isBack { rollBackEarly() }
    return isBack
  }

  /// Opens the next transaction of the turn while its writer is on the way.
  private func beginEarly() {
    guard let connection, doubt == nil, hasRoom(connection) else { return }
    let sequences = SequenceCounter()
    do {
      try begin(connection, sequences)
      early = sequences
    } catch {
      // Whoever comes tries again, and is told.
      connection.rollBack()
    }
  }

  private func rollBackEarly() {
    if early == nil { return }
    early = nil
    connection?.rollBack()
  }

  /// After a group, its callers come back one by one; waits a moment for them rather than sync for the first.
  private func gather() {
    if lastGroup > 1 { SystemThread.look(for: 50_000) { queue.count >= lastGroup } }
  }
}
