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

  /// What an end may interrupt, and what interrupts it.
  private enum News: Sendable {
    case done
    case ended(String)
  }

  private struct Opened: Sendable {
    var workspace: Workspace
    var recovered: Int
  }

  // MARK: One pass

  /// `--once`
  func runOnce() async throws -> ExitCode {
    let interruption = try Interruption(context.system)
    let begun = clock.monotonic
    let log = RunLog(terminal: terminal, clock: clock, isQuiet: input.json)
    let (news, tell) = AsyncStream.makeStream(of: News.self)
    let signals = Task { for await _ in interruption.requests { tell.yield(.ended("interrupted")) } }
    defer { signals.cancel() }
    let pass = Task {
      defer { tell.yield(.done) }
      return try await self.pass(log)
    }
    var iterator = news.makeAsyncIterator()
    var deadline = UInt64.max
    if case .ended(let reason) = await iterator.next() {
      log.say("Ending: \(reason).")
      deadline = clock.monotonic &+ Self.flushTime.nanoseconds
      pass.cancel()
    }
    guard let (counted, isWhole) = try await outcome(of: pass, until: deadline) else {
      log.say("Cut off. What was saved stays; the next run goes on from there.", .yellow)
      return .findings
    }
    var summary = counted
    summary.elapsedMs = Int((clock.monotonic - begun) / 1_000_000)
    try finish(summary)
    return isWhole ? .success : .findings
  }

  private func pass(_ log: RunLog) async throws -> (RunSummary, isWhole: Bool) {
    let opened = try await open(log)
    do {
      let report = try await importFolder(into: opened.workspace, log)
      if !report.isInterrupted { _ = try await NotebookService(workspace: opened.workspace).catchUp() }
      let summary = try await summary(of: opened.workspace, report, recovered: opened.recovered)
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
    let interruption = try Interruption(context.system)
    let begun = clock.monotonic
    let view = LiveView(terminal: terminal, clock: clock, title: folder, isQuiet: input.json)
    let log = RunLog(terminal: terminal, clock: clock, isQuiet: input.json, view: view)
    defer { view.end() }
    let (news, tell) = AsyncStream.makeStream(of: News.self)
    terminal.whenOutputCloses { tell.yield(.ended("nobody reads the output any more")) }
    let signals = Task { for await _ in interruption.requests { tell.yield(.ended("interrupted")) } }
    defer { signals.cancel() }
    let opening = Task {
      defer { tell.yield(.done) }
      return try await open(log)
    }
    var iterator = news.makeAsyncIterator()
    if case .ended(let reason) = await iterator.next() {
      log.say("Ending: \(reason), before the workspace was open. Nothing was changed.")
      let opened = try await outcome(of: opening, until: clock.monotonic &+ Self.flushTime.nanoseconds)
      await opened?.workspace.close()
      return .success
    }
    let opened = try await opening.value
    let workspace = opened.workspace

    let members = Members(place: place, input: input, context: context, view: view, log: log)
    let work = Task { () throws -> (Watcher, ImportReport) in
      do {
        let watcher = try await Watcher.start(workspace, view: view, log: log)
        let report = try await importFolder(into: workspace, log)
        watcher.imported(report)
        if !report.isInterrupted { members.start() }
        return (watcher, report)
      } catch {
        tell.yield(.ended("\(error)"))
        throw error
      }
    }

    var reason = "ended"
    while case .some(let next) = await iterator.next() {
      guard case .ended(let why) = next else { continue }
      reason = why
      break
    }
    log.say("Ending: \(reason).")
    // One deadline for all: the import, the members, and the flush, which tells what is on its way still.
    let deadline = clock.monotonic &+ Self.flushTime.nanoseconds
    work.cancel()
    let watched: (Watcher, ImportReport)?
    do { watched = try await outcome(of: work, until: deadline) } catch { watched = nil }
    async let ended: Void = members.end(until: deadline)
    let flush = await workspace.documents.flush(until: deadline)
    await ended
    log.flushed(flush, by: "app")
    watched?.0.end()
    view.end()
    var summary = try await summary(of: workspace, watched?.1 ?? ImportReport(), recovered: opened.recovered)
    summary.edits = watched?.0.edits ?? summary.edits
    await workspace.close()
    summary.elapsedMs = Int((clock.monotonic - begun) / 1_000_000)
    try finish(summary)
    return .success
  }

  // MARK: Parts of both

  private func open(_ log: RunLog) async throws -> Opened {
    let workspace = try await Notebook.open(
      place.container, role: "app", system: context.system, task: Self.task)
    do { return Opened(workspace: workspace, recovered: try await recover(in: workspace, log)) } catch {
      await workspace.close()
      throw error
    }
  }

  /// What a task comes to, or `nil` when it has not ended at `deadline`: a large copy listens to nobody, and ends
  /// with the process.
  private func outcome<Value: Sendable>(
    of task: Task<Value, any Error>, until deadline: UInt64
  ) async throws -> Value? {
    let (results, result) = AsyncStream.makeStream(of: Result<Value, any Error>?.self)
    let waiting = Task { result.yield(await task.result) }
    let alarm = Task { [clock] in
      // Cancelled when the task was quicker.
      if (try? await clock.sleep(until: deadline)) != nil { result.yield(nil) }
    }
    defer {
      waiting.cancel()
      alarm.cancel()
    }
    var iterator = results.makeAsyncIterator()
    let first: Result<Value, any Error>?? = await iterator.next()
    return try (first ?? nil)?.get()
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
