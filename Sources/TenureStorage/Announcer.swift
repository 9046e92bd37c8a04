import Synchronization
import TenureGroup
import TenureState
import TenureSystem
import TenureTrace

/// Tells whoever asked that something was committed, here or in another process (G5).
///
/// Nothing runs before the first subscription. Then one thread waits for own commits, the bell, the closing of
/// the lock file and a slow poll, looks whether `data_version` has moved and calls the subscribers: coalesced,
/// outside every lock. It may call once too often, never once too few.
final class Announcer: Sendable {
  private enum Phase { case idle, running, suspending, suspended, ended }

  private struct State {
    var phase = Phase.idle
    var isPending = false
    var bodies: [UInt64: @Sendable () -> Void] = [:]
    var next: UInt64 = 0
    var then: [@Sendable () -> Void] = []
    var watch: SignalWatch?
  }

  private enum Work {
    case look
    case suspend
    case end
  }

  private let file: DatabaseFile
  private let monitor = Monitor(State())
  private let isInUse = Atomic(false)

  init(file: DatabaseFile) { self.file = file }

  /// Something was committed by this process.
  func changed() {
    // Most processes never subscribe; a commit then wakes nobody.
    if !isInUse.load(ordering: .relaxed) { return }
    monitor.change { state in
      if state.phase != .idle && state.phase != .ended { state.isPending = true }
    }
  }

  func subscribe(_ body: @escaping @Sendable () -> Void) throws(StorageError) -> Subscription {
    let (id, mustStart) = monitor.change { state in
      state.next += 1
      state.bodies[state.next] = body
      state.isPending = true
      let mustStart = state.phase == .idle
      if mustStart { state.phase = .running }
      return (state.next, mustStart)
    }
    isInUse.store(true, ordering: .relaxed)
    if mustStart { try start() }
    return Subscription(onEnd: { [weak self] in self?.cancel(id) })
  }

  private func cancel(_ id: UInt64) {
    // The body is released here, outside the lock.
    _ = monitor.withLock { $0.bodies.removeValue(forKey: id) }
  }

  private func start() throws(StorageError) {
    do {
      try SystemThread.start(name: "tenure.change") { self.run() }
      let watch = try GroupSignal(container: file.container).watch(pollEvery: file.options.pollEvery) {
        [weak self] _ in self?.changed()
      }
      let isOver = monitor.withLock { state in
        if state.phase == .ended { return true }
        state.watch = watch
        return false
      }
      if isOver { watch.end() }
    } catch let error as SystemError {
      throw StorageError(error)
    } catch let error as GroupError {
      throw StorageError(error)
    } catch {
      throw .closed
    }
  }

  private func run() {
    let stop = StopFlag()
    var connection: SQLiteConnection?
    var version: Int64?
    while true {
      switch nextWork() {
      case .end:
        connection = nil
        return
      case .suspend:
        connection = nil
        version = nil
        let then = monitor.change { state -> [@Sendable () -> Void] in
          if state.phase == .suspending { state.phase = .suspended }
          defer { state.then = [] }
          return state.then
        }
        for step in then { step() }
      case .look:
        if connection == nil { connection = try? file.connect(.read, stop: stop) }
        let found = try? connection?.integer("PRAGMA data_version")
        if found != nil, found == version { continue }
        version = found
        callAll()
      }
    }
  }

  private func nextWork() -> Work {
    let work: Work? = monitor.wait { state in
      switch state.phase {
      case .ended: return .end
      case .suspending: return .suspend
      case .suspended, .idle: return nil
      case .running:
        guard state.isPending else { return nil }
        state.isPending = false
        return .look
      }
    }
    return work ?? .end
  }

  private func callAll() {
    for id in monitor.withLock({ $0.bodies.keys.sorted() }) {
      // Looked up at its turn: cancelled before it means not called (S4).
      if let body = monitor.withLock({ $0.bodies[id] }) { body() }
    }
  }

  /// Closes the connection; `then` runs when that is done.
  func suspend(then: @escaping @Sendable () -> Void) {
    let isThere = monitor.change { state in
      guard state.phase == .running || state.phase == .suspending else { return true }
      state.phase = .suspending
      state.then.append(then)
      return false
    }
    if isThere { then() }
  }

  func resume() {
    monitor.change { state in
      guard state.phase == .suspended || state.phase == .suspending else { return }
      state.phase = .running
      state.isPending = true
    }
  }

  func end() {
    let (watch, bodies, then) = monitor.change { state in
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
