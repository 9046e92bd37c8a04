import TenureGroup
import TenureSystem
import TenureTrace

/// One transaction for the writes that wait: each with its own result, and all with one sync (D1, D12, point 4).
extension Writer {
  /// What became of each write of a group.
  struct GroupOutcome {
    var finished: [(WaitingWrite, (any Error)?)] = []
    var committed = 0
    var isEmpty: Bool { finished.isEmpty }

    mutating func add(_ other: GroupOutcome) {
      finished += other.finished
      committed += other.committed
    }

    mutating func refuse(_ writes: [WaitingWrite], _ error: any Error) {
      for write in writes { finished.append((write, error)) }
    }
  }

  /// Where nothing fails, which is nearly always, a savepoint for each write would cost a third of its time. So
  /// the writes are first tried without; when one fails all are undone and tried again, each with its own.
  func commitGroup(savepoints: Bool = false) throws -> GroupOutcome {
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
      let hasSavepoint = savepoints && !members.isEmpty
      switch attempt(write, on: connection, sequences, savepoint: hasSavepoint) {
      case .done: members.append(write)
      case .failed where !hasSavepoint && !members.isEmpty:
        queue.putBack(members + [write])
        outcome.add(try commitGroup(savepoints: true))
        return outcome
      case .failed(let error),
        .lost(let error) where members.isEmpty:
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
    /// This write is undone: it alone where it had a savepoint, the whole transaction where not.
    case failed(any Error)
    /// The whole transaction is undone.
    case lost(any Error)
  }

  /// BEGIN, and the look at schema and epoch that decides whether this code may write at all.
  func begin(_ connection: SQLiteConnection, _ sequences: SequenceCounter) throws {
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
      let isLost = connection.isAutocommit
      connection.rollBack()
      return isLost ? .lost(error) : .failed(error)
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
}
