import TenureGroup
import TenureState
import TenureSystem
import TenureTrace

/// The database that processes share: commits that hold, in groups, under one lock (D1, D11, D12, D13, G4, G5, G6).
///
/// ```swift
/// let database = try await GroupDatabase.open(container, components: [notes])
/// try await database.write("pin") { try $0.connection.run("UPDATE note SET pinned = 1 WHERE id = ?", 7) }
/// let titles = try await database.read { try $0.query("SELECT title FROM note") { $0.text(0) } }
/// ```
/// One thread writes, a few read; Swift's cooperative pool never blocks. What runs between processes, and what
/// happens when one is killed at any step, is told in `Documentation/Design/0001-the-storage-protocol.md`.
public final class GroupDatabase: Sendable {
  /// What becomes of reads and writes that wait, or come, while the database is suspended.
  public enum Waiting: Sendable, Hashable {
    /// They fail with ``StorageError/suspended``, which may be tried again.
    case fail
    /// They are done after ``GroupDatabase/resume()``.
    case wait
  }

  /// The folder.
  public let container: GroupContainer
  /// Files for what is too large for a row.
  public let bodies: BodyFiles
  /// This process's sign of life in the container.
  public let lease: SharedLease
  /// The bounds and waits it was opened with.
  public let options: Options
  /// Runs tasks that do little but commit on the writer's thread, which saves them waking another one.
  public let executor: WriterExecutor
  let queue: WriteQueue
  private let stop: StopFlag
  private let readers: ReaderPool
  private let announcer: Announcer
  let notes: ReadNotes
  /// What is looked at, when this is a copy made for looking.
  let inspection: Inspection?

  /// Opens the database of a container, making and migrating what is needed, once whoever else does so too.
  ///
  /// Throws a ``StorageError`` that names what is wrong with the container; nothing is written over what cannot
  /// be read or is not ours.
  public static func open(
    _ container: GroupContainer, components: [Component], options: Options = Options()
  ) async throws -> GroupDatabase {
    try await open(container, components: components, options: options, guards: StorageGuards())
  }

  /// Opens with guards taken away, for the lab.
  package static func open(
    _ container: GroupContainer, components: [Component], options: Options = Options(), guards: StorageGuards
  ) async throws -> GroupDatabase {
    try await started(DatabaseFile(container: container, options: options, guards: guards), components)
  }

  /// Opens a database on its own threads, and closes it again when that fails.
  static func started(
    _ file: DatabaseFile, _ components: [Component], inspection: Inspection? = nil
  ) async throws -> GroupDatabase {
    let database = GroupDatabase(file, inspection: inspection)
    do {
      try await database.start(Schema(components))
    } catch {
      await database.close()
      throw error
    }
    return database
  }

  private let file: DatabaseFile

  private init(_ file: DatabaseFile, inspection: Inspection?) {
    self.file = file
    self.inspection = inspection
    container = file.container
    options = file.options
    queue = WriteQueue()
    executor = WriterExecutor(queue)
    stop = StopFlag()
    announcer = Announcer(file: file)
    lease = SharedLease(container: file.container)
    notes = ReadNotes(container: file.container, noteAfter: file.options.readNoteAfter, lease: lease)
    readers = ReaderPool(file: file, notes: notes)
    bodies = BodyFiles(
      container: file.container, lease: lease, limit: file.options.bodyLimit, guards: file.guards,
      original: inspection?.original)
  }

  private func start(_ schema: Schema) async throws {
    let (file, queue, executor, stop) = (file, queue, executor, stop)
    let (announcer, notes, bodies) = (announcer, notes, bodies)
    try SystemThread.start(name: "tenure.writer") {
      Writer(
        file: file, schema: schema, queue: queue, executor: executor, stop: stop, announcer: announcer,
        readNotes: notes, bodies: bodies
      ).run()
    }
    try await errand { try $0.open() }
  }

  /// Has the writer's thread do something between two groups.
  func errand<Result: Sendable>(_ body: @escaping @Sendable (Writer) throws -> Result) async throws -> Result
  {
    try await withCheckedThrowingContinuation { continuation in
      let isTaken = queue.add { writer in
        continuation.resume(with: Swift.Result { try body(writer) })
      }
      if !isTaken { continuation.resume(throwing: StorageError.closed) }
    }
  }

