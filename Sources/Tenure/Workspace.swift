import TenureDocuments
import TenureGroup
import TenureStorage
import TenureSystem
import TenureTrace

/// A container opened with everything in it, through one entrance: for the app, its extensions and tools alike.
///
/// ```swift
/// let workspace = try await Workspace.open(at: folder, role: "app", appVersion: "2.1")
/// let page = try await workspace.documents.list(prefix: "Trips/")
/// ```
/// Any number of processes may have the same container open. Opening makes what is missing, migrates once
/// whoever else opens at the same time (G4), and never writes over what it cannot read.
public final class Workspace: Sendable {
  /// Where events are recorded.
  public enum TraceSetting: Sendable {
    /// Nowhere.
    case off
    /// In a file of this process's own, in the container.
    case file
    /// In a sink of the caller's.
    case to(any TraceSink)
  }

  /// Bounds and waits of the parts.
  public struct Options: Sendable, Hashable {
    /// Of the database.
    public var database: GroupDatabase.Options
    /// Of the documents.
    public var documents: DocumentStore.Options
    /// What stands beside every change as the writer's bundle identifier; the executable's name unless said.
    public var bundleIdentifier: String?

    /// The values that suit an app.
    public init(
      database: GroupDatabase.Options = .init(), documents: DocumentStore.Options = .init(),
      bundleIdentifier: String? = nil
    ) {
      self.database = database
      self.documents = documents
      self.bundleIdentifier = bundleIdentifier
    }
  }

  /// The folder.
  public let container: GroupContainer
  /// The database, for tables of your own that commit together with documents.
  public let database: GroupDatabase
  /// The documents, their drafts and their history.
  public let documents: DocumentStore
  /// Tells of other processes' commits.
  public let signal: GroupSignal

  /// The machine.
  public var system: System { container.system }
  /// Where events go; for your own, such as ``SceneForeground``.
  public var trace: Trace { container.trace }

  init(container: GroupContainer, database: GroupDatabase, documents: DocumentStore) {
    self.container = container
    self.database = database
    self.documents = documents
    signal = GroupSignal(container: container)
  }

  /// Opens the container at `path`, making it when it is missing.
  ///
  /// `role` says what the process does (`app`, `scene`, `service`, `share`…); with name, version and time it
  /// stands beside every change (G6). `components` are tables of your own. `task` names the task or scene that is all
  /// of this process, in every event.
  ///
  /// Throws ``StorageError`` for what is wrong with the database, ``GroupError`` for the folder: each says what to
  /// do, and nothing is half-made.
  public static func open(
    at path: String, role: String, appVersion: String = "0", components: [Component] = [],
    options: Options = Options(), system: System = .live, trace: TraceSetting = .file,
    task: String? = nil
  ) async throws -> Workspace {
    try await open(
      at: path, role: role, appVersion: appVersion, components: components, options: options, system: system,
      trace: trace, task: task, storageGuards: StorageGuards(), documentGuards: DocumentGuards())
  }

  /// Opens with guards taken away, for the lab.
  package static func open(
    at path: String, role: String, appVersion: String = "0", components: [Component] = [],
    options: Options = Options(), system: System = .live, trace: TraceSetting = .file,
    task: String? = nil, storageGuards: StorageGuards, documentGuards: DocumentGuards
  ) async throws -> Workspace {
    let process = ProcessIdentity.current(
      role: role, bundleIdentifier: options.bundleIdentifier, appVersion: appVersion)
    // The folder first: the trace's file is inside it.
    var container = try GroupContainer.open(at: path, system: system, trace: .off(as: process))
    let sink: (any TraceSink)? =
      switch trace {
      case .off: nil
      case .file: try TraceFile.open(in: container.tracesPath, as: process, system: system)
      case .to(let sink): sink
      }
    if let sink {
      container = try GroupContainer.open(
        at: path, system: system, trace: Trace(to: sink, as: process, clock: system.clock, task: task))
    }
    let database = try await GroupDatabase.open(
      container, components: [DocumentStore.component] + components, options: options.database,
      guards: storageGuards)
    do {
      let documents = try await DocumentStore.open(
        database, options: options.documents, guards: documentGuards)
      return Workspace(container: container, database: database, documents: documents)
    } catch {
      await database.close()
      throw error
    }
  }

  /// Ends what runs, refuses what waits and closes the database. Nothing committed is lost by not calling it.
  public func close() async { await database.close() }
}
