import CTenureShim

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread of its own for work that blocks, so that Swift's cooperative pool never does.
///
/// The thread ends when `body` returns. Nobody joins it; what it shares ends by its own protocol.
public enum SystemThread {
  /// Starts `body` on a new thread named `name` (cut to 15 bytes on Linux).
  public static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    let code = tenure_start_thread(runStart, start.toOpaque())
    if code != 0 {
      start.release()
      throw SystemError(.spawn, Errno(rawValue: code), path: name)
    }
  }
}

extension SystemThread {
  /// Runs `body`, which may block, on a new thread and waits for its answer without blocking.
  @discardableResult
  public static func run<Result: Sendable>(
    name: String, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      do {
        try start(name: name) { continuation.resume(with: Swift.Result { try body() }) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}

extension SystemThread {
  /// Tells threads that run at the same time apart. A later thread may get the identity of one that has ended.
  public struct Identity: Hashable, Sendable {
    private let value: UInt

    fileprivate init(_ value: UInt) { self.value = value }
  }

  /// The calling thread.
  public static var current: Identity {
    #if canImport(Darwin)
      Identity(UInt(bitPattern: pthread_self()))
    #else
      Identity(UInt(pthread_self()))
    #endif
  }

  /// Lets another thread have the processor, if one wants it: for whoever looks for something in a loop.
  public static func yield() { sched_yield() }

  /// Looks whether something is there for at most so many nanoseconds of real time, and lets others have the
  /// processor between two looks: where the wait is shorter than waking a thread. `false`: it did not come.
  @discardableResult
  public static func look(for nanoseconds: UInt64, until isThere: () -> Bool) -> Bool {
    let end = LiveClock().monotonic &+ nanoseconds
    while !isThere() {
      if LiveClock().monotonic >= end { return false }
      yield()
    }
    return true
  }
}

extension SystemThread {
  /// The same for work that looks now and then whether the calling task was cancelled.
  public static func run<Result: Sendable>(
    name: String, _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Result
  ) async throws -> Result {
    try await withCancellationQuestion { isCancelled in
      try await run(name: name) { try body(isCancelled) }
    }
  }
}

private final class Start: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

private func runStart(_ pointer: UnsafeMutableRawPointer?) {
  guard let pointer else { return }
  let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
  tenure_name_thread(start.name)
  start.body()
}
