import Notebook
import Tenure
import TenureSystem

/// What every verb of `tenure store` that only looks takes.
protocol StoreLookInput: StoreInput {
  var copy: Bool { get set }
}

extension Parameter where Input: StoreLookInput {
  /// As ``place``, with `--copy`.
  static var lookingPlace: [Parameter] {
    place + [
      .flag(
        "copy", \.copy,
        "Look into a copy, so that nothing of the container changes; done by itself where it cannot be written."
      )
    ]
  }
}

extension Command {
  /// Opens the workspace for looking: itself, or a copy where that is asked for or it cannot be written.
  static func looking(
    _ input: some StoreLookInput, _ context: CommandContext,
    _ body: @escaping @Sendable (Workspace) async throws -> ExitCode
  ) async throws -> ExitCode {
    let place = try WorkspacePlace.existing(
      folder: input.folder, container: input.container, system: context.system)
    if !input.copy {
      let container = try GroupContainer.existing(at: place.container, system: context.system, trace: .off)
      if try container.isWritable {
        return try await closing(
          try await Notebook.open(place.container, role: "store", system: context.system), after: body)
      }
      context.terminal.complain(
        "(\(place.container) cannot be written: looking into a copy of it)".printable())
    }
    return try await inspecting(place.container, context, body)
  }

  /// Looks into a copy, which is gone afterwards, also when a signal or the reader of the output ends it.
  private static func inspecting(
    _ container: String, _ context: CommandContext,
    _ body: @escaping @Sendable (Workspace) async throws -> ExitCode
  ) async throws -> ExitCode {
    var desk = EndDesk(try Interruption(context.system), output: context.terminal)
    defer { desk.close() }
    let opening = desk.start {
      try await Workspace.inspect(at: container, components: [Notebook.component], system: context.system)
    }
    if let reason = await desk.next() {
      opening.cancel()
      await (try? opening.value)?.close()
      return ended(reason, context)
    }
    let workspace = try await opening.value

    let looking = desk.start { try await body(workspace) }
    let reason = await desk.next()
    if reason != nil {
      looking.cancel()
      // Stops a statement at its next step. The body is not waited for: it may be writing to who does not read.
      await workspace.database.suspend()
    }
    await workspace.close()
    if let reason { return ended(reason, context) }
    return try await looking.value
  }

  private static func ended(_ reason: EndReason, _ context: CommandContext) -> ExitCode {
    if case .signal = reason { context.terminal.complain("tenure: \(reason.text)") }
    return reason.exitCode
  }
}
