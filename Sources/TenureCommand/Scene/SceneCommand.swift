import Notebook
import Tenure
import TenureGroup
import TenureSystem

extension Command {
  struct SceneInput: Sendable {
    var folder: String?
    var container: String?
    var name: String?
  }

  /// `tenure scene`
  static let scene = Command(
    "scene", "One more scene on a workspace, at a prompt.",
    discussion: """
      Reads commands from the terminal or a pipe: list, show, edit, save, settle, versions, back, select, quit; \
      `help` says how. The scene has its own selection and drafts, which wait for it when it is killed. Ctrl-C at \
      the prompt clears the line. SIGTERM, SIGQUIT and a terminal that goes away end it within two seconds, and the \
      editor with it: what was typed, or saved in the editor, is kept as a draft.
      """,
    taking: SceneInput(),
    [
      .argument("FOLDER", \.folder, completes: .directory, "The folder of the workspace.")
        .byDefault(WorkspacePlace.sample),
      .option(
        "container", "DIR", \.container, completes: .directory,
        "The container, when it is not FOLDER/.tenure."),
      .option("name", "NAME", \.name, "The scene's name, by which it finds its work again.")
        .byDefault("prompt, or prompt-2 and so on while that is open"),
    ],
    exits: [
      .findings: "a piped command failed or met a conflict",
      .containerGone: ExitCode.containerGone.meaning, .hungUp: ExitCode.hungUp.meaning,
      .interrupted: "interrupted (SIGINT) where no line is typed", .quit: ExitCode.quit.meaning,
      .terminated: ExitCode.terminated.meaning,
    ],
    examples: [
      Example("tenure scene ~/Notes", "A prompt on the workspace of ~/Notes."),
      Example("printf 'edit Shopping.md - tea\\nsave\\n' | tenure scene ~/Notes", "Edits from a script."),
    ]
  ) { input, context in
    let place = try WorkspacePlace.existing(
      folder: input.folder, container: input.container, system: context.system)
    if input.name == Importer.scene {
      throw UsageError(
        "The import keeps its conflicts in the scene \(Importer.scene). Choose another --name.")
    }
    return try await SceneProcess(place: place, name: input.name, context: context).run()
  }
}
