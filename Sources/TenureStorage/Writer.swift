import TenureGroup
import TenureSystem
import TenureTrace

/// The one thread of this process that writes: group commit under the commit lock.
///
/// ```
/// take commit.lock ─ BEGIN IMMEDIATE ─ look at schema and epoch ─ one savepoint a write ─ COMMIT
///   ─ checkpoint when due ─ give the lock back ─ ring the bell ─ tell each caller
/// ```
/// Everything here is touched by the writer's own thread only; others reach it through ``WriteQueue``. The class
/// is therefore not sendable and never leaves the closure that thread runs.
final class Writer {
  let file: DatabaseFile
  let schema: Schema
  let queue: WriteQueue
  let executor: WriterExecutor
  let stop: StopFlag
  let announcer: Announcer
  let readNotes: ReadNotes
  let bodies: BodyFiles
  let lock: GroupLock
  let signal: GroupSignal

  /// Open from the first use until a suspension or the end.
  private(set) var connection: SQLiteConnection?
  /// What the last look at the schema found; a differing generation means another look.
  var known: SchemaState?
  /// Why an earlier commit is in doubt; nothing is written while this is set.
  var doubt: String?
  /// Pages in the log when it was last copied back.
  var pagesAtCheckpoint: Int64 = 0
  /// Bytes a page has.
  var pageSize: Int64 = 4096
  /// The disk was full and the reserve is given back.
  var reserveIsGiven = false
  /// The transaction that is open before its first write has come.
  var early: SequenceCounter?
  /// How many writes were answered together the last time.
  var lastGroup = 1
  var habit = ReturnHabit()
  var pace = CommitPace()

  init(
    file: DatabaseFile, schema: Schema, queue: WriteQueue, executor: WriterExecutor, stop: StopFlag,
    announcer: Announcer, readNotes: ReadNotes, bodies: BodyFiles
  ) {
    self.file = file
    self.schema = schema
    self.queue = queue
    self.executor = executor
    self.stop = stop
    self.announcer = announcer
    self.readNotes = readNotes
    self.bodies = bodies
    let container = file.container
    lock = GroupLock(
      path: container.commitLockPath, system: container.system, trace: container.trace,
      guards: GroupGuards(g2: file.guards.g2))
    signal = GroupSignal(container: container)
  }

  var options: GroupDatabase.Options { file.options }
  var trace: Trace { file.container.trace }
  /// A thread that waits for other threads waits in real time, as ``Monitor`` does, whatever clock is injected:
  /// one that a test moves by hand would stand still meanwhile.
  static var realTime: UInt64 { LiveClock().monotonic }

  var clock: any SystemClock { file.container.system.clock }

  /// The thread's life.
  func run() {
    while true {
      switch nextWork() {
      case .job(let job): executor.run(job)
      case .errand(let errand): errand(self)
      case .writes: commitWaiting()
      case .suspend:
        connection = nil
        queue.suspended()
      case .close:
        connection = nil
        for job in queue.closed() { executor.runLate(job) }
        return
      }
    }
  }

  // MARK: Opening

  /// Refuses what is not ours, makes what is missing, migrates: one step under the commit lock.
  func open() throws {
    try underLock("open") {
      try file.inspect()
      let connection = try file.connect(.create, stop: stop)
      let found = try schema.migrate(connection)
      pageSize = try connection.integer("PRAGMA page_size") ?? 4096
      if known == nil { known = found }
      self.connection = connection
      try takeReserve()
    }
  }

  /// The connection, opened again after a suspension.
  func opened() throws(StorageError) -> SQLiteConnection {
    if let connection { return connection }
    try file.inspect()
    let made = try file.connect(.write, stop: stop)
    connection = made
    return made
  }

  func replaceConnection(with fresh: SQLiteConnection) { connection = fresh }

  func underLock<Result>(_ purpose: String, _ body: () throws -> Result) throws -> Result {
    let began = Self.realTime
    let limit = options.lockTimeout?.nanoseconds ?? .max
    while true {
      let waited = Self.realTime &- began
      let slice = Duration.nanoseconds(Int64(min(Self.lockSlice, limit - min(limit, waited))))
      do {
        return try lock.withLock(for: purpose, timeout: slice, body)
      } catch let error as GroupError {
        guard case .lockTimedOut(_, let holder) = error else { throw StorageError(error) }
        // The place in the kernel's queue is kept from one slice to the next.
        if queue.isStopping { throw StorageError.interrupted }
        if Self.realTime &- began >= limit { throw StorageError.lockTimedOut(holder: holder) }
      }
    }
  }

  /// How long a wait for the lock goes on before it looks whether the database is being suspended.
  private static let lockSlice: UInt64 = 250_000_000

  static func isInterruption(_ error: any Error) -> Bool {
    if case .interrupted = error as? StorageError { true } else { false }
  }
}

extension StorageError {
  /// The meaning of a failed lock, lease or container.
  init(_ error: GroupError) {
    switch error {
    case .notADirectory(let path): self = .notADirectory(path: path)
    case .lockTimedOut(_, let holder): self = .lockTimedOut(holder: holder)
    default: self = .group(error)
    }
  }
}
