import TenureSystem

/// A machine on which the next transaction can be held before it begins, so that a test acts in the middle of it.
final class WriteGate: Sendable {
  private enum State { case open, armed, holding }

  private let state: Monitor<State>
  private let (holds, held) = AsyncStream.makeStream(of: Void.self)
  let system: System

  init() {
    let state = Monitor(State.open)
    let held = held
    self.state = state
    system = System(
      calls: InterceptedCalls(PlatformCalls()) { site in
        guard site.call == .lock, site.path?.hasSuffix("/commit.lock") == true else { return .proceed }
        let isHeld = state.withLock { state in
          guard state == .armed else { return false }
          state = .holding
          return true
        }
        if isHeld {
          held.yield()
          state.wait { $0 == .open ? () : nil }
        }
        return .proceed
      })
  }

  /// From now on the next transaction waits.
  func close() { state.change { $0 = .armed } }

  /// Waits until one does.
  func reached() async {
    var holds = holds.makeAsyncIterator()
    await holds.next()
  }

  /// Lets it go.
  func open() { state.change { $0 = .open } }
}
