import TenureSystem

/// Real processes that a test starts, talks to, stops and kills.
///
/// ```swift
/// let lab = ProcessLab()
/// let writer = try lab.start("writer", tenure, arguments: ["lab", "worker", box], killedAt: .event("save.begun", 3))
/// try await writer.send("go")
/// #expect(await writer.ending() == .killed(signal: 9))
/// ```
/// Nothing here sleeps: a test waits for a line, for an ending, or for a process to stand still. No process
/// outlives the lab: its `deinit` kills whatever still runs, stopped or not, with everything that it started. When
/// the test process itself is killed, the children see their standard input end (``LabChild``) and go; stopped
/// ones are woken by the system then, because each leads a process group that has lost its parent.
public final class ProcessLab: Sendable {
  private struct State {
    var processes: [LabProcess] = []
    var isOver = false
  }

  private let state = Lock(State())
  private let system: System

  /// A lab without processes.
  public init(system: System = .live) { self.system = system }

  deinit { killAll() }

  /// Starts a program that speaks in lines.
  /// - Parameters:
  ///   - name: For messages.
  ///   - point: Where it is to kill itself: passed as `--kill-at`, for a program that has a ``KillSwitch``.
  public func start(
    _ name: String, _ program: String, arguments: [String] = [], killedAt point: KillPoint? = nil,
    environment: [String]? = nil
  ) throws(SystemError) -> LabProcess {
    var arguments = arguments
    if let point { arguments += ["--kill-at", point.description] }
    let child = try ChildProcess.start(
      program, arguments: arguments, environment: environment, input: .pipe, output: .pipe,
      ownGroup: true, system: system)
    let process = LabProcess(name: name, child: child)
    let isOver = state.withLock { state in
      state.processes.removeAll { $0.child.endingNow != nil }
      state.processes.append(process)
      return state.isOver
    }
    // Ended while it was being started.
    if isOver { process.kill() }
    try process.beginReading()
    return process
  }

  /// Kills whatever still runs.
  public func killAll() {
    for process in state.withLock({ $0.processes }) { process.kill() }
  }

  /// Kills whatever still runs, and whatever is started from now on.
  public func end() {
    let all = state.withLock { state in
      state.isOver = true
      return state.processes
    }
    for process in all { process.kill() }
  }

  /// Waits until every process has ended.
  public func allEnded() async {
    for process in state.withLock({ $0.processes }) { _ = await process.ending() }
  }

  /// The path of an executable of this package, built beside the running test bundle or command; `nil` when it
  /// is not there.
  public static func executable(named name: String, system: System = .live) -> String? {
    for argument in CommandLine.arguments where argument.contains("/") {
      var directory = argument.parentPath
      for _ in 0..<5 {
        let path = directory.appendingPath(name)
        if let status = try? system.status(path), status.kind == .file, status.permissions & 0o111 != 0 {
          return path
        }
        directory = directory.parentPath
      }
    }
    return nil
  }
}
