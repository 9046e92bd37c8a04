import Tenure

extension DocumentModel {
  /// Keeps a scene's draft in place of its earlier one. A change that was committed needs no draft.
  public mutating func checkpoint(_ draft: Draft) throws(DocumentError) {
    if let recorded = changes[draft.change] {
      if recorded.document == draft.document && recorded.digest == Self.digest(of: draft.body) { return }
      throw .changeReused(draft.change, recorded.document)
    }
    let key = DraftKey(scene: draft.scene, document: draft.document)
    drafts[key] = draft
    damage[key] = nil
  }

  /// Something else changes what is stored of a scene's draft to `body`, as a failing device does; `false` when
  /// there is no draft, or those are its bytes.
  @discardableResult
  public mutating func damageDraft(
    scene: String, document: DocumentID, leaving body: Data, reason: String
  ) -> Bool {
    let key = DraftKey(scene: scene, document: document)
    guard let draft = drafts[key], draft.body != body else { return false }
    drafts[key] = Draft(
      scene: scene, document: document, change: draft.change, base: draft.base, body: body)
    damage[key] = reason
    return true
  }

  /// Forgets a scene's draft; `false` when there is none.
  @discardableResult
  public mutating func discardDraft(scene: String, document: DocumentID) -> Bool {
    let key = DraftKey(scene: scene, document: document)
    damage[key] = nil
    return drafts.removeValue(forKey: key) != nil
  }

  /// Every draft whose content is whole, by scene and document.
  public func allDrafts() -> [Draft] {
    sorted.filter { damage[DraftKey(scene: $0.scene, document: $0.document)] == nil }
  }

  private var sorted: [Draft] { drafts.values.sorted { ($0.scene, $0.document) < ($1.scene, $1.document) } }

  /// What `DocumentStore.recover()` answers: every draft, and how it stands to its document.
  public func recover() -> [RecoveredDraft] {
    sorted.map { RecoveredDraft(draft: $0, standing: standing(of: $0)) }
  }

  private func standing(of draft: Draft) -> DraftStanding {
    if let recorded = changes[draft.change] { return .alreadyCommitted(recorded) }
    if let reason = damage[DraftKey(scene: draft.scene, document: draft.document)] { return .damaged(reason) }
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