  /// Runs `body` in the next transaction, and returns what it returned when that is durable.
  ///
  /// Writes that wait at the same time share the transaction and its sync; each has its own result, and one that
  /// throws undoes only itself. `body` may run more than once and must have no effect outside the transaction.
  /// It runs on the writer's thread, under the commit lock: keep it short. Cancelling the calling task changes
  /// nothing: the write has one outcome, and this returns it (D11).
  ///
  /// Throws what `body` threw, or a ``StorageError``; after ``StorageError/inDoubt(reason:)`` the write may have
  /// happened, after every other error it has not.
  ///
  /// `freesSpace` says that the write deletes: it may then run while the disk is full.
  public func write<R: Sendable>(
    _ purpose: String, freesSpace: Bool = false, _ body: @escaping @Sendable (Transaction) throws -> R
  ) async throws -> R {
    if let inspection { throw StorageError.inspectedOnly(original: inspection.original.path) }
    let (queue, handover) = (queue, Handover<R>())
    return try await handover.outcome(isAwaited: queue.isOneAwaited) {
      queue.add(
        WaitingWrite(
          purpose: purpose, freesSpace: freesSpace,
          attempt: { handover.keep(try body($0)) },
          near: handover.near, succeed: handover.succeed, fail: handover.fail))
    }
  }

  /// Runs `body` in one read transaction on a reader's thread: everything in it sees one state.
  ///
  /// Keep it short, and page what is long: a read holds the log back (D13). `purpose` stands in the error of
  /// whoever cannot commit because of it.
  public func read<R: Sendable>(
    _ purpose: String = "read", _ body: @escaping @Sendable (SQLiteConnection) throws -> R
  ) async throws -> R {
    let (readers, handover) = (readers, Handover<R>())
    return try await handover.outcome {
      readers.add(
        WaitingRead(
          purpose: purpose, attempt: { handover.keep(try body($0)) },
          succeed: handover.succeed, fail: handover.fail))
    }
  }

  /// The last number of the history.
  public var sequence: Int64 {
    get async throws {
      try await read("sequence") { try $0.integer("SELECT sequence FROM tenure_state") ?? 0 }
    }
  }

  /// What the container was made or restored as; differs after a restore (D14).
  public var epoch: String {
    get async throws { try await read("epoch") { try $0.text("SELECT epoch FROM tenure_state") ?? "" } }
  }

  /// Calls `body` after commits of this and of other processes (G5): on a thread of its own, under no lock, once
  /// for several that came close together, and perhaps once too often. It does not say what changed: read it.
  public func onChange(_ body: @escaping @Sendable () -> Void) throws -> Subscription {
    try announcer.subscribe { _ in body() }
  }

  /// The same with a connection to read with at once, lent for the length of the call: another thread would have
  /// to be woken first. Keep it short: other subscribers are called after it.
  package func onChange(reading body: @escaping @Sendable (SQLiteConnection) -> Void) throws -> Subscription {
    try announcer.subscribe(body)
  }

  /// Settles commits that are in doubt: commits a barrier on a fresh connection, after which every change ID has
  /// one answer. Tried before each later write by itself. Throws ``StorageError/halted(reason:)`` while the
  /// barrier does not succeed.
  public func resolveDoubt() async throws {
    try await errand { writer in try writer.underLock("barrier") { try writer.settleDoubtUnderLock() } }
  }

  /// Gives up the lock and every connection, before the system suspends this process (G2).
  ///
  /// Statements are stopped at their next step and their writes undone; a COMMIT that has begun ends. Returns
  /// when nothing is held any more, this process's lease and the links in its directory included.
  public func suspend(_ waiting: Waiting = .fail) async {
    stop.raise()
    await withCheckedContinuation { done in
      queue.suspend(holdWrites: waiting == .wait) { done.resume() }
    }
    await withCheckedContinuation { done in
      readers.suspend(holdReads: waiting == .wait) { done.resume() }
    }
    await withCheckedContinuation { done in announcer.suspend { done.resume() } }
    lease.end()
  }

  /// Goes on after ``suspend(_:)``.
  public func resume() {
    stop.lower()
    queue.resume()
    readers.resume()
    announcer.resume()
  }

  /// Ends what runs, refuses what waits, and closes the file. Nothing is lost by not calling it.
  public func close() async {
    announcer.end()
    await withCheckedContinuation { done in readers.close { done.resume() } }
    await withCheckedContinuation { done in queue.close { done.resume() } }
    notes.close()
    bodies.end()
    lease.end()
    inspection?.end()
  }
}
