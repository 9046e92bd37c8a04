import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The child's side of a ``LabProcess``: commands come in as lines, reports go out as lines.
///
/// A thread watches standard input. When it ends (the parent asked to end, ended or was killed) the process exits,
/// whatever it is doing, so that none is ever left behind.
public final class LabChild: Sendable {
  private struct State {
    var commands: [String] = []
    var waiting: [CheckedContinuation<String, Never>] = []
  }

  private let state = Lock(State())

  /// Starts to watch standard input.
  public init() throws(SystemError) {
    let lines = LineReader(.standardInput)
    try SystemThread.start(name: "lab-input") { [self] in
      while let line = try? lines.next() { take(line) }
      _exit(0)
    }
  }

  private func take(_ line: String) {
    let waiting: CheckedContinuation<String, Never>? = state.withLock { state in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.commands.append(line)
      return nil
    }
    waiting?.resume(returning: line)
  }

  /// The next line the parent sent. Never answers when there is none: the process exits with the parent.
  public func command() async -> String {
    await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
      let command: String? = state.withLock { state in
        if !state.commands.isEmpty { return state.commands.removeFirst() }
        state.waiting.append(continuation)
        return nil
      }
      if let command { continuation.resume(returning: command) }
    }
  }

  /// Tells the parent one line, whole. Ends the process when nobody reads any more.
  public func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    let written = bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try OpenFile.standardOutput.writeAll(buffer) }
    }
    if case .failure = written { _exit(0) }
  }
}
