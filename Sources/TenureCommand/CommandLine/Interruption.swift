import CTenureShim
import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A signal that asks a process to end.
enum EndSignal: Int32, Sendable, CaseIterable {
  case hangUp = 1
  case interrupt = 2
  case quit = 3
  case terminate = 15

  /// What a command that it ended exits with: 128 and its number, as shells have it.
  var exitCode: ExitCode {
    switch self {
    case .hangUp: .hungUp
    case .interrupt: .interrupted
    case .quit: .quit
    case .terminate: .terminated
    }
  }

  /// Why something ends, in words.
  var reason: String {
    switch self {
    case .hangUp: "the terminal went away"
    case .interrupt: "interrupted"
    case .quit: "told to quit"
    case .terminate: "terminated"
    }
  }
}

/// Ctrl-C, Ctrl-\ and polite kills as requests, not deaths. A second one ends the process at once; a hang-up never
/// counts as a second, since the system and the shell both send it.
struct Interruption: Sendable {
  /// Told once for each signal that asks for an end.
  let requests: AsyncStream<EndSignal>

  /// Catches the signals from now on, for the rest of the process.
  ///
  /// `isAnswered` says that a signal had another meaning and asks for no end; `lastly` is called before a second
  /// one ends the process. Both are called on a thread of their own.
  init(
    _ system: System, isAnswered: @escaping @Sendable (EndSignal) -> Bool = { _ in false },
    lastly: @escaping @Sendable () -> Void = {}
  ) throws(SystemError) {
    let (reading, writing) = try system.pipe()
    let (requests, continuation) = AsyncStream.makeStream(of: EndSignal.self)
    self.requests = requests
    for signal in EndSignal.allCases where tenure_catch_signal(signal.rawValue, writing.descriptor) != 0 {
      throw SystemError(.open, .current, path: "signal \(signal.rawValue)")
    }
    try SystemThread.start(name: "signals") {
      var isEnding = false
      while let bytes = try? reading.readSome(upTo: 1), let number = bytes.first {
        guard let signal = EndSignal(rawValue: Int32(number)), !isAnswered(signal) else { continue }
        if isEnding {
          if signal == .hangUp { continue }
          lastly()
          _exit(signal.exitCode.rawValue)
        }
        isEnding = true
        continuation.yield(signal)
      }
      // Never closed: the handler may write at any time.
      withExtendedLifetime(writing) {}
    }
  }
}

extension EndSignal {
  /// While it is ignored it is as if it never came, also for whoever would have been slow to take it.
  func ignore(_ isIgnored: Bool) { _ = tenure_ignore_signal(rawValue, isIgnored ? 1 : 0) }
}

extension Interruption {
  /// Runs `body`. At a signal its task is cancelled, `end` takes away what it has made, and the exit code is the
  /// signal's.
  static func during(
    _ context: CommandContext, _ body: @escaping @Sendable () async throws -> ExitCode,
    end: @escaping @Sendable (Task<ExitCode, any Error>) async -> Void
  ) async throws -> ExitCode {
    var desk = EndDesk(try Interruption(context.system))
    defer { desk.close() }
    let task = desk.start(body)
    guard case .signal(let signal) = await desk.next() else { return try await task.value }
    context.terminal.clearStatus()
    context.terminal.complain("tenure: \(signal.reason)")
    task.cancel()
    await end(task)
    return signal.exitCode
  }
}
