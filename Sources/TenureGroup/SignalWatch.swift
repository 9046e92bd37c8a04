import TenureSystem
import TenureTrace

/// Listening to a ``GroupSignal``; ends when it is ended or released.
public final class SignalWatch: Sendable {
  private let hearing: SignalHearing

  init(_ hearing: SignalHearing) { self.hearing = hearing }

  deinit { hearing.end() }

  /// Ends it: no call begins after this returns but one that is on its way already. Does not wait for a call
  /// that is running, and may be called from inside one. A second call does nothing.
  public func end() { hearing.end() }

  /// Has the thread look, though nobody rang.
  package func wake() { hearing.wake() }

  /// Whether changes are told by the kernel, or found by the poll alone.
  public var isWatching: Bool { hearing.isWatching }
}

/// The thread that waits for the bell, the lock file and the poll, and makes one call of all that came.
final class SignalHearing: Sendable {
  private struct State {
    var isPolled = false
    var isWoken = false
    var isEnded = false
    var poller: Task<Void, Never>?
  }

  private let bell: OpenFile
  private let watcher: (any FileWatching)?
  private let trace: Trace
  private let state = Monitor(State())

  /// The mark from before anybody listened: whatever is rung from now on is news.
  private let firstMark: Int64

  init(bell: OpenFile, watcher: (any FileWatching)?, trace: Trace) {
    self.bell = bell
    firstMark = BellMark.read(from: bell)?.sequence ?? 0
    self.watcher = watcher
    self.trace = trace
  }

  var isWatching: Bool { watcher != nil }

  /// Keeps the task that polls, to cancel it at the end.
  func keep(_ poller: Task<Void, Never>) {
    let isEnded = state.withLock { state in
      if !state.isEnded { state.poller = poller }
      return state.isEnded
    }
    if isEnded { poller.cancel() }
  }

  /// The time between two polls is over.
  func poll() {
    state.change { $0.isPolled = true }
    watcher?.wake()
  }

  func wake() {
    state.change { $0.isWoken = true }
    watcher?.wake()
  }

  func end() {
    let poller = state.change { state in
      defer { state.poller = nil }
      state.isEnded = true
      return state.poller
    }
    poller?.cancel()
    watcher?.wake()
  }

  /// What woke the thread.
  private enum Turn {
    case heard(SignalSource)
    case woken
    case nothing
    case end
  }

  /// The body of the thread.
  func run(_ makeBody: () -> (SignalSource?) -> Void) {
    let body = makeBody()
    var seen = firstMark
    while true {
      switch next() {
      case .end:
        trace.record(SignalWatchEnded(signal: bell.path.lastPathPart))
        return
      case .nothing: continue
      case .woken: body(nil)
      case .heard(let source):
        if trace.isOn { note(source, &seen) }
        body(source)
      }
    }
  }

  private func note(_ source: SignalSource, _ seen: inout Int64) {
    let sequence = BellMark.read(from: bell)?.sequence ?? seen
    // A poll that finds the mark it knows has noticed nothing.
    if source != .poll || sequence != seen {
      trace.record(SignalSeen(signal: bell.path.lastPathPart, sequence: sequence, by: source))
    }
    seen = sequence
  }

  /// What woke the thread, the strongest of all that came together.
  private func next() -> Turn {
    let changed = waited()
    let (isEnded, isPolled, isWoken) = state.withLock { state in
      defer {
        state.isPolled = false
        state.isWoken = false
      }
      return (state.isEnded, state.isPolled, state.isWoken)
    }
    if isEnded { return .end }
    if changed.contains(0) { return .heard(.bell) }
    if changed.contains(1) { return .heard(.lockClosed) }
    if isPolled { return .heard(.poll) }
    return isWoken ? .woken : .nothing
  }

  private func waited() -> [Int] {
    if let watcher, let changed = try? watcher.wait() { return changed }
    // Nothing to watch with: the poll alone wakes.
    state.wait { $0.isPolled || $0.isWoken || $0.isEnded ? () : nil }
    return []
  }
}
