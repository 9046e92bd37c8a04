import Tenure
import TenureStorage
import TenureSystem

/// How a person ends a conflict between a draft and what its document became meanwhile (D3, D8).
public enum Settlement: String, CaseIterable, Sendable {
  /// The draft becomes the next version. The other one stays in the versions.
  case mine
  /// The draft is dropped.
  case theirs
  /// Both, by the rule registered for the kind of document.
  case merge
}

/// What a settlement came to.
public enum SettleResult: Sendable, Hashable {
  /// The document's new version.
  case saved(Revision)
  /// The draft is gone; this is what the document is.
  case dropped(current: Revision?)
  /// The rule could not join the two here; the conflict stays.
  case cannotMerge([ConflictRegion])
  /// There is no rule for this kind of document; the conflict stays.
  case noRule(String)
  /// The document moved on once more meanwhile; the conflict stays, with another current version.
  case movedOnAgain(Revision?)
}

extension Notebook {
  /// Settles the conflict of a draft. What fails or is interrupted leaves the draft as it was.
  public static func settle(
    _ draft: Draft, _ choice: Settlement, in workspace: Workspace
  ) async throws -> SettleResult {
    let documents = workspace.documents
    let current = try await documents.revision(of: draft.document)
    switch choice {
    case .mine:
      return try await save(draft, draft.body, over: current, in: workspace)
    case .theirs:
      if draft.scene == Importer.scene {
        // The file is known in this form now; it is asked about again when it changes.
        let file = ImportedFile(version: current?.version ?? 0, digest: digest(of: draft.body))
        try await workspace.database.write("settle") {
          try ImportTable.put($0.connection, draft.document, file)
        }
      }
      try await documents.discardDraft(scene: draft.scene, document: draft.document)
      return .dropped(current: current)
    case .merge:
      guard let current else { return try await save(draft, draft.body, over: nil, in: workspace) }
      switch try await documents.merge(draft.edit, onto: current.version) {
      case .merged(let body): return try await save(draft, body, over: current, in: workspace)
      case .conflict(let regions): return .cannotMerge(regions)
      case .noRule(let why): return .noRule(why)
      }
    }
  }

  private static func save(
    _ draft: Draft, _ body: Data, over current: Revision?, in workspace: Workspace
  ) async throws -> SettleResult {
    let expected = current?.version ?? 0
    let edit = Edit(of: draft.document, expecting: expected, body: .data(body), change: draft.change)
    var participants: [any CommitParticipant] = []
    if draft.scene == Importer.scene {
      let file = ImportedFile(version: expected + 1, digest: digest(of: draft.body))
      participants.append(RecordImport(document: draft.document, file: file))
    }
    // Committing the draft's change takes the draft away in the same transaction.
    switch try await workspace.documents.commit(edit, accepting: participants, scene: draft.scene) {
    case .committed(let revision): return .saved(revision)
    case .alreadyCommitted(let recorded, _): return .saved(recorded)
    case .conflict(let current): return .movedOnAgain(current)
    }
  }

  private static func digest(of body: Data) -> String { Digest(of: body).description }
}
