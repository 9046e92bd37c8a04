import TenureSystem

/// A gate that tasks wait at until a test opens it. Once open, it stays open.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var crowds: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Lock(State())

  /// A closed gate.
  public init() {}

  /// Waits until the gate is open. Not ended by cancelling: the test opens the gate.
  public func pass() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let ready: [CheckedContinuation<Void, Never>] = state.withLock { state in
        if state.isOpen { return [continuation] }
        state.waiting.append(continuation)
        let count = state.waiting.count
        let satisfied = state.crowds.filter { $0.count <= count }.map(\.continuation)
        state.crowds.removeAll { $0.count <= count }
        return satisfied
      }
      for continuation in ready { continuation.resume() }
    }
  }

  /// Lets everyone through, now and later.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until at least `count` tasks wait at the closed gate.
  public func waiting(_ count: Int) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let there = state.withLock { state in
        if state.waiting.count >= count { return true }
        state.crowds.append((count, continuation))
        return false
      }
      if there { continuation.resume() }
    }
  }
}
