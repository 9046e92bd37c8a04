import TenureStorage
import TenureSystem
import TenureTrace

extension DocumentStore {
  /// All kept drafts, by scene and document, each with the content that was checkpointed. Those whose content is
  /// damaged are left out here: ``recover(scene:)`` and ``damagedDrafts(scene:)`` have them.
  public func drafts(scene: String? = nil) async throws -> [Draft] {
    var drafts: [Draft] = []
    for row in try await reading("drafts", { try DraftTable.all($0, scene: scene) }) {
      if let loaded = try await load(row), loaded.damage == nil { drafts.append(loaded.draft) }
    }
    return drafts
  }

  /// The kept drafts whose content is not what was checkpointed, each with what can be read of it and the reason.
  /// Reads them all, one after the other.
  public func damagedDrafts(scene: String? = nil) async throws -> [RecoveredDraft] {
    var damaged: [RecoveredDraft] = []
    for row in try await reading("drafts", { try DraftTable.all($0, scene: scene) }) {
      guard let loaded = try await load(row), let reason = loaded.damage else { continue }
      damaged.append(RecoveredDraft(draft: loaded.draft, standing: .damaged(reason)))
    }
    return damaged
  }

  /// Offers every kept draft with how it stands to its document (D6): of one scene, or of all, also of those that
  /// other processes are working on. A damaged one is offered as such and keeps none of the others back.
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
        try transaction.connection.writeBarrier()
        return try look(transaction.connection)
      }
    } catch DocumentError.storage {
      // The disk may be full or the device failing: the drafts are offered all the same.
      isSettled = false
      found = try await reading("recover", look)
    }
    var recovered: [RecoveredDraft] = []
    for item in found {
      guard let loaded = try await load(item.row) else { continue }
      let standing = Self.standing(loaded, item.current, item.committed, isSettled: isSettled)
      let draft = loaded.draft
      trace.record(
        DraftRecovered(
          document: draft.document.rawValue, change: draft.change.description, base: draft.base,
          current: item.current?.version ?? 0, standing: standing.name, scene: draft.scene))
      recovered.append(RecoveredDraft(draft: draft, standing: standing))
    }
    return recovered
  }

  private static func standing(
    _ loaded: LoadedDraft, _ current: Revision?, _ committed: Revision?, isSettled: Bool
  ) -> DraftStanding {
    if let committed { return .alreadyCommitted(committed) }
    if let reason = loaded.damage { return .damaged(reason) }
    if !isSettled { return .inDoubt }
    if (current?.version ?? 0) == loaded.draft.base { return .current }
    if let current, current.isDeleted { return .deleted(current) }
    return .documentMovedOn(current)
  }

  // MARK: Content

  /// A draft with its bytes, or with those that can be read and why they are not all; `nil` when it was committed
  /// or replaced meanwhile.
  private func load(_ row: DraftTable.Row) async throws -> LoadedDraft? {
    guard let name = row.body.file else { return LoadedDraft(row, row.body.inline ?? []) }
    let bodies = database.bodies
    let stored = BodyFile(name: name, digest: row.body.digest?.description ?? "", size: row.body.size)
    let bytes: [UInt8]?
    do {
      bytes = try await files.run { try bodies.open(name).map { try bodies.contents(of: stored, in: $0) } }
    } catch let error as StorageError {
      guard let reason = Self.damage(error) else { throw DocumentError.storage(error) }
      return LoadedDraft(row, await readable(name), damage: reason)
    }
    if let bytes { return LoadedDraft(row, bytes) }
    let again = try await reading("draft") {
      try DraftTable.find($0, scene: row.scene, document: row.document)
    }
    guard let again else { return nil }
    if again.body.file != name { return try await load(again) }
    return LoadedDraft(row, [], damage: "its file bodies/\(name) is missing")
  }

  /// Why a failure to read concerns this one draft; `nil` for one that would meet any other, or may pass.
  private static func damage(_ error: StorageError) -> String? {
    switch error {
    case .bodyDamaged(let path, let detail): "bodies/\(path.lastPathPart): \(detail)"
    case .system, .inputOutput: error.isRetryable ? nil : error.description
    default: nil
    }
  }

  /// What a damaged file gives, up to the bound of a body.
  private func readable(_ name: String) async -> [UInt8] {
    let (system, limit) = (system, Int(clamping: options.bodyLimit))
    let path = database.container.bodiesPath.appendingPath(name)
    let bytes = try? await files.run {
      try system.status(path)?.kind == .file ? try system.contents(of: path, limit: limit) : []
    }
    return bytes ?? []
  }
}

/// A draft as it was found, and what is wrong with it.
private struct LoadedDraft: Sendable {
  let draft: Draft
  let damage: String?

  /// `damage` is known already, or looked for here.
  init(_ row: DraftTable.Row, _ bytes: [UInt8], damage: String? = nil) {
    draft = Draft(
      scene: row.scene, document: row.document, change: row.change, base: row.base, body: Data(bytes))
    self.damage = damage ?? row.flaw ?? Self.flaw(of: bytes, row)
  }

  private static func flaw(of bytes: [UInt8], _ row: DraftTable.Row) -> String? {
    if Digest(of: bytes) == row.body.digest { return nil }
    return "\(bytes.count) bytes that are not the \(row.body.size) that were checkpointed"
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
    case .damaged: .damaged
    }
  }
}
