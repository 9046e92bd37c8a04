import TenureState
import TenureStorage
import TenureSystem
import TenureTrace

/// The documents of a container, the same for all its processes (D1 to D11).
///
/// ```swift
/// let edit = Edit(of: "plan.md", expecting: 7, body: .data(bytes))     // its change ID is kept across retries
/// switch try await store.commit(edit) {
/// case .committed(let revision): show(revision)                       // survives a kill and a power cut
/// case .alreadyCommitted(let recorded, let current): show(current, recorded)
/// case .conflict(let current): offer(merge(edit, onto: current))       // nothing was written
/// }
/// ```
/// Any thread and task may call; nothing blocks Swift's cooperative pool. Cancelling a task that waits here
/// does not cancel the save: the call still returns its one true outcome (D11).
///
/// The rule for change IDs: a change is remembered as long as its version is kept. Sent again after a purge it
/// meets a conflict, because versions only go up: never a second effect (D2).
public final class DocumentStore: Sendable {
  /// The tables, to be named when the database is opened.
  public static let component = DocumentTables.component

  /// The database the documents live in.
  public let database: GroupDatabase
  /// The bounds.
  public let options: Options
  let guards: DocumentGuards
  /// Names this opening in every row it writes; drawn, not assigned, so that no row ID has to be remembered
  /// across commits that may turn out never to have been.
  let writer = Int64.random(in: 1 ... .max)
  let files = FileWork()
  let flights = Flights()
  let keepers = KeeperRegistry()
  let rules = Lock<[String: any MergeRule]>([:])
  let historyReads = Lock<[String: HistoryStretch]>([:])
  /// Places in the history that were reserved ahead; used only where guard D9 is taken away.
  let places = Lock<[Int64]>([])
  let observers: DocumentObservers

  var trace: Trace { database.container.trace }
  var system: System { database.container.system }

  /// Opens the documents of a database that was opened with ``component``.
  public static func open(
    _ database: GroupDatabase, options: Options = Options()
  ) async throws -> DocumentStore {
    try await open(database, options: options, guards: DocumentGuards())
  }

  /// Opens with guards taken away, for the lab.
  package static func open(
    _ database: GroupDatabase, options: Options = Options(), guards: DocumentGuards
  ) async throws -> DocumentStore {
    let store = DocumentStore(database, options, guards)
    // Says at once when the database was opened without the tables.
    _ = try await store.reading("open") { try HistoryTables.storedExtent($0) }
    return store
  }

  private init(_ database: GroupDatabase, _ options: Options, _ guards: DocumentGuards) {
    self.database = database
    self.options = options
    self.guards = guards
    observers = DocumentObservers(database)
  }

  // MARK: One way to read and write

  func reading<Value: Sendable>(
    _ purpose: String, _ body: @escaping @Sendable (SQLiteConnection) throws -> Value
  ) async throws -> Value {
    do { return try await database.read(purpose, body) } catch let error as StorageError {
      throw DocumentError.storage(error)
    }
  }

  func writing<Value: Sendable>(
    _ purpose: String, freesSpace: Bool = false, _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    do {
      return try await database.write(purpose, freesSpace: freesSpace, body)
    } catch let error as StorageError {
      throw DocumentError.storage(error)
    }
  }

  /// Gives up locks and connections before the system suspends this process (G2). Saves that wait fail as
  /// retryable, or are done after ``resume()``, as asked.
  public func suspend(_ waiting: GroupDatabase.Waiting = .fail) async { await database.suspend(waiting) }

  /// Goes on after ``suspend(_:)``.
  public func resume() {
    database.resume()
    for keeper in keepers.all { keeper.goOn() }
  }
}

extension Attribution {
  init(_ process: ProcessIdentity, wall: Int64) {
    self.init(
      process: process.name, pid: process.pid, bundleIdentifier: process.bundleIdentifier, role: process.role,
      appVersion: process.appVersion, wall: wall)
  }
}
