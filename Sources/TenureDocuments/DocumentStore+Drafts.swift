import TenureStorage
import TenureSystem
import TenureTrace

extension DocumentStore {
  /// Keeps unfinished work. Durable when this returns: it is offered by ``recover(scene:)`` after any
  /// interruption, until its change is committed or it is discarded (D6).
  ///
  /// One draft is kept for each scene and document; a later checkpoint replaces an earlier one, a damaged one too. A change that was
  /// committed already needs no draft: the same content is accepted and not kept, other content is
  /// ``DocumentError/changeReused(_:_:)``.
  public func checkpoint(_ draft: Draft) async throws { try await checkpoint(draft, in: nil) }

  /// Who enters the flight before it starts, to be able to take it back, ends it.
  func checkpoint(_ draft: Draft, in entered: Flight?) async throws {
    try draft.document.validated()
    try validate(scene: draft.scene)
    if draft.base < 0 {
      throw DocumentError.invalidArgument("A draft of \(draft.document) is based on version \(draft.base).")
    }
    let item = FlushItem(document: draft.document, change: draft.change, scene: draft.scene)
    let flight = entered ?? flights.enter([item], .checkpoint)
    let report = SaveReport(trace: trace, purpose: .checkpoint, scene: draft.scene, fileSizes: [:])
    report.begun(draft.edit)
    do {
      let (body, isNew) = try await keep(draft, flight)
      report.checkpointed(draft, body, isNew ? .committed : .alreadyCommitted)
      if entered == nil { flight.end(.saved) }
    } catch {
      let failure = Self.failure(of: error, change: draft.change)
      report.failed(draft.edit, failure)
      if entered == nil { flight.end(.after(failure)) }
      throw failure
    }
  }

  /// `isNew` is `false` where nothing had to be kept, because the draft's change was committed already.
  private func keep(_ draft: Draft, _ flight: Flight) async throws -> (body: PreparedBody, isNew: Bool) {
    let body = try await prepare(draft.edit)
    if !guards.d6 {
      keepLater(draft, body)
      return (body, true)
    }
    do {
      let kept = try await writing("checkpoint") { [options, trace] transaction in
        try flight.begin()
        return try Self.put(draft, body, transaction, options, trace)
      }
      if let file = kept.unused { await discard([file]) }
      return (body, kept.isNew)
    } catch {
      if !Self.isDoubt(error) { await discard([body.file].compactMap { $0 }) }
      throw error
    }
  }

  /// Answers whether the draft was kept, and the body file that nothing refers to any more, if there is one.
  static func put(
    _ draft: Draft, _ body: PreparedBody, _ transaction: Transaction, _ options: Options, _ trace: Trace
  ) throws -> (isNew: Bool, unused: String?) {
    let connection = transaction.connection
    if let recorded = try DocumentTables.revision(connection, change: draft.change) {
      if recorded.document == draft.document && recorded.digest == body.digest?.description {
        return (false, body.file)
      }
      throw DocumentError.changeReused(draft.change, recorded.document)
    }
    let earlier = try DraftTable.find(connection, scene: draft.scene, document: draft.document)
    if earlier == nil {
      let count = try DraftTable.count(connection)
      if count >= Int64(options.draftLimit) {
        let fullest = try DraftTable.fullestScene(connection)
        trace.record(
          BoundReached(
            what: "drafts", size: count, bound: Int64(options.draftLimit), refused: true,
            inTheWay: fullest.map { "the drafts of scene \($0)" }))
        throw DocumentError.tooManyDrafts(limit: options.draftLimit)
      }
    }
    try DraftTable.put(connection, draft, body, wall: transaction.wall)
    return (true, earlier?.body.file)
  }

  /// Takes a draft away, whatever has become of its content; nothing happens when there is none.
  public func discardDraft(scene: String, document: DocumentID) async throws {
    let removed = try await writing("discard", freesSpace: true) { transaction in
      let earlier = try DraftTable.find(transaction.connection, scene: scene, document: document)
      try DraftTable.remove(transaction.connection, scene: scene, document: document)
      return earlier
    }
    guard let removed else { return }
    trace.record(
      DraftDiscarded(document: document.rawValue, change: removed.change.description, scene: scene))
    if let file = removed.body.file { await discard([file]) }
  }

  // MARK: Scene state (D10)

  /// Keeps the UI state of one scene: selection, scroll, panels. Never part of a document, seen by no other scene.
  /// Empty data takes it away.
  public func saveState(_ state: Data, ofScene scene: String) async throws {
    try validate(scene: scene)
    if state.count > options.sceneStateLimit {
      trace.record(
        BoundReached(
          what: "scene state", size: Int64(state.count), bound: Int64(options.sceneStateLimit), refused: true,
          inTheWay: scene))
      throw DocumentError.bodyTooLarge(size: Int64(state.count), limit: Int64(options.sceneStateLimit))
    }
    let bytes = Array(state)
    try await writing("scene state") { transaction in
      if bytes.isEmpty {
        try DraftTable.removeState(transaction.connection, scene: scene)
      } else {
        try DraftTable.putState(transaction.connection, scene: scene, bytes, wall: transaction.wall)
      }
    }
    trace.record(SceneStateSaved(scene: scene, bytes: Int64(bytes.count)))
  }

  /// The UI state kept for a scene; `nil` when there is none.
  public func state(ofScene scene: String) async throws -> Data? {
    try await reading("scene state") { try DraftTable.state($0, scene: scene).map { Data($0) } }
  }

  func validate(scene: String) throws(DocumentError) {
    if scene.isEmpty || scene.utf8.count > 512 {
      throw .invalidArgument("A scene's name has 1 to 512 bytes, this one has \(scene.utf8.count).")
    }
  }
}

extension SaveReport {
  func checkpointed(_ draft: Draft, _ body: PreparedBody, _ outcome: SaveOutcome) {
    trace.record(
      SaveEnded(
        document: draft.document.rawValue, version: draft.base, change: draft.change.description,
        base: draft.base, purpose: .checkpoint, bytes: body.size, outcome: outcome,
        temporaryVerified: body.wasVerified,
        digest: body.digest.map { String($0.description.prefix(16)) }, scene: scene))
  }
}
