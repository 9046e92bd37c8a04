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

  /// How long an end may take, from its reason to the last line.
  static let endTime = Duration.seconds(2)
  /// When in it the flush answers; counting and closing have the rest.
  static let flushTime = Duration.milliseconds(1_500)
  /// How long in it an import may take to stop.
  static let stopTime = Duration.milliseconds(750)
  /// What stands in the events of the app's own process.
  static let task = "app"
  /// The scenes that belong to the app.
  static let scenes = ["left", "right"]

  private struct Opened: Sendable {
    var workspace: Workspace
    var watch: ContainerWatch
    var recovered: Int
  }

  // MARK: One pass

  /// `--once`
  func runOnce() async throws -> ExitCode {
    var desk = EndDesk(try Interruption(context.system), output: terminal)
    defer { desk.close() }
    let begun = clock.monotonic
    let log = RunLog(terminal: terminal, clock: clock, isQuiet: input.json)
    let pass = desk.start { [tell = desk.tell] in try await self.pass(log, lost: tell) }
    var deadline = UInt64.max
    let reason = await desk.next()
    if let reason {
      log.say("Ending: \(reason.text).")
      deadline = clock.monotonic &+ Self.endTime.nanoseconds
      pass.cancel()
    }
    if let reason, !reason.leavesContainer { return reason.exitCode }
    guard let (counted, isWhole) = try await clock.outcome(of: pass, until: deadline) else {
      log.say("Cut off. What was saved stays; the next run goes on from there.", .yellow)
      return reason?.exitCode ?? .findings
    }
    var summary = counted
    summary.elapsedMs = Int((clock.monotonic - begun) / 1_000_000)
    try finish(summary)
    return isWhole ? .success : reason?.exitCode ?? .findings
  }

  private func pass(
    _ log: RunLog, lost: @escaping @Sendable (EndReason) -> Void
  ) async throws -> (RunSummary, isWhole: Bool) {
    let opened = try await open(log, lost: lost)
    do {
      let report = try await importFolder(into: opened.workspace, log)
      if !report.isInterrupted { _ = try await NotebookService(workspace: opened.workspace).catchUp() }
      let summary = try await summary(of: opened.workspace, report, recovered: opened.recovered)
      try opened.watch.check()
      await opened.workspace.close()
      return (summary, !report.isInterrupted)
    } catch {
      await opened.workspace.close()
      throw error
    }
  }

  // MARK: Until Ctrl-C

  /// Without `--once`.
  func run() async throws -> ExitCode {
    var desk = EndDesk(try Interruption(context.system), output: terminal)
    defer { desk.close() }
    let begun = clock.monotonic
    let view = LiveView(terminal: terminal, clock: clock, title: folder, isQuiet: input.json)
    let log = RunLog(terminal: terminal, clock: clock, isQuiet: input.json, view: view)
    defer { view.end() }
    let tell = desk.tell
    let opening = desk.start { try await open(log, lost: tell) }
    if let reason = await desk.next() {
      log.say("Ending: \(reason.text), before the workspace was open. Nothing was imported.")
      let closing = Task { try await opening.value.workspace.close() }
      _ = try await clock.outcome(of: closing, until: clock.monotonic &+ Self.endTime.nanoseconds)
      return code(of: reason)
    }
    let opened = try await opening.value

    let members = Members(
      place: place, input: input, context: context, view: view, log: log, watch: opened.watch)
    let work = Task { () throws -> (Watcher, ImportReport) in
      do {
        let watcher = try await Watcher.start(opened.workspace, view: view, log: log)
        let report = try await importFolder(into: opened.workspace, log)
        watcher.imported(report)
        if !report.isInterrupted { members.start(lost: tell) }
        return (watcher, report)
      } catch {
        tell(.failed(error))
        throw error
      }
    }

    let reason = await desk.reason()
    log.say("Ending: \(reason.text).", reason.leavesContainer ? nil : .red)
    let summary = try await end(opened, members, work, log, reason)
    view.end()
    guard var summary else {
      if reason.leavesContainer {
        log.say("Cut off at the end: what the workspace holds was not counted.", .yellow)
      }
      return code(of: reason) == .success ? .findings : code(of: reason)
    }
    summary.elapsedMs = Int((clock.monotonic - begun) / 1_000_000)
    try finish(summary)
    return code(of: reason)
  }

  /// One deadline for all: the import, the members, the flush, which tells what is on its way still, counting and
  /// closing. `nil`: it was not counted in time, or there is nothing to count any more.
  private func end(
    _ opened: Opened, _ members: Members, _ work: Task<(Watcher, ImportReport), any Error>, _ log: RunLog,
    _ reason: EndReason
  ) async throws -> RunSummary? {
    let begun = clock.monotonic
    let (stopped, flushed) = (begun &+ Self.stopTime.nanoseconds, begun &+ Self.flushTime.nanoseconds)
    let deadline = begun &+ Self.endTime.nanoseconds
    work.cancel()
    let ending = Task { await members.end(until: flushed) }
    // What failed was told as the reason.
    let watched = try? await clock.outcome(of: work, until: stopped)
    if reason.leavesContainer {
      log.flushed(await opened.workspace.documents.flush(until: flushed), by: "app")
    }
    _ = try await clock.outcome(of: Task { await ending.value }, until: deadline)
    watched?.0.end()
    let closing = Task { () throws -> RunSummary? in
      var counted: RunSummary?
      if reason.leavesContainer {
        counted = try await summary(
          of: opened.workspace, watched?.1 ?? ImportReport(), recovered: opened.recovered)
        if let edits = watched?.0.edits { counted?.edits = edits }
      }
      await opened.workspace.close()
      return counted
    }
    return try await clock.outcome(of: closing, until: deadline) ?? nil
  }

  /// Ctrl-C is how a run ordinarily ends.
  private func code(of reason: EndReason) -> ExitCode {
    if case .signal(.interrupt) = reason { .success } else { reason.exitCode }
  }

  // MARK: Parts of both

  private func open(_ log: RunLog, lost: @escaping @Sendable (EndReason) -> Void) async throws -> Opened {
    let workspace = try await Notebook.open(
      place.container, role: "app", system: context.system, task: Self.task)
    do {
      let watch = try ContainerWatch(workspace.container, tell: lost)
      return Opened(workspace: workspace, watch: watch, recovered: try await recover(in: workspace, log))
    } catch {
      await workspace.close()
      throw error
    }
  }

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
