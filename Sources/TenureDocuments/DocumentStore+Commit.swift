import TenureStorage
import TenureSystem
import TenureTrace

extension DocumentStore {
  /// Makes an edit the document's next version, or says why not.
  ///
  /// `accepting` joins the same transaction: what it writes is there exactly when the edit is (W8); it is not
  /// asked when the edit was committed before or meets a conflict. `scene` is named in the trace.
  ///
  /// Throws ``CommitInDoubt`` when the outcome cannot be known yet, and ``DocumentError`` when nothing happened.
  /// Cancelling the task un-commits nothing (D11); while a file is still being copied it ends that, with
  /// `CancellationError`: then nothing was written.
  public func commit(
    _ edit: Edit, accepting participants: [any CommitParticipant] = [], scene: String? = nil
  ) async throws -> CommitResult {
    try await commit(edit, accepting: participants, scene: scene, in: nil)
  }

  /// Who enters the flight before it starts, to be able to take it back, ends it.
  func commit(
    _ edit: Edit, accepting participants: [any CommitParticipant], scene: String?, in entered: Flight?
  ) async throws -> CommitResult {
    switch try await commit([edit], batch: nil, participants, scene, in: entered) {
    case .committed(let revisions): .committed(revisions[0])
    case .alreadyCommitted(let recorded, let current):
      .alreadyCommitted(recorded: recorded[0], current: current[0])
    case .conflict(let conflicts): .conflict(current: conflicts[edit.document] ?? nil)
    }
  }

  /// Makes all edits versions in one transaction, or none of them.
  ///
  /// The batch's ID follows from its edits' change IDs, so that it is the same when sent again. A batch of which some edits were committed before and others
  /// not is refused (``DocumentError/changeReused(_:_:)``): it is not the batch that was sent.
  public func commit(
    _ edits: [Edit], accepting participants: [any CommitParticipant] = [], scene: String? = nil
  ) async throws -> BatchResult {
    if edits.isEmpty { return .committed([]) }
    let batch = ChangeID(derivedFrom: ["batch"] + edits.map(\.change.description))
    switch try await commit(edits, batch: batch, participants, scene) {
    case .committed(let revisions): return .committed(revisions)
    case .alreadyCommitted(let recorded, let current):
      return .alreadyCommitted(recorded: recorded, current: current)
    case .conflict(let conflicts): return .conflict(conflicts)
    }
  }

  private func commit(
    _ edits: [Edit], batch: ChangeID?, _ participants: [any CommitParticipant], _ scene: String?,
    in entered: Flight? = nil
  ) async throws -> CommitStep.Answer {
    try validate(edits)
    let items = edits.map { FlushItem(document: $0.document, change: $0.change, scene: scene) }
    let flight = entered ?? flights.enter(items, .commit)
    let report = await SaveReport.about(
      edits, to: trace, purpose: .commit, scene: scene, files: files, system: system)
    for edit in edits { report.begun(edit) }
    do {
      // Only a copy that is still being made listens to cancellation. What is queued has one outcome, and it is told.
      let (answer, prepared) = try await withTaskCancellationHandler {
        try await perform(edits, batch, participants, flight)
      } onCancel: {
        for edit in edits { report.cancelRequested(edit) }
      }
      report.ended(prepared, answer)
      if entered == nil { flight.end(answer.isSaved ? .saved : .unsaved) }
      if case .committed(let revisions) = answer { observers.committed(revisions) }
      return answer
    } catch {
      let failure = Self.failure(of: error, change: edits[0].change)
      for edit in edits { report.failed(edit, failure) }
      if entered == nil { flight.end(.after(failure)) }
      throw failure
    }
  }

  private func validate(_ edits: [Edit]) throws(DocumentError) {
    var documents: Set<DocumentID> = []
    var changes: Set<ChangeID> = []
    for edit in edits {
      try edit.document.validated()
      if edit.expected < 0 || edit.expected == .max {
        throw .invalidArgument(
          "An edit of \(edit.document) expects version \(edit.expected). Versions count from 1; 0 creates.")
      }
      if !documents.insert(edit.document).inserted || !changes.insert(edit.change).inserted {
        throw .repeatedInBatch(edit.document)
      }
    }
  }

  private func perform(
    _ edits: [Edit], _ batch: ChangeID?, _ participants: [any CommitParticipant], _ flight: Flight
  ) async throws -> (CommitStep.Answer, [PreparedEdit]) {
    var prepared: [PreparedEdit] = []
    do {
      for edit in edits { prepared.append(PreparedEdit(edit: edit, body: try await prepare(edit))) }
      if !guards.d4 || !guards.d9 || !guards.d5 {
        return (try await performUnguarded(prepared, batch, participants, flight), prepared)
      }
      let step = CommitStep(
        edits: prepared, batch: batch, writer: writer, guards: guards, participants: participants)
      let answer = try await writing("commit") { transaction in
        try flight.begin()
        return try step.run(transaction)
      }
      // No row was ever committed that names these files, so they may go at once.
      if !answer.isNew { await discard(prepared.compactMap(\.body.file)) }
      return (answer, prepared)
    } catch {
      if !Self.isDoubt(error) { await discard(prepared.compactMap(\.body.file)) }
      throw error
    }
  }

  // MARK: Outcomes

  /// What became of a change, also one whose commit was in doubt, cancelled, or asked for by a process that was
  /// killed (D1, D11).
  ///
  /// Waits for a save of this change that is under way here. "Not committed" is said after a barrier commit
  /// only, so that no commit which was cut off can come to light later. Throws ``CommitInDoubt`` while the
  /// barrier does not succeed.
  public func outcome(of change: ChangeID) async throws -> ChangeOutcome {
    await flights.ended(change)
    do {
      var found = try await reading("outcome") { try DocumentTables.revision($0, change: change) }
      if found == nil {
        found = try await writing("settle") { transaction in
          try transaction.connection.writeBarrier()
          return try DocumentTables.revision(transaction.connection, change: change)
        }
      }
      trace.record(
        InDoubtResolved(
          change: change.description, committed: found != nil, version: found?.version))
      return found.map(ChangeOutcome.committed) ?? .notCommitted
    } catch DocumentError.storage(let error) {
      throw CommitInDoubt(change: change, reason: error.description)
    }
  }

  static func isDoubt(_ error: any Error) -> Bool {
    if case .storage(.inDoubt) = error as? DocumentError { true } else { false }
  }

  static func failure(of error: any Error, change: ChangeID) -> any Error {
    if case .storage(.inDoubt(let reason)) = error as? DocumentError {
      return CommitInDoubt(change: change, reason: reason)
    }
    return error
  }
}

extension CommitStep.Answer {
  /// Whether rows were written for it.
  var isNew: Bool { if case .committed = self { true } else { false } }
  /// Whether the edits are in the store.
  var isSaved: Bool { if case .conflict = self { false } else { true } }
}
