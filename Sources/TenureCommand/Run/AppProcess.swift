import Notebook
import Tenure
import TenureGroup
import TenureSystem

/// The app's own process: imports, keeps the scenes and the service running, and shows what happens.
struct AppProcess: Sendable {
  let place: WorkspacePlace
  let input: Command.RunInput
  let context: CommandContext

  private var terminal: Terminal { context.terminal }
  private var folder: String { place.folder ?? "." }
  private var clock: any SystemClock { context.system.clock }

  /// How long the flush at the end may take.
  static let flushTime = Duration.seconds(2)
  /// What stands in the events of the app's own process.
  static let task = "app"
  /// The scenes that belong to the app.
  static let scenes = ["left", "right"]

  // MARK: One pass

  /// `--once`
  func runOnce() async throws -> ExitCode {
    let begun = clock.monotonic
    let workspace = try await Notebook.open(
      place.container, role: "app", system: context.system, task: Self.task)
    let log = RunLog(terminal: terminal, clock: clock, isQuiet: input.json)
    let recovered = try await recover(in: workspace, log)
    let report = try await importFolder(into: workspace, log)
    _ = try await NotebookService(workspace: workspace).catchUp()
    var summary = try await summary(of: workspace, report, recovered: recovered)
    await workspace.close()
    summary.elapsedMs = Int((clock.monotonic - begun) / 1_000_000)
    try finish(summary)
    return .success
  }

  // MARK: Until Ctrl-C

  /// Without `--once`.
  func run() async throws -> ExitCode {
    let interruption = try Interruption(context.system)
    let begun = clock.monotonic
    let workspace = try await Notebook.open(
      place.container, role: "app", system: context.system, task: Self.task)
    let view = LiveView(terminal: terminal, clock: clock, title: folder, isQuiet: input.json)
    let log = RunLog(terminal: terminal, clock: clock, isQuiet: input.json, view: view)
    let (ends, end) = AsyncStream.makeStream(of: String.self)
    terminal.whenOutputCloses { end.yield("nobody reads the output any more") }
    let signals = Task {
      for await _ in interruption.requests { end.yield("interrupted") }
    }

    let recovered = try await recover(in: workspace, log)
    let work = Task { () throws -> (Watcher, ImportReport) in
      let watcher = try await Watcher.start(workspace, view: view, log: log)
      let report = try await importFolder(into: workspace, log)
      return (watcher, report)
    }
    let members = Members(place: place, input: input, context: context, view: view, log: log)
    let start = Task {
      let (watcher, report) = try await work.value
      try Task.checkCancellation()
      watcher.imported(report)
      members.start()
    }
    let failure = Task {
      do { try await start.value } catch is CancellationError {} catch { end.yield("\(error)") }
    }

    var reasons = ends.makeAsyncIterator()
    let reason = await reasons.next() ?? "ended"
    log.say("Ending: \(reason).")
    start.cancel()
    await members.end(within: Self.flushTime)
    let deadline = clock.monotonic &+ Self.flushTime.nanoseconds
    let flush = await workspace.documents.flush(until: deadline)
    log.flushed(flush, by: "app")
    work.cancel()
    signals.cancel()
    failure.cancel()
    let watched = try? await work.value
    watched?.0.end()
    view.end()
    var summary = try await summary(of: workspace, watched?.1 ?? ImportReport(), recovered: recovered)
    summary.edits = watched?.0.edits ?? summary.edits
    await workspace.close()
    summary.elapsedMs = Int((clock.monotonic - begun) / 1_000_000)
    try finish(summary)
    return .success
  }

  // MARK: Parts of both

  /// Says what interrupted processes left behind; the number of drafts.
  private func recover(in workspace: Workspace, _ log: RunLog) async throws -> Int {
    let dead = try Lease.reap(in: workspace.container)
    let alive = Set(try Lease.all(in: workspace.container).filter(\.isHeld).map(\.name))
    let offered = try await workspace.documents.recover().filter { item in
      item.draft.scene != Importer.scene && !alive.contains("scene-\(item.draft.scene)")
    }
    if !dead.isEmpty {
      log.say("Recovered: cleared what \(dead.count) ended processes held (\(dead.joined(separator: ", "))).")
    }
    for item in offered { log.say("Recovered: \(item.sentence)") }
    return offered.count
  }

  private func importFolder(into workspace: Workspace, _ log: RunLog) async throws -> ImportReport {
    let bar = Lock<Progress?>(nil)
    let terminal = self.terminal
    let clock = self.clock
    let folder = self.folder
    let last = Lock(0)
    let report = try await Importer(folder: folder, workspace: workspace).run { progress in
      let shown = bar.withLock { bar in
        if bar == nil {
          bar = Progress("Importing", of: progress.total, unit: "files", on: terminal, clock: clock)
        }
        return bar
      }
      let step = last.withLock { last in
        defer { last = progress.done }
        return progress.done - last
      }
      shown?.advance(by: step)
    }
    bar.withLock { $0 }?.finish()
    log.imported(report, from: folder)
    return report
  }

  private func summary(
    of workspace: Workspace, _ report: ImportReport, recovered: Int
  ) async throws -> RunSummary {
    let holdings = try await Holdings.count(in: workspace)
    var summary = RunSummary()
    summary.documents = holdings.documents
    summary.versions = holdings.versions
    summary.edits = report.committed.count
    summary.conflicts = holdings.conflicts.count + report.conflicts.filter { !$0.isKept }.count
    summary.drafts = holdings.drafts.count
    summary.recovered = recovered
    return summary
  }

  private func finish(_ summary: RunSummary) throws {
    if input.json { try terminal.print(json: summary) } else { terminal.print(summary.line) }
  }
}
