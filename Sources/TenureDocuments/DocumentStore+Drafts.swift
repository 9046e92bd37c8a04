import TenureStorage
import TenureSystem
import TenureTrace

extension DocumentStore {
  /// Keeps unfinished work. Durable when this returns: it is offered by ``recover(scene:)`` after any
  /// interruption, until its change is committed or it is discarded (D6).
  ///
  /// One draft is kept for each scene and document; a later checkpoint replaces an earlier one. A change that was
  /// committed already needs no draft: the same content is accepted and not kept, other content is
  /// ``DocumentError/changeReused(_:_:)``.
  public func checkpoint(_ draft: Draft) async throws { try await checkpoint(draft, in: nil) }

  /// A flush enters the flight before it starts, to be able to take it back, and ends it.
  func checkpoint(_ draft: Draft, in entered: Flight?) async throws {
    try draft.document.validated()
    try validate(scene: draft.scene)
    if draft.base < 0 {
      throw DocumentError.invalidArgument("A draft of \(draft.document) is based on version \(draft.base).")
    }
    let item = FlushItem(document: draft.document, change: draft.change, scene: draft.scene)
    let flight = entered ?? flights.enter([item])
    let report = SaveReport(trace: trace, purpose: .checkpoint, scene: draft.scene, fileSizes: [:])
    report.begun(draft.edit)
    do {
      let (body, isNew) = try await keep(draft, flight)
      report.checkpointed(draft, body, isNew ? .committed : .alreadyCommitted)
      if entered == nil { flight.end(.saved) }
    } catch {
      let failure = Self.failure(of: error, change: draft.change)
      report.failed(draft.edit, failure)
      if entered == nil { flight.end(failure is CommitInDoubt ? .inDoubt : .unsaved) }
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

  /// All kept drafts, by scene and document.
  public func drafts(scene: String? = nil) async throws -> [Draft] {
    var drafts: [Draft] = []
    for row in try await reading("drafts", { try DraftTable.all($0, scene: scene) }) {
      if let draft = try await load(row) { drafts.append(draft) }
    }
    return drafts
  }

  /// Takes a draft away; nothing happens when there is none.
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

  /// Offers every kept draft with how it stands to its document (D6): of one scene, or of all, also of those that
  /// other processes are working on.
  ///
  /// A barrier commit comes first, so that a change which a killed process left half-way is known to be in the
  /// store or never to be. While that does not succeed, such drafts are `.inDoubt`.
  public func recover(scene: String? = nil) async throws -> [RecoveredDraft] {
    struct Found: Sendable {
      var row: DraftTable.Row
      var current: Revision?
      var committed: Revision?
    }
    let look: @Sendable (SQLiteConnection) throws -> [Found] = { connection in
      try DraftTable.all(connection, scene: scene).map { row in
        Found(
          row: row, current: try DocumentTables.current(connection, row.document),
          committed: try DocumentTables.revision(connection, change: row.change))
      }
    }
    var isSettled = true
    let found: [Found]
    do {
      found = try await writing("recover", freesSpace: true) { transaction in
        try HistoryTables.barrier(transaction.connection)
        return try look(transaction.connection)
      }
    } catch DocumentError.storage {
      // The disk may be full or the device failing: the drafts are offered all the same.
      isSettled = false
      found = try await reading("recover", look)
    }
    var recovered: [RecoveredDraft] = []
    for item in found {
      guard let draft = try await load(item.row) else { continue }
      let standing = Self.standing(draft, item.current, item.committed, isSettled: isSettled)
      trace.record(
        DraftRecovered(
          document: draft.document.rawValue, change: draft.change.description, base: draft.base,
          current: item.current?.version ?? 0, standing: standing.name, scene: draft.scene))
      recovered.append(RecoveredDraft(draft: draft, standing: standing))
    }
    return recovered
  }

  static func standing(
    _ draft: Draft, _ current: Revision?, _ committed: Revision?, isSettled: Bool
  ) -> DraftStanding {
    if let committed { return .alreadyCommitted(committed) }
    if !isSettled { return .inDoubt }
    if (current?.version ?? 0) == draft.base { return .current }
    if let current, current.isDeleted { return .deleted(current) }
    return .documentMovedOn(current)
  }

  /// A draft with its bytes; `nil` when it was committed or replaced meanwhile.
  private func load(_ row: DraftTable.Row) async throws -> Draft? {
    if let bytes = row.body.inline { return try draft(row, bytes) }
    guard let name = row.body.file else { return try draft(row, []) }
    let bodies = database.bodies
    let stored = BodyFile(name: name, digest: row.body.digest?.description ?? "", size: row.body.size)
    let bytes: [UInt8]?
    do {
      bytes = try await files.run { try bodies.open(name).map { try bodies.contents(of: stored, in: $0) } }
    } catch let error as StorageError {
      if case .bodyDamaged(let path, let detail) = error {
        throw DocumentError.bodyDamaged(
          row.document, version: row.base, detail: "draft in \(path): \(detail)")
      }
      throw DocumentError.storage(error)
    }
    if let bytes { return try draft(row, bytes) }
    let again = try await reading("draft") {
      try DraftTable.find($0, scene: row.scene, document: row.document)
    }
    guard let again else { return nil }
    if again.body.file != name { return try await load(again) }
    throw DocumentError.bodyDamaged(
      row.document, version: row.base, detail: "the draft's file bodies/\(name) is missing")
  }

  private func draft(_ row: DraftTable.Row, _ bytes: [UInt8]) throws(DocumentError) -> Draft {
    if Digest(of: bytes) != row.body.digest {
      throw .bodyDamaged(
        row.document, version: row.base,
        detail: "the draft of scene \(row.scene) is not what was checkpointed")
    }
    return Draft(
      scene: row.scene, document: row.document, change: row.change, base: row.base, body: Data(bytes))
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

extension DraftStanding {
  var name: DraftStandingName {
    switch self {
    case .current: .current
    case .documentMovedOn: .movedOn
    case .deleted: .deleted
    case .alreadyCommitted: .alreadyCommitted
    case .inDoubt: .inDoubt
    }
  }
}
