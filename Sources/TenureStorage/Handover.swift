import Synchronization
import TenureSystem

/// Carries the outcome of what another thread does to the task that waits for it, once.
///
/// Waking a thread of Swift's pool takes a good part of the time a commit's sync takes. Where a commit is short
/// the caller therefore looks for the outcome for a bounded moment, and sleeps only if it looked in vain: from
/// the start where the writer stands waiting for this very write, or when the writer says that the end is near.
/// ```
///              ┌─────────── settled ──────────▶ resumed with the outcome
/// waiting ─────┴─ near ─▶ looking ── settled ──▶ sees the outcome; nobody has to be woken
///    ▲                       │
///    └──── looked in vain ───┘
/// ```
final class Handover<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var outcome: Result<Value, any Error>?
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())
  private let isSettled = Atomic(false)

  /// Starts the work by `start` and waits for its outcome. `isAwaited`: whoever does the work stands waiting for
  /// it, so that it will be short.
  func outcome(isAwaited: Bool = false, of start: @Sendable () -> Void) async throws -> Value {
    if isAwaited { start() } else { await suspended(start) }
    while !isSettled.load(ordering: .acquiring) {
      // For a bounded moment: this thread is the pool's.
      SystemThread.look(for: CommitPace.short) { isSettled.load(ordering: .acquiring) }
      await suspended {}
    }
    return try state.withLock { $0.outcome ?? .failure(StorageError.interrupted) }.get()
  }

  /// Whether the task sleeps.
  var isWaitedFor: Bool { state.withLock { $0.waiter != nil } }

  /// Keeps what an attempt made; another attempt may follow.
  func keep(_ value: Value) { state.withLock { $0.value = value } }

  /// The outcome is about to be there.
  func near() {
    let waiter = state.withLock { $0.waiter.take() }
    waiter?.resume()
  }

  /// The value kept last is the outcome.
  func succeed() { settle { $0.map(Result.success) ?? .failure(StorageError.interrupted) } }

  func fail(_ error: any Error) { settle { _ in .failure(error) } }

  private func settle(_ make: (Value?) -> Result<Value, any Error>) {
    let waiter = state.withLock { state in
      state.outcome = make(state.value)
      return state.waiter.take()
    }
    isSettled.store(true, ordering: .releasing)
    waiter?.resume()
  }

  /// Sleeps until something is near or settled; `start` runs as soon as that can be noticed.
  private func suspended(_ start: @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      let isSettled = state.withLock { state in
        if state.outcome != nil { return true }
        state.waiter = continuation
        return false
      }
      if isSettled { continuation.resume() }
      start()
    }
  }
}

/// How long this process's commits take, to know whether one that begins is nearly over.
struct CommitPace: Sendable {
  /// Nanoseconds in which somebody who is awake may look for the end of a commit; a slower disk is slept through.
  static let short: UInt64 = 300_000
  /// The mean of the last few, nanoseconds.
  private var usual: UInt64 = .max

  var isShort: Bool { usual < Self.short }

  mutating func note(_ nanoseconds: UInt64) {
    usual = usual == .max ? nanoseconds : usual - usual / 8 + nanoseconds / 8
  }
}
