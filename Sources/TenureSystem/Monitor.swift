#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A lock with a condition: threads wait inside it for the state to change.
///
/// For dedicated threads only; a thread of Swift's cooperative pool must never wait here.
///
/// `@unchecked Sendable`: `state` is touched only between `pthread_mutex_lock` and `pthread_mutex_unlock`
/// of this object's own mutex, and both pointers are constant from init to deinit.
public final class Monitor<State>: @unchecked Sendable {
  private var state: State
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  /// Guards a value.
  public init(_ state: sending State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    #if os(Linux)
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #else
      pthread_cond_init(condition, nil)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` alone and wakes every waiting thread to look again.
  public func change<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    pthread_mutex_lock(mutex)
    defer {
      pthread_mutex_unlock(mutex)
      pthread_cond_broadcast(condition)
    }
    return try body(&state)
  }

  /// Runs `body` alone and wakes one waiting thread, whichever: where all that wait are after the same.
  public func changeForOne<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    pthread_mutex_lock(mutex)
    defer {
      pthread_mutex_unlock(mutex)
      pthread_cond_signal(condition)
    }
    return try body(&state)
  }

  /// Runs `body` alone and wakes nobody.
  public func withLock<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result)
    throws(Failure)
    -> Result
  {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Waits until `take` answers something. `timeout` in nanoseconds of real time; `nil` waits for ever.
  /// Answers `nil` when the time ran out.
  public func wait<Result>(timeout: UInt64? = nil, until take: (inout State) -> Result?) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard let timeout else {
      while true {
        if let result = take(&state) { return result }
        pthread_cond_wait(condition, mutex)
      }
    }
    let deadline = LiveClock().monotonic.addingReportingOverflow(timeout)
    let end = deadline.overflow ? UInt64.max : deadline.partialValue
    while true {
      if let result = take(&state) { return result }
      let now = LiveClock().monotonic
      if now >= end { return nil }
      #if os(Linux)
        var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        pthread_cond_timedwait(condition, mutex, &time)
      #else
        let left = end - now
        var time = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
        pthread_cond_timedwait_relative_np(condition, mutex, &time)
      #endif
    }
  }
}
