import Synchronization

/// A value that is only reached while holding its lock.
///
/// Never call out, resume a continuation or drop the last reference to something with a deinitialiser inside
/// ``withLock(_:)``: return what is to be done and do it after (S5).
public struct Lock<State>: ~Copyable, Sendable {
  private let mutex: Mutex<State>

  /// Guards a value.
  public init(_ state: consuming sending State) { mutex = Mutex(state) }

  /// Runs `body` with the value, alone.
  public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock(body)
  }
}
