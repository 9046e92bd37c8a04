import TenureSystem

/// A thread for blocking work of one kind, so that Swift's cooperative pool never blocks. Started at first use.
final class WorkerThread: Sendable {
  private struct State {
    var jobs = Fifo<@Sendable () -> Void>()
    var isStarted = false
    var isEnded = false
  }

  private let name: String
  private let monitor = Monitor(State())

  init(name: String) { self.name = name }

  /// Runs `body` on the thread, after what was asked for before. Jobs that are queued at the end still run.
  func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      do {
        try add { continuation.resume(with: Swift.Result { try body() }) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func add(_ job: @escaping @Sendable () -> Void) throws(StorageError) {
    let (isEnded, mustStart) = monitor.change { state in
      if state.isEnded { return (true, false) }
      let mustStart = !state.isStarted
      state.isStarted = true
      if !mustStart { state.jobs.add(job) }
      return (false, mustStart)
    }
    if isEnded { throw .closed }
    if !mustStart { return }
    do {
      try SystemThread.start(name: name) { [monitor] in
        job()
        Self.work(monitor)
      }
    } catch {
      monitor.withLock { $0.isStarted = false }
      throw StorageError(error)
    }
  }

  private static func work(_ monitor: Monitor<State>) {
    while true {
      let job: (@Sendable () -> Void)?? = monitor.wait { state in
        if let job = state.jobs.take() { return .some(job) }
        return state.isEnded ? .some(nil) : nil
      }
      guard let job = job ?? nil else { return }
      job()
    }
  }

  func end() { monitor.change { $0.isEnded = true } }
}
