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
      `help` says how. The scene has its own selection and drafts, which wait for it when it is killed.
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
    exits: [.findings: "a piped command failed or met a conflict"],
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
    let workspace = try await Notebook.open(place.container, role: "scene", system: context.system)
    let scene = try await openScene(input.name, in: workspace)
    let prompt = ScenePrompt(scene: scene, workspace: workspace, context: context)
    let code = try await prompt.run()
    await scene.close()
    await workspace.close()
    return code
  }

  private static func openScene(_ name: String?, in workspace: Workspace) async throws -> NotebookScene {
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
