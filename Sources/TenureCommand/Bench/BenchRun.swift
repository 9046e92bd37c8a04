import TenureGroup
import TenureSystem

/// One call of `tenure bench`.
struct BenchRun: Sendable {
  let input: Command.BenchInput
  let context: CommandContext

  func run() async throws -> ExitCode {
    let plan = BenchmarkPlan(
      system: context.system, directory: input.directory, runs: input.runs, isQuick: input.quick,
      program: context.executable, progress: { context.terminal.showStatus("measuring: \($0)") })
    return try await Interruption.during(context) {
      try await run(plan)
    } end: { _ in
      await plan.belongings.removeAll()
    }
  }

  private func run(_ plan: BenchmarkPlan) async throws -> ExitCode {
    let subjects = input.subjects.isEmpty ? Command.BenchSubject.allCases : input.subjects
    guard subjects.contains(where: { Self.measurements(of: $0).contains { isWanted($0.names(plan)) } }) else {
      throw UsageError("No row's name holds \(input.only.joined(separator: " or ")).")
    }
    guard try context.system.status(input.directory)?.kind == .directory else {
      throw CommandFailure("There is no folder \(input.directory) to measure in.")
    }
    #if DEBUG
      context.terminal.complain("This is a debug build: its figures say nothing. Build with -c release.")
    #endif
    var rows: [BenchmarkRow] = []
    var faults: [String] = []
    for subject in subjects {
      let path = input.accepted.appendingPath("\(subject.rawValue).json")
      // Read first: whoever has no such file is not to wait for minutes to hear of it.
      let accepted = input.compare ? try AcceptedRatios.read(path, system: context.system) : nil
      let measured = try await measure(subject, plan: plan)
      rows += measured
      faults += accepted?.falls(in: measured).map { "fell: \($0)" } ?? []
      faults += accepted?.misses(in: measured).map { "below target: \($0)" } ?? []
      if input.accept { try accept(measured, of: subject, at: path) }
    }
    context.terminal.clearStatus()
    if input.json {
      try context.terminal.print(json: rows.map(\.rounded))
    } else {
      context.terminal.print(BenchmarkReport.table(rows))
    }
    guard input.compare else { return .success }
    // Beside the rows and not among them: standard output stays one JSON array.
    for fault in faults { context.terminal.complain(fault.printable()) }
    if faults.isEmpty { context.terminal.complain("nothing fell below the accepted ratios") }
    return faults.isEmpty ? .success : .findings
  }

  private func measure(_ subject: Command.BenchSubject, plan: BenchmarkPlan) async throws -> [BenchmarkRow] {
    var rows: [BenchmarkRow] = []
    for measurement in Self.measurements(of: subject) where isWanted(measurement.names(plan)) {
      rows += try await measurement.run(plan)
    }
    return rows.filter { isWanted([$0.name]) }
  }

  private func isWanted(_ names: [String]) -> Bool {
    input.only.isEmpty || input.only.contains { text in names.contains { $0.contains(text) } }
  }

  private func accept(_ rows: [BenchmarkRow], of subject: Command.BenchSubject, at path: String) throws {
    let machine = BenchmarkMachine.current(system: context.system)
    let old = try? AcceptedRatios.read(path, system: context.system)
    let accepted = AcceptedRatios(
      machine: machine.machine, compiler: machine.compiler, sqlite: machine.sqlite,
      rows: AcceptedRatios.merge(rows, into: old?.rows ?? []))
    try context.system.makeDirectories(input.accepted, permissions: 0o755)
    try AtomicFile.replace(path, with: Array(try accepted.json().utf8), system: context.system, trace: .off)
  }
}

extension BenchRun {
  /// Rows that are measured in one go.
  struct Measurement: Sendable {
    /// What its rows are called; a quick look measures something smaller and says so.
    var names: @Sendable (BenchmarkPlan) -> [String]
    var run: @Sendable (BenchmarkPlan) async throws -> [BenchmarkRow]
  }

  static func measurements(of subject: Command.BenchSubject) -> [Measurement] {
    switch subject {
    case .documents:
      [1, 8, 64].map { count in
        Measurement(
          names: { _ in [WriterBenchmarks.name(writers: count)] },
          run: { [try await WriterBenchmarks.row(writers: count, plan: $0)] })
      } + [
        Measurement(names: ProcessBenchmarks.fourNames, run: ProcessBenchmarks.fourProcesses),
        Measurement(names: SignalBenchmarks.names, run: SignalBenchmarks.rows),
        Measurement(names: ImportBenchmarks.folderNames, run: ImportBenchmarks.folder),
        Measurement(names: ImportBenchmarks.largeFileNames, run: ImportBenchmarks.largeFile),
        Measurement(names: ProcessBenchmarks.growthNames, run: ProcessBenchmarks.logGrowth),
      ]
    case .trace:
      [Measurement(names: TraceBenchmarks.names, run: TraceBenchmarks.rows)]
    }
  }
}
