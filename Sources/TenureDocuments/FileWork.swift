import TenureSystem

/// A few threads for copying, reading and digesting bodies, so that neither Swift's cooperative pool nor the
/// database's threads wait for a disk.
///
/// Threads are started when there is something to do and none is free; they end with this object.
final class FileWork: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var threads = 0
    var idle = 0
    var isOver = false
  }

  private static let limit = 3
  private let monitor = Monitor(State())

  deinit { monitor.change { $0.isOver = true } }

  /// Runs `body` on one of the threads. It runs whatever becomes of the calling task (D11).
  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      add { continuation.resume(with: Result { try body() }) }
    }
  }

  /// The same for work that looks now and then whether the calling task was cancelled.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
  ) async throws -> Value {
    try await withCancellationQuestion { isCancelled in try await run { try body(isCancelled) } }
  }

  private func add(_ job: @escaping @Sendable () -> Void) {
    let mustStart = monitor.change { state in
      state.waiting.append(job)
      guard state.waiting.count > state.idle, state.threads < Self.limit else { return false }
      state.threads += 1
      return true
    }
    if !mustStart { return }
    let monitor = monitor
    do {
      try SystemThread.start(name: "tenure.files") { Self.serve(monitor) }
    } catch {
      // No thread can be had: the caller's does the work rather than nobody.
      let orphans = monitor.withLock { state -> [@Sendable () -> Void] in
        state.threads -= 1
        if state.threads > 0 { return [] }
        defer { state.waiting = [] }
        return state.waiting
      }
      for job in orphans { job() }
    }
  }

  private static func serve(_ monitor: Monitor<State>) {
    while true {
      monitor.withLock { $0.idle += 1 }
      let job: (@Sendable () -> Void)?? = monitor.wait { state in
        if !state.waiting.isEmpty {
          state.idle -= 1
          return .some(state.waiting.removeFirst())
        }
        return state.isOver ? .some(nil) : nil
      }
      guard case .some(.some(let job)) = job else { return }
      job()
    }
  }
}
