import Tenure
import TenureStorage
import TenureSystem

/// The notes app that Tenure's sample, scenarios and complaints are about.
public enum Notebook {
  /// The tables of the app's own: what was imported, and the service's index.
  public static let component = Component(name: "notebook", version: 1) { connection, from in
    if from < 1 {
      try connection.script(ImportTable.migration)
      try connection.script(IndexTable.migration)
    }
  }

  /// The container that belongs to a folder of notes, unless another is named.
  public static func container(of folder: String) -> String { folder.appendingPath(".tenure") }

  /// Opens the workspace in a container.
  ///
  /// `role` says what the process does (`app`, `scene`, `service`) and stands beside everything it writes; `task`,
  /// which scene or service it is, in its events.
  public static func open(
    _ container: String, role: String, system: System = .live, trace: Workspace.TraceSetting = .file,
    task: String? = nil
  ) async throws -> Workspace {
    let workspace = try await Workspace.open(
      at: container, role: role, appVersion: version, components: [component], system: system, trace: trace,
      task: task)
    for kind in ["md", "txt", "csv"] { workspace.documents.register(LineMerge(), forKind: kind) }
    return workspace
  }

  /// The app's version, as it stands beside its writes.
  public static let version = "1.0"
}
