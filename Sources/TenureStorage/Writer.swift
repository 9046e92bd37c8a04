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
  private let signal: GroupSignal

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
  private var early: SequenceCounter?
  private var lastGroup = 1
  private var habit = ReturnHabit()
  private var pace = CommitPace()
  /// Nanoseconds to look for more work before sleeping.
  private static let patience: UInt64 = 150_000

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
  private static var realTime: UInt64 { LiveClock().monotonic }

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

  /// Looks for more work for a moment before it sleeps, where callers have the habit of coming back: waking a
  /// thread costs more than that moment.
  private func nextWork() -> WriteQueue.Work {
    if let work = queue.poll() { return work }
    if habit.waits {
      let mark = queue.arrivalMark
      let until = Self.realTime &+ Self.patience
      while queue.arrivalMark == mark, Self.realTime < until { SystemThread.yield() }
      let work = queue.poll()
      habit.note(work != nil)
      if let work { return work }
    }
    return queue.next()
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

  // MARK: Committing

  /// One turn at the lock: the writes that wait, and those that come while they are being answered.
  ///
  /// A caller that was just answered most often writes again. Keeping the lock for it, for a bounded time, saves
  /// the other processes' pages from being read anew for every commit; they wait a few milliseconds longer, each
  /// for its own turn. Callers are answered as soon as their commit is durable, under no lock of this process.
  private func commitWaiting() {
    gather()
    var outcome = GroupOutcome()
    var isTurnOver = false
    do {
      try underLock("commit") {
        let end = Self.realTime &+ options.lockTurn.nanoseconds
        commitOnce(&outcome)
        while outcome.committed > 0, doubt == nil, Self.realTime < end {
          let mark = queue.arrivalMark
          answer(&outcome)
          guard habit.waits, returned(since: mark) else { break }
          gather()
          commitOnce(&outcome)
        }
        isTurnOver = Self.realTime >= end
      }
    } catch {
      // The lock was not had: nothing was tried.
      if !queue.isStopping { outcome.refuse(queue.takeWrites(atMost: max(queue.count, 1)), error) }
    }
    answer(&outcome)
    // The kernel wakes who waits but keeps the lock for nobody: whoever is running would have it again first.
    if isTurnOver { queue.pause(nanoseconds: 100_000) }
  }

  private func commitOnce(_ outcome: inout GroupOutcome) {
    let waiting = queue.count
    do {
      outcome = try commitGroup()
    } catch {
      // Stopped by a suspension: the queue knows what becomes of those that wait.
      if !(Self.isInterruption(error) && queue.isStopping) {
        outcome.refuse(queue.takeWrites(atMost: max(waiting, 1)), error)
      }
    }
    afterCommit(&outcome)
  }

  /// Rings, and tells each caller; the outcome is empty afterwards.
  private func answer(_ outcome: inout GroupOutcome) {
    if outcome.isEmpty { return }
    lastGroup = outcome.finished.count
    let (finished, committed) = (outcome.finished, outcome.committed)
    outcome = GroupOutcome()
    // First: they wake up while the bell is being rung.
    for (write, error) in finished {
      if let error { write.fail(error) } else { write.succeed() }
    }
    if committed > 0 {
      signal.ring(sequence: known?.sequence ?? 0)
      announcer.changed()
    }
  }

  /// Whether somebody who was answered writes again within a moment. What else arrives ends the turn.
  private func returned(since mark: Int) -> Bool {
    let until = Self.realTime &+ Self.patience
    queue.isOneAwaited = lastGroup == 1 && pace.isShort
    beginEarly()
    while queue.arrivalMark == mark, Self.realTime < until { SystemThread.yield() }
    queue.isOneAwaited = false
    let isBack = queue.count > 0 && !queue.isStopping
    habit.note(isBack)
    if !isBack { rollBackEarly() }
    return isBack
  }

  /// Opens the next transaction of the turn while its writer is on the way.
  private func beginEarly() {
    guard let connection, doubt == nil, hasRoom(connection) else { return }
    let sequences = SequenceCounter()
    do {
      try begin(connection, sequences)
      early = sequences
    } catch {
      // Whoever comes tries again, and is told.
      connection.rollBack()
    }
  }

  private func rollBackEarly() {
    if early == nil { return }
    early = nil
    connection?.rollBack()
  }

  /// After a group, its callers come back one by one; waits a moment for them rather than sync for the first.
  private func gather() {
    if lastGroup < 2 || queue.count >= lastGroup { return }
    let until = Self.realTime &+ 50_000
    while queue.count < lastGroup, Self.realTime < until {}
  }

  /// What became of each write of a group.
  struct GroupOutcome {
    var finished: [(WaitingWrite, (any Error)?)] = []
    var committed = 0
    var isEmpty: Bool { finished.isEmpty }

    mutating func refuse(_ writes: [WaitingWrite], _ error: any Error) {
      for write in writes { finished.append((write, error)) }
    }
  }

  private func commitGroup() throws -> GroupOutcome {
    var outcome = GroupOutcome()
    let begun = early
    early = nil
    if begun == nil { try settleDoubtUnderLock() }
    let connection = try opened()
    if begun == nil { try makeRoom(connection) }
    var members: [WaitingWrite] = []
    let sequences = begun ?? SequenceCounter()
    let started = clock.monotonic
    var isOpen = begun != nil
    while members.count < options.groupLimit, let write = queue.takeWrite() {
      if let refusal = refusal(of: write) {
        outcome.refuse([write], refusal)
        continue
      }
      do {
        if !isOpen {
          try begin(connection, sequences)
          isOpen = true
        }
      } catch {
        connection.rollBack()
        answer(write, error, &outcome)
        return outcome
      }
      // The first has the transaction to itself; only the others need a savepoint.
      switch attempt(write, on: connection, sequences, savepoint: !members.isEmpty) {
      case .done: members.append(write)
      case .failed(let error):
        if members.isEmpty { isOpen = false }
        answer(write, error, &outcome)
      case .lost(let error):
        rerunSingly(members + [write], after: error, connection, &outcome)
        return outcome
      }
      if clock.monotonic &- started > options.groupTime.nanoseconds { break }
    }
    if !members.isEmpty {
      commit(members, connection, sequences, &outcome)
    } else if isOpen {
      connection.rollBack()
    }
    return outcome
  }

  enum Attempt {
    case done
    /// Only this write is undone.
    case failed(any Error)
    /// The whole transaction is undone.
    case lost(any Error)
  }

  /// BEGIN, and the look at schema and epoch that decides whether this code may write at all.
  private func begin(_ connection: SQLiteConnection, _ sequences: SequenceCounter) throws {
    try connection.run("BEGIN IMMEDIATE")
    let state = try Schema.state(connection)
    if let known {
      if state.epoch != known.epoch {
        throw StorageError.epochChanged(expected: known.epoch, found: state.epoch)
      }
      if state.generation != known.generation && file.guards.d12 { try lookAtSchema(connection) }
    }
    known = state
    sequences.last = state.sequence
    sequences.stored = state.sequence
  }

  private func lookAtSchema(_ connection: SQLiteConnection) throws {
    do {
      try schema.check(connection)
    } catch let error as StorageError {
      if case .newerSchema(let component, let found, let known) = error {
        trace.record(SchemaFound(component: component, expected: known, found: found, wrote: false))
      }
      throw error
    }
  }

  private func attempt(
    _ write: WaitingWrite, on connection: SQLiteConnection, _ sequences: SequenceCounter, savepoint: Bool
  ) -> Attempt {
    let before = sequences.last
    do {
      if savepoint { try connection.run("SAVEPOINT member") }
      try write.attempt(
        Transaction(
          connection: connection, process: trace.process, wall: clock.wall, sequences: sequences,
          bodies: bodies))
      if connection.isAutocommit { return .lost(StorageError.interrupted) }
      if savepoint { try connection.run("RELEASE member") }
      return .done
    } catch {
      sequences.last = before
      if savepoint {
        if connection.isAutocommit { return .lost(error) }
        do {
          try connection.run("ROLLBACK TO member")
          try connection.run("RELEASE member")
          return .failed(error)
        } catch {
          connection.rollBack()
          return .lost(error)
        }
      }
      connection.rollBack()
      return .failed(error)
    }
  }

  private func commit(
    _ members: [WaitingWrite], _ connection: SQLiteConnection, _ sequences: SequenceCounter,
    _ outcome: inout GroupOutcome
  ) {
    let first = sequences.stored
    if !file.guards.d1 { answerEarly(members) }
    do {
      if sequences.last != sequences.stored {
        try connection.run("UPDATE tenure_state SET sequence = ?", .integer(sequences.last))
      }
      let began = Self.realTime
      // One is enough: it has a thread of the pool awake when all are answered. A single one looks by itself.
      if members.count > 1, habit.isTrusted, pace.isShort { members[0].near() }
      try connection.run("COMMIT")
      pace.note(Self.realTime &- began)
    } catch {
      if !file.guards.d1 {
        connection.rollBack()
        return
      }
      if Doubt.isDefinite(error) || !connection.isAutocommit {
        connection.rollBack()
        if members.count > 1 || Self.isInterruption(error) {
          rerunSingly(members, after: error, connection, &outcome)
        } else {
          outcome.refuse(members, error)
        }
      } else {
        doubt = error.description
        outcome.refuse(members, StorageError.inDoubt(reason: error.description))
      }
      return
    }
    known?.sequence = sequences.last
    outcome.committed += members.count
    if file.guards.d1 { for member in members { outcome.finished.append((member, nil)) } }
    let hasSequence = sequences.last > first
    trace.record(
      DatabaseCommitted(
        first: hasSequence ? first + 1 : 0, last: hasSequence ? sequences.last : 0,
        edits: Int64(members.count), writer: trace.process.name, appVersion: trace.process.appVersion))
  }

  /// What is done without the guard of D1: "saved" is said first, and the saving comes a moment later.
  private func answerEarly(_ members: [WaitingWrite]) {
    for member in members { member.succeed() }
    let until = LiveClock().monotonic &+ 1_000_000
    while LiveClock().monotonic < until {}
  }

  /// The transaction went down with all its members; each gets one of its own, and its own answer.
  private func rerunSingly(
    _ members: [WaitingWrite], after error: any Error, _ connection: SQLiteConnection,
    _ outcome: inout GroupOutcome
  ) {
    connection.rollBack()
    if queue.isStopping {
      // The database is being suspended; the queue keeps or fails them, as was asked.
      queue.putBack(members)
      return
    }
    for (index, member) in members.enumerated() {
      if doubt != nil || queue.isStopping {
        queue.putBack(Array(members[index...]))
        return
      }
      let sequences = SequenceCounter()
      do {
        try begin(connection, sequences)
      } catch {
        connection.rollBack()
        outcome.refuse([member], error)
        continue
      }
      switch attempt(member, on: connection, sequences, savepoint: false) {
      case .done: commit([member], connection, sequences, &outcome)
      case .failed(let error), .lost(let error): outcome.refuse([member], error)
      }
    }
  }

  /// Fails a write, or puts it back when it was stopped by a suspension: the queue then knows what was asked.
  private func answer(_ write: WaitingWrite, _ error: any Error, _ outcome: inout GroupOutcome) {
    if Self.isInterruption(error), queue.isStopping {
      queue.putBack([write])
    } else {
      outcome.refuse([write], error)
    }
  }

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
