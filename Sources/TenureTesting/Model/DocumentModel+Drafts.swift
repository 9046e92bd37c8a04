import Tenure

extension DocumentModel {
  /// Keeps a scene's draft in place of its earlier one. A change that was committed needs no draft.
  public mutating func checkpoint(_ draft: Draft) throws(DocumentError) {
    if let recorded = changes[draft.change] {
      if recorded.document == draft.document && recorded.digest == Self.digest(of: draft.body) { return }
      throw .changeReused(draft.change, recorded.document)
    }
    drafts[DraftKey(scene: draft.scene, document: draft.document)] = draft
  }

  /// Forgets a scene's draft; `false` when there is none.
  @discardableResult
  public mutating func discardDraft(scene: String, document: DocumentID) -> Bool {
    drafts.removeValue(forKey: DraftKey(scene: scene, document: document)) != nil
  }

  /// Every draft, by scene and document.
  public func allDrafts() -> [Draft] {
    drafts.values.sorted { ($0.scene, $0.document) < ($1.scene, $1.document) }
  }

  /// What `DocumentStore.recover()` answers: every draft, and how it stands to its document.
  public func recover() -> [RecoveredDraft] {
    allDrafts().map { RecoveredDraft(draft: $0, standing: standing(of: $0)) }
  }

  private func standing(of draft: Draft) -> DraftStanding {
    if let recorded = changes[draft.change] { return .alreadyCommitted(recorded) }
    guard let current = revision(of: draft.document) else {
      return draft.base == 0 ? .current : .documentMovedOn(nil)
    }
    if current.version == draft.base { return .current }
    return current.isDeleted ? .deleted(current) : .documentMovedOn(current)
  }

  /// Keeps a scene's UI state, apart from every document (D10).
  public mutating func saveState(_ data: Data, ofScene scene: String) { sceneStates[scene] = data }

  /// A scene's UI state.
  public func state(ofScene scene: String) -> Data? { sceneStates[scene] }
}
