import Tenure
import TenureSystem
import TenureTrace

/// Somebody else who has the commit lock: a thread that keeps it until it is told to let go.
final class LockHold: Sendable {
  private struct State {
    var isTaken = false
    var isOver = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Monitor(State())

  /// Takes the lock, and returns when it is had.
  static func take(_ path: String) async throws -> LockHold {
    let hold = LockHold()
    let lock = GroupLock(path: path, system: .live, trace: .off)
    try SystemThread.start(name: "lock-hold") { [state = hold.state] in
      try? lock.withLock(for: "another process") {
        let waiting = state.change { state in
          state.isTaken = true
          defer { state.waiting = nil }
          return state.waiting
        }
        waiting?.resume()
        let isOver: Void? = state.wait { $0.isOver ? () : nil }
        withExtendedLifetime(isOver) {}
      }
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isTaken = hold.state.withLock { state in
        if !state.isTaken { state.waiting = continuation }
        return state.isTaken
      }
      if isTaken { continuation.resume() }
    }
    return hold
  }

  /// Gives it back.
  func end() { state.change { $0.isOver = true } }

  deinit { end() }
}

/// Opens a gate when an event of a kind is recorded.
struct GateSink: TraceSink {
  let kind: String
  let reached: @Sendable () -> Void

  func take(_ record: TraceRecord) {
    if record.kind == kind { reached() }
  }
}
