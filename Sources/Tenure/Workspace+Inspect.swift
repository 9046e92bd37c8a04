import TenureDocuments
import TenureStorage
import TenureSystem
import TenureTrace

extension Workspace {
  /// Opens a copy of the container at `path`, for one that must not be touched: taken off a device, on a read-only
  /// volume, or evidence.
  ///
  /// ```swift
  /// let workspace = try await Workspace.inspect(at: "/media/phone/Group/.tenure")
  /// for problem in try await workspace.documents.check() { print(problem) }
  /// await workspace.close()                                            // removes the copy
  /// ```
  /// Nothing of the container changes, and nothing is made in it, whatever state it is in; every write is refused
  /// with ``StorageError/inspectedOnly(original:)``. See ``GroupDatabase/inspect(_:components:options:temporaryFolder:system:trace:)``.
  /// ``container`` is the copy. Whether a draft's change was committed is said as the copy tells it: a process that
  /// was killed on the device may still have left it open, so such drafts are recovered as in doubt.
  public static func inspect(
    at path: String, components: [Component] = [], options: Options = Options(),
    temporaryFolder: String? = nil, system: System = .live, trace: (any TraceSink)? = nil
  ) async throws -> Workspace {
    let process = ProcessIdentity.current(
      role: "inspection", bundleIdentifier: options.bundleIdentifier, appVersion: "0")
    let database = try await GroupDatabase.inspect(
      path, components: [DocumentStore.component] + components, options: options.database,
      temporaryFolder: temporaryFolder, system: system,
      trace: trace.map { Trace(to: $0, as: process, clock: system.clock) } ?? .off(as: process))
    do {
      let documents = try await DocumentStore.open(database, options: options.documents)
      return Workspace(container: database.container, database: database, documents: documents)
    } catch {
      await database.close()
      throw error
    }
  }
}
