import TenureSystem

/// One process of a ``ProcessLab``: lines to it, lines from it, and its end.
///
/// Lines are read as they come by a thread of their own, so that the process never waits for its reader; what it
/// wrote before it was killed is still there afterwards.
public final class LabProcess: Sendable {
  private struct State {
    var lines: [String] = []
    var next = 0
    var ended = false
    var waiting: [CheckedContinuation<String?, Never>] = []
  }

  /// Its name in the lab.
  public let name: String
  /// The process itself.
  public let child: ChildProcess
  private let state = Lock(State())

  init(name: String, child: ChildProcess) {
    self.name = name
    self.child = child
  }

  func beginReading() throws(SystemError) {
    do {
      try SystemThread.start(name: "lines-\(child.pid)") { [self] in
        while let line = try? child.outputLines?.next() { take(line) }
        take(nil)
      }
    } catch {
      child.killGroup()
      throw error
    }
  }

  private func take(_ line: String?) {
    let resumed: [(CheckedContinuation<String?, Never>, String?)] = state.withLock { state in
      guard let line else {
        state.ended = true
        defer { state.waiting = [] }
        return state.waiting.map { ($0, nil) }
      }
      state.lines.append(line)
      if state.waiting.isEmpty { return [] }
      state.next += 1
      return [(state.waiting.removeFirst(), line)]
    }
    for (continuation, line) in resumed { continuation.resume(returning: line) }
  }

  /// The next line it wrote; `nil` when it has ended and there is none left.
  public func line() async -> String? {
    await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
      let answer: (isThere: Bool, line: String?) = state.withLock { state in
        if state.next < state.lines.count {
          state.next += 1
          return (true, state.lines[state.next - 1])
        }
        if state.ended { return (true, nil) }
        state.waiting.append(continuation)
        return (false, nil)
      }
      if answer.isThere { continuation.resume(returning: answer.line) }
    }
  }

  /// Every line it has written since the last look, waiting for one; `nil` when it has ended and none is left.
  public func newLines() async -> [String]? {
    guard let first = await line() else { return nil }
    return state.withLock { state in
      defer { state.next = state.lines.count }
      return [first] + state.lines[state.next...]
    }
  }

  /// The next line that begins so, skipping others; `nil` when it ends without one.
  public func line(beginning prefix: String) async -> String? {
    while let line = await line() {
      if line.hasPrefix(prefix) { return line }
    }
    return nil
  }

  /// Waits until it has ended; every line it ever wrote.
  public func allLines() async -> [String] {
    while await line() != nil {}
    return state.withLock { $0.lines }
  }

  /// Writes one line to its standard input. `EPIPE` when it has ended.
  public func send(_ line: String) throws(SystemError) { try child.write(line: line) }

  /// Asks it to end by closing its standard input.
  public func finish() { child.closeInput() }

  /// Kills it now, with everything it started.
  public func kill() { child.killGroup() }

  /// Kills it at a moment that falls where it may: after it has written `count` more lines, while it goes on.
  /// `false` when it ended before.
  @discardableResult
  public func kill(afterLines count: Int) async -> Bool {
    for _ in 0..<count {
      if await line() == nil { return false }
    }
    kill()
    return true
  }

  /// Stops it where it stands (SIGSTOP); when this returns `true` it does not run.
  public func suspend() -> Bool { child.stop() }

  /// Lets it go on.
  public func resume() { child.goOn() }

  /// Waits until it has ended: how.
  public func ending() async -> ChildProcess.Ending { await child.ending() }
}
