import Synchronization
import TenureGroup
import TenureState
import TenureSystem
import TenureTrace

/// Tells whoever asked that something was committed, here or in another process (G5).
///
/// Nothing runs before the first subscription. Then the thread that hears the bell (own commits ring it too), the
/// closing of the lock file and a slow poll looks whether `data_version` has moved and calls the subscribers:
/// coalesced, outside every lock. It may call once too often, never once too few. One thread for all of it,
/// because every thread more that has to be woken is as much again of the time until the change is seen.
final class Announcer: Sendable {
  private enum Phase { case idle, running, suspending, suspended, ended }

  private struct State {
    var phase = Phase.idle
    var isPending = false
    var bodies: [UInt64: Body] = [:]
    var next: UInt64 = 0
    var then: [@Sendable () -> Void] = []
    var watch: SignalWatch?
  }

  /// Called with a connection to read with.
  typealias Body = @Sendable (SQLiteConnection) -> Void

  private enum Work {
    case look
    case suspend
  }

  /// What the thread keeps.
  private final class Eye {
    let stop = StopFlag()
    var connection: SQLiteConnection?
    var version: Int64?
  }

  private let file: DatabaseFile
  private let monitor = Monitor(State())
  private let isInUse = Atomic(false)

  init(file: DatabaseFile) { self.file = file }

  /// Something was committed by this process, which has rung the bell.
  func changed() {
    // Most processes never subscribe; a commit then wakes nobody.
    if !isInUse.load(ordering: .relaxed) { return }
    let deaf = monitor.withLock { state -> SignalWatch? in
      guard state.phase == .running, let watch = state.watch, !watch.isWatching else { return nil }
      state.isPending = true
      return watch
    }
    deaf?.wake()
  }

  func subscribe(_ body: @escaping Body) throws(StorageError) -> Subscription {
    let (id, mustStart, watch) = monitor.withLock { state in
      state.next += 1
      state.bodies[state.next] = body
      state.isPending = true
      let mustStart = state.phase == .idle
      if mustStart { state.phase = .running }
      return (state.next, mustStart, state.watch)
    }
    isInUse.store(true, ordering: .relaxed)
    if mustStart { try start(for: id) } else { watch?.wake() }
    return Subscription(onEnd: { [weak self] in self?.cancel(id) })
  }

  private func cancel(_ id: UInt64) {
    // The body is released here, outside the lock.
    _ = monitor.withLock { $0.bodies.removeValue(forKey: id) }
  }

  private func start(for first: UInt64) throws(StorageError) {
    do throws(GroupError) {
      let watch = try GroupSignal(container: file.container).watch(pollEvery: file.options.pollEvery) {
        [weak self] in
        let eye = Eye()
        return { source in self?.turn(eye, source) }
      }
      let isOver = monitor.withLock { state in
        if state.phase == .ended { return true }
        state.watch = watch
        return false
      }
      // Whoever came while it was being started is looked after now.
      if isOver { watch.end() } else { watch.wake() }
    } catch {
      notStarted(first)
      throw StorageError(error)
    }
  }

  /// The next subscription tries again; who waits for the thread has nothing to wait for.
  private func notStarted(_ id: UInt64) {
    let (body, then) = monitor.withLock { state in
      if state.phase != .ended { state.phase = .idle }
      defer { state.then = [] }
      return (state.bodies.removeValue(forKey: id), state.then)
    }
    for step in then { step() }
    _ = body
  }

  /// One turn of the thread.
  private func turn(_ eye: Eye, _ source: SignalSource?) {
    switch nextWork(isHeard: source != nil) {
    case nil: return
    case .suspend:
      eye.connection = nil
      eye.version = nil
      let then = monitor.withLock { state -> [@Sendable () -> Void] in
        if state.phase == .suspending { state.phase = .suspended }
        defer { state.then = [] }
        return state.then
      }
      for step in then { step() }
    case .look:
      if eye.connection == nil { eye.connection = try? file.connect(.read, stop: eye.stop) }
      // One that cannot be had now is tried again at the next poll.
      guard let connection = eye.connection else { return }
      // Whoever rang has committed; only what was not told has to be looked for.
      if source != .bell {
        let found = try? connection.integer("PRAGMA data_version")
        if found != nil, found == eye.version { return }
        eye.version = found
      }
      callAll(connection)
    }
  }

  private func nextWork(isHeard: Bool) -> Work? {
    monitor.withLock { state in
      switch state.phase {
      case .suspending: return .suspend
      case .suspended, .idle, .ended: return nil
      case .running:
        guard state.isPending || isHeard else { return nil }
        state.isPending = false
        return .look
      }
    }
  }

  private func callAll(_ connection: SQLiteConnection) {
    for id in monitor.withLock({ $0.bodies.keys.sorted() }) {
      // Looked up at its turn: cancelled before it means not called (S4).
      if let body = monitor.withLock({ $0.bodies[id] }) { body(connection) }
    }
  }

  /// Closes the connection; `then` runs when that is done.
  func suspend(then: @escaping @Sendable () -> Void) {
    let (isThere, watch) = monitor.withLock { state -> (Bool, SignalWatch?) in
      guard state.phase == .running || state.phase == .suspending else { return (true, nil) }
      state.phase = .suspending
      state.then.append(then)
      return (false, state.watch)
    }
    if isThere { then() } else { watch?.wake() }
  }

  func resume() {
    let (watch, then) = monitor.withLock { state -> (SignalWatch?, [@Sendable () -> Void]) in
      guard state.phase == .suspended || state.phase == .suspending else { return (nil, []) }
      state.phase = .running
      state.isPending = true
      defer { state.then = [] }
      return (state.watch, state.then)
    }
    for step in then { step() }
    watch?.wake()
  }

  func end() {
    let (watch, bodies, then) = monitor.withLock { state in
      state.phase = .ended
      defer {
        state.watch = nil
        state.bodies = [:]
        state.then = []
      }
      return (state.watch, state.bodies, state.then)
    }
    watch?.end()
    for step in then { step() }
    _ = bodies
  }
}
