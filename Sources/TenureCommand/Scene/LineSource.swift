import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where a prompt's lines come from: a person at a terminal, with editing and a history, or a pipe.
///
/// Waiting blocks; each line is waited for on a thread of its own. ``stop()`` ends the wait.
final class LineSource: Sendable {
  /// What came of waiting for a line.
  enum Input: Sendable, Hashable {
    case line(String)
    /// Nothing more comes: the end of the pipe, or Ctrl-D.
    case ended
    /// The terminal went away.
    case hungUp
  }

  private enum Place {
    case terminal(EditedLines)
    case pipe(LineReader)
  }

  private struct State {
    var waiting: CheckedContinuation<Input, any Error>?
    var isStopped = false
    var tookTail = false
  }

  private let place: Place
  private let state = Lock(State())

  /// Lines from standard input.
  init(_ system: System) throws(SystemError) {
    place =
      isatty(0) == 1 && isatty(1) == 1
      ? .terminal(try EditedLines(system))
      : .pipe(LineReader(OpenFile(descriptor: 0, path: "standard input", calls: system.calls)))
  }

  /// Whether a person types.
  var isInteractive: Bool { if case .terminal = place { true } else { false } }

  /// The next line. One at a time.
  func next(prompt: String) async throws -> Input {
    try await withCheckedThrowingContinuation { continuation in
      let isStopped = state.withLock { state in
        if !state.isStopped { state.waiting = continuation }
        return state.isStopped
      }
      if isStopped { return continuation.resume(returning: .ended) }
      do {
        try SystemThread.start(name: "prompt") {
          let result = Result { try self.read(prompt) }
          self.answer(result)
        }
      } catch {
        answer(.failure(error))
      }
    }
  }

  /// Clears what is typed, and says how one leaves.
  func startOver() {
    if case .terminal(let lines) = place { lines.tell(.startOver) }
  }

  /// Ends the wait for a line, now and for ever. A thread that reads from a pipe is left to wait by itself.
  func stop() {
    state.withLock { $0.isStopped = true }
    switch place {
    case .terminal(let lines): lines.tell(.stop)
    case .pipe: answer(.success(.ended))
    }
  }

  /// Puts the terminal back into the state it was found in.
  func restoreTerminal() {
    if case .terminal(let lines) = place { lines.restoreTerminal() }
  }

  private func answer(_ result: Result<Input, any Error>) {
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(with: result)
  }

  private func read(_ prompt: String) throws -> Input {
    switch place {
    case .terminal(let lines): return try lines.next(prompt)
    case .pipe(let pipe):
      if let line = try pipe.next() { return .line(line) }
      // The last line of a script need not end in a newline.
      let isFirst = state.withLock { state in
        defer { state.tookTail = true }
        return !state.tookTail
      }
      let tail = pipe.tail
      return isFirst && !tail.isEmpty ? .line(String(decoding: tail, as: UTF8.self)) : .ended
    }
  }
}
