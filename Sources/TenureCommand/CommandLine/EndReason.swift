import TenureSystem

/// Why a process that could go on ends.
enum EndReason: Sendable {
  case signal(EndSignal)
  /// What it prints reaches nobody any more.
  case outputClosed
  /// Whoever started it has ended, or asked it to.
  case inputClosed
  /// The container is not the one that was opened any more.
  case containerGone(String)
  /// It cannot do what it is for.
  case failed(any Error)

  /// In words, without a full stop.
  var text: String {
    switch self {
    case .signal(let signal): signal.reason
    case .outputClosed: "nobody reads the output any more"
    case .inputClosed: "the input has ended"
    case .containerGone(let path):
      "the container \(path) was removed or replaced while it was in use, so nothing can be saved in it any more"
    case .failed(let error): "\(error)"
    }
  }

  /// What to exit with.
  var exitCode: ExitCode {
    switch self {
    case .signal(let signal): signal.exitCode
    case .outputClosed, .inputClosed: .success
    case .containerGone: .containerGone
    case .failed(let error): isAboutInput(error) ? .unusable : .fault
    }
  }

  /// Whether there is still something to save to.
  var leavesContainer: Bool {
    if case .containerGone = self { false } else { true }
  }
}

extension SystemClock {
  /// What a task comes to, or `nil` when it has not ended at `deadline` (monotonic): it goes on until the process
  /// ends.
  func outcome<Value: Sendable>(
    of task: Task<Value, any Error>, until deadline: UInt64
  ) async throws -> Value? {
    let (results, result) = AsyncStream.makeStream(of: Result<Value, any Error>?.self)
    let waiting = Task { result.yield(await task.result) }
    let alarm = Task {
      // Cancelled when the task was quicker.
      if (try? await sleep(until: deadline)) != nil { result.yield(nil) }
    }
    defer {
      waiting.cancel()
      alarm.cancel()
    }
    var iterator = results.makeAsyncIterator()
    let first: Result<Value, any Error>?? = await iterator.next()
    return try (first ?? nil)?.get()
  }
}
