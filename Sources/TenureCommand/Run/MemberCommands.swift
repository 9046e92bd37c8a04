import Notebook
import Tenure
import TenureGroup
import TenureState
import TenureSystem

extension Command {
  struct MemberInput: Sendable {
    var container = ""
    var name = "left"
    var demo = false
  }

  /// A scene of `tenure run`, as a process of its own.
  static let memberScene = Command(
    "member-scene", "A scene process that tenure run starts for itself.", taking: MemberInput(),
    [
      .option("container", "DIR", \.container, "The container."),
      .option("name", "NAME", \.name, "The scene's name."),
      .flag("demo", \.demo, "Edit by itself."),
    ], isHidden: true
  ) { input, context in
    try await Member(input: input, context: context).runScene()
  }

  /// The service of `tenure run`, as a process of its own.
  static let memberService = Command(
    "member-service", "The service process that tenure run starts for itself.", taking: MemberInput(),
    [.option("container", "DIR", \.container, "The container.")], isHidden: true
  ) { input, context in
    try await Member(input: input, context: context).runService()
  }
}

/// One process of the app besides the app's own. It lives until its standard input ends, which is also what
/// happens when the app is killed: no member outlives it.
struct Member: Sendable {
  let input: Command.MemberInput
  let context: CommandContext
  private let interruption: Interruption

  init(input: Command.MemberInput, context: CommandContext) throws {
    self.input = input
    self.context = context
    interruption = try Interruption(context.system)
  }

  private var clock: any SystemClock { context.system.clock }

  /// The app has made the container; a member makes none in the place of one that is gone.
  private func open(role: String, task: String) async throws -> Workspace {
    guard try context.system.status(input.container.appendingPath("tenure.sqlite")) != nil else {
      let loss = EndReason.containerGone(input.container)
      throw CommandFailure(loss.sentence, exit: loss.exitCode)
    }
    return try await Notebook.open(input.container, role: role, system: context.system, task: task)
  }

  private func tell(_ kind: MemberReport.Kind, _ text: String) {
    context.terminal.print(MemberReport(kind, text).line)
  }

  /// Why this process is to end: nobody holds the other end of standard input any more, a signal, or a container
  /// that is gone. `watch` lasts as long as that is waited for.
  private func untilEnd(watching container: GroupContainer) async throws -> EndReason {
    var desk = EndDesk(interruption)
    defer { desk.close() }
    let watch = try ContainerWatch(container, tell: desk.tell)
    let (calls, tell) = (context.system.calls, desk.tell)
    try SystemThread.start(name: "member.input") {
      var byte: UInt8 = 0
      while let count = withUnsafeMutableBytes(of: &byte, { try? calls.read(0, into: $0) }), count > 0 {}
      tell(.inputClosed)
    }
    let reason = await desk.reason()
    return withExtendedLifetime(watch) { reason }
  }

  /// Ends in order, but in bounded time: the app kills whoever takes longer.
  private func end(_ reason: EndReason, _ body: @escaping @Sendable () async throws -> Void) async throws
    -> ExitCode
  {
    let deadline = clock.monotonic &+ AppProcess.flushTime.nanoseconds
    if try await clock.outcome(of: Task { try await body() }, until: deadline) == nil {
      tell(.failed, "cut off at the end; what was saved stays")
    }
    return reason.exitCode
  }

  // MARK: Scene

  func runScene() async throws -> ExitCode {
    let workspace = try await open(role: "scene", task: input.name)
    let scene: NotebookScene
    do {
      scene = try await NotebookScene.open(input.name, in: workspace)
    } catch let GroupError.leaseHeld(name, holder) {
      tell(.failed, "another process has this scene already (\(name), \(holder ?? "unnamed")); only waiting")
      let reason = try await untilEnd(watching: workspace.container)
      return try await end(reason) { await workspace.close() }
    }
    for item in scene.recovered { tell(.recovered, item.sentence) }
    if await scene.selection == nil { try await selectFirst(scene, workspace) }
    let showing = await showSelection(scene)
    let demo = input.demo ? Task { await Demo(scene: scene, workspace: workspace, tell: tell).run() } : nil

    let reason = try await untilEnd(watching: workspace.container)
    return try await end(reason) {
      demo?.cancel()
      await demo?.value
      showing?.cancel()
      if reason.leavesContainer {
        try await flush(workspace)
      } else {
        tell(.failed, reason.text)
      }
      await scene.close()
      await workspace.close()
    }
  }

  private func flush(_ workspace: Workspace) async throws {
    let flush = await workspace.documents.flush(
      until: clock.monotonic &+ AppProcess.flushTime.nanoseconds / 2)
    let drafts = try await workspace.documents.draftEntries(scene: input.name)
    let kept = drafts.map { "\($0.document) on version \($0.base)" }.joined(separator: ", ")
    tell(
      .flushed,
      "saved \(flush.saved.count), unsaved \(flush.unsaved.count), in doubt \(flush.inDoubt.count); "
        + (kept.isEmpty ? "no draft is waiting." : "drafts waiting: \(kept)."))
  }

  private func selectFirst(_ scene: NotebookScene, _ workspace: Workspace) async throws {
    let texts = try await workspace.documents.list(limit: 100).items
      .filter { ["md", "txt"].contains($0.document.kind) }
    // Not the same for both scenes.
    let place = input.name == AppProcess.scenes.first ? 0 : texts.count / 2
    if texts.indices.contains(place) { try await scene.select(texts[place].document) }
  }

  private func showSelection(_ scene: NotebookScene) async -> Subscription? {
    guard let document = await scene.selection else {
      tell(.shows, "nothing selected")
      return nil
    }
    do {
      let (first, subscription) = try await scene.observe(document) { seen in
        self.show(document, seen.value)
      }
      show(document, first.value)
      return subscription
    } catch {
      tell(.failed, "cannot follow \(document): \(error)")
      return nil
    }
  }

  private func show(_ document: DocumentID, _ revision: Revision?) {
    let version = revision.map { $0.isDeleted ? "deleted" : "version \($0.version)" } ?? "new"
    tell(.shows, "shows \(document), \(version)")
  }

  // MARK: Service

  func runService() async throws -> ExitCode {
    let workspace = try await open(role: "service", task: NotebookService.consumer)
    let service = NotebookService(workspace: workspace)
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let subscription = try workspace.database.onChange { wake.yield() }
    wake.yield()
    let work = Task {
      var isFirst = true
      for await _ in wakes {
        do {
          let count = try await service.catchUp()
          if count > 0 || isFirst {
            let entries = try await service.entries()
            let words = entries.reduce(0) { $0 + $1.words }
            if isFirst, count > 0 { tell(.recovered, "\(count) changes came while it was away") }
            tell(.shows, "index of \(entries.count) documents, \(words) words")
          }
          isFirst = false
        } catch {
          if !Task.isCancelled { tell(.failed, "cannot index now: \(error)") }
        }
      }
    }
    let reason = try await untilEnd(watching: workspace.container)
    return try await end(reason) {
      subscription.cancel()
      wake.finish()
      work.cancel()
      await work.value
      await workspace.close()
    }
  }
}
