import TenureSystem

/// Keeps a registration alive: it ends when this object is cancelled or goes away.
///
/// Safe from any thread and inside the callback itself. Cancelling twice is harmless (S4).
public final class Subscription: Sendable {
  private let end: Lock<(@Sendable () -> Void)?>

  /// Runs `end` once, outside every lock (S5), at the first of ``cancel()`` and deinitialisation.
  public init(onEnd end: @escaping @Sendable () -> Void) { self.end = Lock(end) }

  deinit { cancel() }

  /// Ends the registration. When this returns no further call begins; one that has begun may still run.
  public func cancel() {
    let body = end.withLock { end in
      defer { end = nil }
      return end
    }
    body?()
  }
}
