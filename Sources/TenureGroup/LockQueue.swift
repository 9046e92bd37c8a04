import TenureSystem

/// The queue of this process's threads in front of a lock between processes: first come, first served.
///
/// A thread draws a ticket and waits for its number; one that gives up leaves its number behind to be skipped.
final class LockQueue: Sendable {
  private struct State {
    var next: UInt64 = 0
    var serving: UInt64 = 0
    var given: Set<UInt64> = []
  }

  private let monitor = Monitor(State())

  /// Draws the next number.
  func draw() -> UInt64 {
    monitor.withLock { state in
      defer { state.next += 1 }
      return state.next
    }
  }

  /// Waits for the turn of a number; `false` when `timeout` nanoseconds passed first, and the number is void.
  func wait(for ticket: UInt64, timeout: UInt64?) -> Bool {
    if monitor.wait(timeout: timeout, until: { $0.serving == ticket ? true : nil }) == true { return true }
    return monitor.withLock { state in
      // The turn may have come between the end of the time and here.
      if state.serving == ticket { return true }
      state.given.insert(ticket)
      return false
    }
  }

  /// Ends the turn of the thread that is served.
  func leave() {
    monitor.change { state in
      state.serving += 1
      while state.given.remove(state.serving) != nil { state.serving += 1 }
    }
  }
}
