import TenureScenarios
import TenureSystem
import TenureTesting
import TenureTrace

extension Command {
  /// `tenure lab`
  static let lab = Command(
    "lab", "Shows laws being broken and held, with real processes and real kills.",
    verbs: [.labList, .labRun, .labKill, .labWorker, .labAct],
    examples: [
      Example("tenure lab run D3", "Customary code and Tenure's, side by side."),
      Example("tenure lab kill --iterations 20", "Kill workers in the middle of their commits, and check."),
      Example("tenure lab kill --break D3", "The same with a guard removed: the check must find it."),
    ])
}

// MARK: lab kill

extension Command {
  struct LabKillInput: Sendable {
    var iterations = 300
    var processes = 6
    var broken: BreakableLaw?
    var seed: Int64 = 1
    var keep = false
    var json = false
  }

  /// `tenure lab kill`
  static let labKill = Command(
    "kill", "Kills processes that share a container while they save, and checks all they were told.",
    discussion: """
      Workers commit, read, observe, checkpoint, flush and read history on a few documents in a container of \
      their own; about half are killed in each iteration, most between asking for a commit and its answer, and \
      start again at once. At the end a checker looks for an order of events that explains everything.
      """,
    taking: LabKillInput(),
    [
      .option("iterations", "N", \.iterations, in: 1...1_000_000, "Bursts of each worker.").byDefault("300"),
      .option("processes", "P", \.processes, in: 1...64, "Workers.").byDefault("6"),
      .option("break", "LAW", \.broken, "Take this law's guard away."),
      .option("seed", "S", \.seed, "What work and kill points follow from.").byDefault("1"),
      .flag("keep", \.keep, "Leave the container, and say where it is."),
      .flag("json", \.json, "Print one object of counts."),
    ],
    exits: [.success: "no fault", .findings: "faults were found, or workers could not start"]
  ) { input, context in
    var settings = KillLab.Settings(program: ownExecutable(calledAs: context.executable))
    settings.iterations = input.iterations
    settings.processes = input.processes
    settings.broken = input.broken
    settings.seed = UInt64(bitPattern: input.seed)
    let chosen = settings
    return try await Interruption.during(context) {
      try await runLab(chosen, input, context)
    } end: { task in
      await LabInterruption.end(task, context)
    }
  }

  private static func runLab(
    _ settings: KillLab.Settings, _ input: LabKillInput, _ context: CommandContext
  ) async throws -> ExitCode {
    let directory = try LabDirectory(system: context.system)
    defer { if input.keep { directory.keep() } else { directory.remove() } }
    let report = try await KillLab(settings, at: directory.path, system: context.system).run { done in
      context.terminal.showStatus("iteration \(done) of \(input.iterations)")
    }
    context.terminal.clearStatus()
    if input.json {
      try context.terminal.print(json: KillLabRow(report))
    } else {
      context.terminal.print(report.text(on: context.terminal))
    }
    if input.keep { context.terminal.complain("The container is \(directory.path)".printable()) }
    return report.isGood ? .success : .findings
  }
}

/// What a lab that is interrupted takes away: its processes, which it kills when its task is cancelled, and its folder.
enum LabInterruption {
  /// How long killed processes may take to be gone.
  private static let patience = Duration.seconds(5)

  static func end(_ task: Task<ExitCode, any Error>, _ context: CommandContext) async {
    let clock = context.system.clock
    // It throws because it was cancelled.
    _ = try? await clock.outcome(of: task, until: clock.monotonic &+ patience.nanoseconds)
  }
}

/// The counts as `--json` prints them: every key always there.
private struct KillLabRow: Encodable {
  let report: KillLabReport

  init(_ report: KillLabReport) { self.report = report }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    var row = encoder.container(keyedBy: Key.self)
    try row.encode(report.iterations, forKey: Key("iterations"))
    try row.encode(report.kills, forKey: Key("kills"))
    try row.encode(report.killsInCommit, forKey: Key("killsInCommit"))
    try row.encode(report.stops, forKey: Key("stops"))
    try row.encode(report.purgedThrough, forKey: Key("purgedThrough"))
    try row.encode(report.failures.count, forKey: Key("failures"))
    try row.encode(report.history.acknowledged, forKey: Key("acknowledged"))
    try row.encode(report.history.inDoubt, forKey: Key("inDoubt"))
    for fault in HistoryFault.allCases {
      try row.encode(report.history.count(fault), forKey: Key(fault.rawValue))
    }
    try row.encode(report.broken?.rawValue, forKey: Key("broken"))
  }
}

extension KillLabReport {
  fileprivate func text(on terminal: Terminal) -> String {
    let shown = 20
    var lines = [
      """
      \(iterations) iterations, \(kills) kills (\(killsInCommit) inside a commit), \(stops) stops, \
      \(requests) requests
      """,
      """
      \(history.acknowledged) changes acknowledged, \(history.inDoubt) commits left without an answer, history purged \
      up to change \(purgedThrough)
      """,
    ]
    if let broken { lines.append("the guard of \(broken.rawValue) was taken away") }
    for fault in HistoryFault.allCases {
      let count = history.count(fault)
      let style: Terminal.Style = count == 0 ? .green : .red
      lines.append("  \(fault.rawValue.padded(to: 16)) \(terminal.styled("\(count)", style))")
    }
    if !failures.isEmpty {
      lines.append("  \("failures".padded(to: 16)) \(terminal.styled("\(failures.count)", .red))")
      lines += failures.prefix(shown).map { "could not start: \($0)".printable() }
    }
    lines += history.findings.prefix(shown).map { "\($0)".printable() }
    if history.findings.count > shown { lines.append("\u{2026} \(history.findings.count - shown) more") }
    return lines.joined(separator: "\n")
  }
}

// MARK: lab worker

extension Command {
  /// `tenure lab worker`: one process of the kill lab.
  static let labWorker = Command(
    "worker", "One worker of `tenure lab kill`.", taking: LabWorker.Input(),
    [
      .option("container", "FOLDER", \.container, "The shared container."),
      .option("client", "NAME", \.client, "Who it is."),
      .option("last", "N", \.last, in: 0...Int.max, "The number of its last request."),
      .option("break", "LAW", \.broken, "Take this law's guard away."),
      .option("kill-at", "POINT", \.killPoint, "Where it kills itself."),
    ],
    isHidden: true
  ) { input, _ in try await LabWorker.run(input) }
}

extension BreakableLaw: ArgumentValue {}

extension KillPoint: ArgumentValue {
  init?(argument: String) { self.init(argument) }
  static var expectation: String { "a kill point such as event:save.begun:2>call:sqlite.sync:1" }
  var argument: String { description }
}
