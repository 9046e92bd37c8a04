import Notebook
import Tenure
import TenureGroup
import TenureSystem

/// One call of `tenure scene`: the scene, the conversation, and an end in order whoever asks for it.
struct SceneProcess: Sendable {
  let place: WorkspacePlace
  let name: String?
  let context: CommandContext

  private var clock: any SystemClock { context.system.clock }

  private struct Opened: Sendable {
    var workspace: Workspace
    var scene: NotebookScene
    var watch: ContainerWatch
  }

  /// Until `quit`, the end of the input, or a reason to end.
  func run() async throws -> ExitCode {
    let source = try LineSource(context.system)
    let activity = SceneActivity()
    let interruption = try Interruption(context.system) { signal in
      switch activity.meaning(of: signal) {
      case .end: return false
      case .startOver: source.startOver()
      case .nothing: break
      }
      return true
    } lastly: {
      source.restoreTerminal()
    }
    var desk = EndDesk(interruption, output: context.terminal)
    defer { desk.close() }
    let opening = desk.start { [tell = desk.tell] in try await open(lost: tell) }
    if let reason = await desk.next() {
      context.terminal.complain("Ending: \(reason.text), before the scene was open. Nothing was changed.")
      let closing = Task { try await close(opening.value) }
      _ = try await clock.outcome(of: closing, until: clock.monotonic &+ AppProcess.endTime.nanoseconds)
      return reason.exitCode
    }
    let opened = try await opening.value
    let prompt = ScenePrompt(
      scene: opened.scene, workspace: opened.workspace, context: context, activity: activity,
      watch: opened.watch)
    let talk = desk.start { try await prompt.run(source) }
    guard let reason = await desk.next() else {
      let result = await talk.result
      await close(opened)
      return try result.get()
    }
    activity.end(reason.signal)
    source.stop()
    let code = await end(opened, talk, activity, reason)
    source.restoreTerminal()
    return code
  }

  /// One deadline for all: the editor, what is at work, the flush, which tells what is not saved, and closing.
  private func end(
    _ opened: Opened, _ talk: Task<ExitCode, any Error>, _ activity: SceneActivity, _ reason: EndReason
  ) async -> ExitCode {
    let log = RunLog(terminal: context.terminal, clock: clock, isQuiet: false)
    let begun = clock.monotonic
    log.say("Ending: \(reason.text).", reason.leavesContainer ? nil : .red)
    let alarm = Task { [clock] in
      // Cancelled when the editor has ended in time.
      guard (try? await clock.sleep(until: begun &+ AppProcess.stopTime.nanoseconds)) != nil else { return }
      activity.endNow()
    }
    do {
      _ = try await clock.outcome(of: talk, until: begun &+ AppProcess.flushTime.nanoseconds)
    } catch {
      log.say("\(error)", .red)
    }
    alarm.cancel()
    if reason.leavesContainer {
      let flush = await opened.workspace.documents.flush(until: begun &+ AppProcess.flushTime.nanoseconds)
      log.flushed(flush, by: opened.scene.name)
    }
    // It throws nothing.
    _ = try? await clock.outcome(
      of: Task { await close(opened) }, until: begun &+ AppProcess.endTime.nanoseconds)
    return reason.exitCode
  }

  private func open(lost: @escaping @Sendable (EndReason) -> Void) async throws -> Opened {
    let workspace = try await Notebook.open(place.container, role: "scene", system: context.system)
    do {
      return Opened(
        workspace: workspace, scene: try await openScene(in: workspace),
        watch: try ContainerWatch(workspace.container, tell: lost))
    } catch {
      await workspace.close()
      throw error
    }
  }

  private func close(_ opened: Opened) async {
    await opened.scene.close()
    await opened.workspace.close()
  }

  private func openScene(in workspace: Workspace) async throws -> NotebookScene {
    if let name {
      do { return try await NotebookScene.open(name, in: workspace) } catch let GroupError.leaseHeld(
        _, holder)
      {
        throw CommandFailure(
          "Scene \(name) is open in another process (\(holder ?? "unnamed")). Choose another --name.")
      }
    }
    for number in 1...99 {
      do {
        return try await NotebookScene.open(number == 1 ? "prompt" : "prompt-\(number)", in: workspace)
      } catch GroupError.leaseHeld {
        continue
      }
    }
    throw CommandFailure("Ninety-nine prompts are open on this workspace. Close one, or choose a --name.")
  }
}

extension EndReason {
  /// The signal that an editor is ended with.
  fileprivate var signal: EndSignal { if case .signal(let signal) = self { signal } else { .terminate } }
}
