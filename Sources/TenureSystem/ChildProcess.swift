import CTenureShim

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A running child: pipes to it, signals, and how it ended.
///
/// The child inherits three descriptors and nothing else. Its ID stays its own until this object has reaped it,
/// so a signal never hits another process. Safe from any thread.
///
/// ```swift
/// let child = try ChildProcess.start("/bin/cat", input: .pipe, output: .pipe)
/// try child.write(line: "hello")
/// child.closeInput()
/// print(try child.outputLines?.next() ?? "", await child.ending())
/// ```
public final class ChildProcess: Sendable {
  /// Where one of the three standard streams leads.
  public enum Stream: Sendable, Hashable {
    /// `/dev/null`.
    case nothing
    /// The parent's own.
    case inherited
    /// A pipe to or from the parent.
    case pipe
    /// An open descriptor of the parent's (a file, say).
    case descriptor(Int32)
  }

  /// How a process ended.
  public enum Ending: Sendable, Hashable, CustomStringConvertible {
    /// It exited with this code.
    case exited(Int32)
    /// This signal ended it.
    case killed(signal: Int32)

    /// `exit 0`, or `signal 9`.
    public var description: String {
      switch self {
      case .exited(let code): "exit \(code)"
      case .killed(let signal): "signal \(signal)"
      }
    }
  }

  private struct State {
    var ending: Ending?
    var reaped = false
    var waiters: [CheckedContinuation<Ending, Never>] = []
    var input: OpenFile?
  }

  /// The process ID.
  public let pid: Int32
  /// The program's path.
  public let program: String
  /// What it writes to standard output, when that is a pipe.
  public let outputLines: LineReader?
  /// What it writes to standard error, when that is a pipe.
  public let errorLines: LineReader?
  private let state: Monitor<State>
  private let leadsGroup: Bool

  private init(
    pid: Int32, program: String, leadsGroup: Bool, input: OpenFile?, output: OpenFile?, errors: OpenFile?
  ) {
    self.pid = pid
    self.program = program
    self.leadsGroup = leadsGroup
    outputLines = output.map(LineReader.init)
    errorLines = errors.map(LineReader.init)
    state = Monitor(State(input: input))
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: A path; `PATH` is not searched.
  ///   - arguments: Without the program's own name.
  ///   - environment: `NAME=value` each; `nil` passes the parent's on.
  ///   - directory: Working directory; `nil` keeps the parent's.
  ///   - ownGroup: Makes it the leader of a process group, so that ``killGroup()`` reaches its children, too.
  /// - Throws: ``SystemError`` with ``SystemCall/spawn``, also when the program cannot be executed.
  public static func start(
    _ program: String, arguments: [String] = [], environment: [String]? = nil, directory: String? = nil,
    input: Stream = .nothing, output: Stream = .inherited, errors: Stream = .inherited,
    ownGroup: Bool = false, system: System = .live
  ) throws(SystemError) -> ChildProcess {
    let standardInput = try Plumbing(input, number: 0, system: system)
    let standardOutput = try Plumbing(output, number: 1, system: system)
    let standardError = try Plumbing(errors, number: 2, system: system)
    var pid: pid_t = 0
    let code = withStrings([program] + arguments) { arguments in
      withStrings(environment ?? currentEnvironment()) { environment in
        let descriptors = [standardInput.theirs, standardOutput.theirs, standardError.theirs]
        guard let directory else {
          return tenure_spawn(program, arguments, environment, nil, descriptors, ownGroup ? 1 : 0, &pid)
        }
        return tenure_spawn(program, arguments, environment, directory, descriptors, ownGroup ? 1 : 0, &pid)
      }
    }
    // Their ends are closed with these values; kept until the child has its copies.
    withExtendedLifetime((standardInput, standardOutput, standardError)) {}
    if code != 0 { throw SystemError(.spawn, Errno(rawValue: code), path: program) }
    let child = ChildProcess(
      pid: pid, program: program, leadsGroup: ownGroup, input: standardInput.ours,
      output: standardOutput.ours, errors: standardError.ours)
    do {
      try SystemThread.start(name: "child-\(pid)") { child.awaitEnding() }
    } catch {
      // Nobody would wait for it.
      child.killGroup()
      child.awaitEnding()
      throw error
    }
    return child
  }

  private func awaitEnding() {
    var signalled: Int32 = 0
    var status: Int32 = 0
    let known = tenure_wait_ended(pid, &signalled, &status) == 0
    let ending: Ending = known && signalled != 0 ? .killed(signal: status) : .exited(known ? status : -1)
    // Reaped under the lock: whoever signals holds it and sees that the ID is no longer ours.
    let waiters = state.change { state in
      _ = tenure_reap(pid)
      state.reaped = true
      state.ending = ending
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: ending) }
  }

