#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Time as Tenure reads it: nothing in the package asks any other clock.
public protocol SystemClock: Sendable {
  /// Nanoseconds that never go back, the same for all processes of one boot. Goes on in sleep on Linux only
  /// as CLOCK_MONOTONIC does.
  var monotonic: UInt64 { get }
  /// Nanoseconds since 1970, as the user set it; may jump.
  var wall: Int64 { get }
  /// Waits until ``monotonic`` has reached `deadline`. Throws `CancellationError` when the task is cancelled.
  func sleep(until deadline: UInt64) async throws
}

extension SystemClock {
  /// Waits for a length of time.
  public func sleep(for duration: Duration) async throws {
    try await sleep(until: monotonic &+ duration.nanoseconds)
  }
}

/// The machine's own clocks.
public struct LiveClock: SystemClock {
  /// The only value there is.
  public init() {}

  public var monotonic: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  public var wall: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  public func sleep(until deadline: UInt64) async throws {
    let now = monotonic
    try Task.checkCancellation()
    if deadline > now { try await Task.sleep(nanoseconds: deadline - now) }
  }
}

extension Duration {
  /// The whole length in nanoseconds; 0 when negative, the largest number when too long to say.
  public var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : product &+ UInt64(attoseconds / 1_000_000_000)
  }
}
