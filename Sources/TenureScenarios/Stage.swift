import Tenure
import TenureDiagnosis
import TenureFindings
import TenureSystem
import TenureTesting
import TenureTrace

/// Where one side of a scenario runs: a folder of its own, processes, and a trace.
struct Stage: Sendable {
  /// The folder, which is the container of Tenure's side.
  let path: String
  let law: Law
  let side: SideName
  let lab: ProcessLab
  /// The executable that plays the acts.
  let program: String

  /// How an act came to its end.
  struct Played: Sendable {
    /// What it reported.
    var lines: [String]
    var ending: ChildProcess.Ending
  }

  /// Starts an act in a process of its own.
  func start(_ act: String, killedAt point: KillPoint? = nil) throws -> LabProcess {
    try lab.start(
      act, program, arguments: ["lab", "act", law.rawValue, side.rawValue, act, "--container", path],
      killedAt: point)
  }

  /// Plays an act in a process of its own, to its end or to where it is killed.
  func play(_ act: String, killedAt point: KillPoint? = nil) async throws -> Played {
    let process = try start(act, killedAt: point)
    let lines = await process.allLines()
    return Played(lines: lines, ending: await process.ending())
  }

  /// Plays an act that must be killed on the way.
  func kill(_ act: String, at point: KillPoint) async throws {
    let played = try await play(act, killedAt: point)
    guard played.ending == .killed(signal: 9) else {
      throw StageError.notKilled(act: act, point: "\(point)", ending: "\(played.ending)")
    }
  }

  /// A recorder for code that runs in this process.
  func trace(role: String = "app", clock: any SystemClock = LiveClock()) throws -> Trace {
    let process = ProcessIdentity.current(role: role, appVersion: "2.1")
    return Trace(
      to: try TraceFile.open(
        in: path.appendingPath("traces"), as: process, system: System(calls: PlatformCalls(), clock: clock)),
      as: process, clock: clock)
  }

  /// Opens the folder with Tenure, in this process.
  func workspace(
    role: String = "app", options: Workspace.Options = .small, system: System = .live,
    components: [Component] = []
  ) async throws -> Workspace {
    try await Workspace.open(
      at: path, role: role, appVersion: "2.1", components: components, options: options, system: system)
  }

  var folder: CustomaryFolder { CustomaryFolder(path: path, system: .live) }
}

/// Why a scenario could not be played; says nothing about the law.
enum StageError: Error, CustomStringConvertible {
  case notKilled(act: String, point: String, ending: String)
  case unexpected(String)

  var description: String {
    switch self {
    case .notKilled(let act, let point, let ending):
      "The act \(act) was to be killed at \(point), and ended with \(ending)."
    case .unexpected(let what): "The scenario did not go as it is written: \(what)."
    }
  }
}

/// What an act is given in its process.
struct Actor: Sendable {
  let path: String
  private let child: LabChild
  private let killer: KillSwitch

  /// Plays an act of a scenario in this process, and returns when it has ended.
  static func play(_ act: Scenario.Act, at path: String, killedAt point: KillPoint?) async throws {
    try await act(Actor(path: path, child: LabChild(), killer: KillSwitch(at: point)))
  }

  /// The machine, on which the act is killed.
  var system: System { killer.system }

  /// Tells the stage something.
  func report(_ line: String) { child.report(line) }

  /// Waits until the stage says to go on.
  func goOn() async { _ = await child.command() }

  /// A recorder for customary code.
  func trace(role: String = "app") throws -> Trace {
    let process = ProcessIdentity.current(role: role, appVersion: "2.1")
    return Trace(to: killer.sink(over: try file(process)), as: process)
  }

  /// Opens the folder with Tenure.
  func workspace(role: String = "app") async throws -> Workspace {
    let process = ProcessIdentity.current(role: role, appVersion: "2.1")
    return try await Workspace.open(
      at: path, role: role, appVersion: "2.1", options: .small, system: system,
      trace: .to(killer.sink(over: try file(process))))
  }

  var folder: CustomaryFolder { CustomaryFolder(path: path, system: system) }

  private func file(_ process: ProcessIdentity) throws -> TraceFile {
    try TraceFile.open(in: path.appendingPath("traces"), as: process)
  }
}

extension Workspace.Options {
  /// Bodies above a kibibyte in files, and no disk space held back.
  static var small: Workspace.Options {
    var options = Workspace.Options()
    options.database.reserve = 0
    options.documents.inlineLimit = 1_024
    return options
  }
}

extension Scenario {
  /// Plays both sides. `program` is an executable that answers to `lab act` (``play(_:_:act:container:killedAt:)``).
  public func run(program: String) async throws -> ScenarioOutcome {
    ScenarioOutcome(
      scenario: self, customary: try await run(.customary, program),
      tenure: try await run(.tenure, program))
  }

  private func run(_ name: SideName, _ program: String) async throws -> SideOutcome {
    let directory = try LabDirectory()
    defer { directory.remove() }
    let stage = Stage(path: directory.path, law: law, side: name, lab: ProcessLab(), program: program)
    let verdict = try await withTaskCancellationHandler {
      let play = Task { try await side(name).play(stage) }
      let verdict = await play.result
      // Nobody is left in the folder when it is read and removed.
      stage.lab.end()
      await stage.lab.allEnded()
      try Task.checkCancellation()
      return try verdict.get()
    } onCancel: {
      stage.lab.end()
    }
    let (trace, findings) = try judge(directory.path)
    return SideOutcome(verdict: verdict, trace: trace, findings: findings)
  }

  /// Reads back what all processes recorded, and shows it to the rules of this law.
  private func judge(_ path: String) throws -> ([String], [Finding]) {
    let files = try TraceInputs.files(at: [path])
    var merge = try TraceInputs.merge(files)
    var engine = RuleEngine(rules: [law.rawValue])
    var lines: [String] = []
    var start: UInt64?
    while let item = merge.next() {
      engine.take(item)
      guard case .entry(let entry) = item else { continue }
      let since = start ?? entry.record.monotonic
      start = since
      let record = entry.record
      let milliseconds = Double(record.monotonic &- since) / 1_000_000
      lines.append(
        "\(milliseconds) ms \(record.process.short) \(record.kind) \(TraceFormat.fields(of: record.event))")
    }
    return (lines, engine.report(inputs: files).findings)
  }

  /// Plays one act, in the process that was started for it.
  public static func play(
    _ law: Law, _ side: SideName, act: String, container: String, killedAt point: KillPoint?
  ) async throws {
    // The acts of a law's scenarios have different names.
    guard let play = Scenarios.all(of: law).lazy.compactMap({ $0.side(side).acts[act] }).first else {
      throw StageError.unexpected("there is no act \(act) of \(law.rawValue)")
    }
    try await Actor.play(play, at: container, killedAt: point)
  }
}