  /// How it ended; waits for that.
  public func ending() async -> Ending {
    await withCheckedContinuation { continuation in
      let known: Ending? = state.withLock { state in
        if state.ending == nil { state.waiters.append(continuation) }
        return state.ending
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// How it ended; blocks the thread until then. Not for threads of Swift's pool.
  public func waitForEnding() -> Ending {
    state.wait { $0.ending } ?? .exited(-1)
  }

  /// How it ended, or `nil` while it runs.
  public var endingNow: Ending? { state.withLock { $0.ending } }

  /// Sends a signal. `false` when the process has ended already.
  @discardableResult
  public func signal(_ number: Int32) -> Bool {
    state.withLock { state in !state.reaped && kill(pid, number) == 0 }
  }

  /// Ends it at once with SIGKILL, whether it runs or is stopped.
  public func killNow() { signal(SIGKILL) }

  /// Ends it and everything it started, when it leads a group.
  public func killGroup() {
    state.withLock { state in
      guard !state.reaped else { return }
      kill(leadsGroup ? -pid : pid, SIGKILL)
    }
  }

  /// Stops it (SIGSTOP) and blocks until it no longer runs. `false` when it ended instead.
  public func stop() -> Bool {
    signal(SIGSTOP) && tenure_wait_stopped(pid) == 0
  }

  /// Lets a stopped child go on.
  @discardableResult
  public func goOn() -> Bool { signal(SIGCONT) }

  /// Writes one line to its standard input. Blocks while the pipe is full; `EPIPE` when the child has ended.
  public func write(line: String) throws(SystemError) {
    guard let input = state.withLock({ $0.input }) else {
      throw SystemError(.write, Errno(rawValue: EPIPE), path: program)
    }
    var bytes = Array(line.utf8)
    bytes.append(UInt8(ascii: "\n"))
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        tenure_write_quietly(input.descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 {
        let code = Errno.current
        if code == .interrupted { continue }
        throw SystemError(.write, code, path: program)
      }
      done += count
    }
  }

  /// Closes its standard input, which children take as the request to end.
  public func closeInput() {
    let input = state.withLock { state in
      defer { state.input = nil }
      return state.input
    }
    withExtendedLifetime(input) {}
  }
}

/// The two ends of one standard stream.
private struct Plumbing {
  let theirs: Int32
  let ours: OpenFile?
  private let keptOpen: OpenFile?

  init(_ stream: ChildProcess.Stream, number: Int32, system: System) throws(SystemError) {
    switch stream {
    case .nothing: (theirs, ours, keptOpen) = (-1, nil, nil)
    case .inherited: (theirs, ours, keptOpen) = (number, nil, nil)
    case .descriptor(let descriptor): (theirs, ours, keptOpen) = (descriptor, nil, nil)
    case .pipe:
      let (reading, writing) = try system.pipe()
      keptOpen = number == 0 ? reading : writing
      ours = number == 0 ? writing : reading
      theirs = number == 0 ? reading.descriptor : writing.descriptor
    }
  }
}

extension System {
  /// A pipe: what is written to the second end is read from the first.
  public func pipe() throws(SystemError) -> (reading: OpenFile, writing: OpenFile) {
    var ends: [Int32] = [-1, -1]
    if tenure_pipe(&ends) != 0 { throw SystemError(.open, .current, path: "pipe") }
    return (
      OpenFile(descriptor: ends[0], path: "pipe", calls: calls),
      OpenFile(descriptor: ends[1], path: "pipe", calls: calls)
    )
  }
}

private func currentEnvironment() -> [String] {
  var strings: [String] = []
  var next = environ
  while let entry = next.pointee {
    strings.append(String(cString: entry))
    next += 1
  }
  return strings
}

/// Lends out a null-terminated array of C strings.
private func withStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
  pointers.append(nil)
  defer { for pointer in pointers { free(pointer) } }
  return body(pointers)
}
