import Notebook
import Tenure
import TenureSystem

extension Command {
  /// `tenure store`
  static let store = Command(
    "store", "Looks into a workspace and settles what is open, with or without a running one.",
    discussion: """
      Every verb takes the folder of the workspace as its last argument (the sample's notes where none is given), or \
      --container DIR. The verbs that only look also take --copy, for a container that must not be touched.
      """,
    verbs: [
      .storeList, .storeShow, .storeHistory, .storeDiff, .storeImport, .storeExport, .storeDrafts,
      .storeSettle,
      .storeCheck,
    ],
    examples: [
      Example("tenure store list ~/Notes", "The documents of a workspace."),
      Example("tenure store show Shopping.md@2", "The second version of a note."),
      Example("tenure store settle Shopping.md merge", "Joins a draft with what its document became."),
    ])

  /// Finds the workspace, opens it, and closes it whatever happens.
  static func withWorkspace<Result: Sendable>(
    _ folder: String?, _ container: String?, _ context: CommandContext,
    _ body: (Workspace) async throws -> Result
  ) async throws -> Result {
    let place = try WorkspacePlace.existing(folder: folder, container: container, system: context.system)
    return try await closing(
      try await Notebook.open(place.container, role: "store", system: context.system), after: body)
  }

  /// Runs `body`, and closes the workspace whatever happens.
  static func closing<Result: Sendable>(
    _ workspace: Workspace, after body: (Workspace) async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body(workspace)
      await workspace.close()
      return result
    } catch {
      await workspace.close()
      throw error
    }
  }
}

/// What every verb of `tenure store` takes.
protocol StoreInput: Sendable {
  var folder: String? { get set }
  var container: String? { get set }
  var json: Bool { get set }
}

extension Parameter where Input: StoreInput {
  /// The folder, the container and `--json`; after the arguments of the verb.
  static var place: [Parameter] {
    [
      .argument("FOLDER", \.folder, completes: .directory, "The folder of the workspace.")
        .byDefault(WorkspacePlace.sample),
      .option(
        "container", "DIR", \.container, completes: .directory,
        "The container, when it is not FOLDER/.tenure."),
      .flag("json", \.json, "Print JSON."),
    ]
  }
}
