import Tenure
import TenureGroup
import TenureTrace

/// One window on the notes: its selection, and the unfinished work on it (D6, D10).
///
/// ```swift
/// let scene = try await NotebookScene.open("left", in: workspace)
/// try await scene.select("Shopping.md")
/// try await scene.edit(Data("- milk\n".utf8))       // as often as somebody types
/// try await scene.keep()                            // a draft, safe from here on
/// switch try await scene.save() { … }               // a version, or a conflict to settle
/// ```
/// The selection is the scene's and comes back with it; the document is everybody's. A scene belongs to one
/// process at a time, by a lease that ends with the process.
public actor NotebookScene {
  /// The scene's name, the same for ever: its drafts and its selection are found by it.
  public nonisolated let name: String
  /// What this scene's last process left unfinished.
  public nonisolated let recovered: [RecoveredDraft]
  private nonisolated let workspace: Workspace
  private let lease: Lease
  private var state: SceneState
  private var work: Work?

  /// Unsaved work on the selection: the newest text, and the keeper that checkpoints it.
  private struct Work {
    var keeper: DraftKeeper
    var text: Data
  }

  private var documents: DocumentStore { workspace.documents }

  /// Opens a scene and brings back what it had. Throws ``GroupError/leaseHeld(name:holder:)`` while another
  /// process has it.
  public static func open(_ name: String, in workspace: Workspace) async throws -> NotebookScene {
    let lease = try Lease.take(in: workspace.container, name: "scene-\(name)")
    let recovered = try await workspace.documents.recover(scene: name)
    let state = try await workspace.documents.state(ofScene: name).flatMap(SceneState.init(data:))
    let scene = NotebookScene(
      name, workspace: workspace, lease: lease, state: state ?? SceneState(), recovered: recovered)
    await scene.start()
    return scene
  }

  private init(
    _ name: String, workspace: Workspace, lease: Lease, state: SceneState, recovered: [RecoveredDraft]
  ) {
    self.name = name
    self.workspace = workspace
    self.lease = lease
    self.state = state
    self.recovered = recovered
  }

  private func start() async {
    for item in recovered {
      // Its change was committed: only the draft is left over.
      if case .alreadyCommitted = item.standing {
        try? await documents.discardDraft(scene: name, document: item.draft.document)
      } else if item.draft.document == state.selection {
        resume(item.draft)
      }
    }
    workspace.trace.record(SceneOpened(scene: name, document: state.selection?.rawValue))
    workspace.trace.record(SceneForeground(scene: name))
  }

  /// What is selected.
  public var selection: DocumentID? { state.selection }

  /// Whether there is unsaved work on the selection.
  public var isEdited: Bool { work != nil }

  /// The body as this scene shows it: its draft, or the document's current version.
  public func content() async throws -> (body: Data, revision: Revision?, isDraft: Bool) {
    let document = try selected()
    let revision = try await documents.revision(of: document)
    if let work { return (work.text, revision, true) }
    guard let revision else { throw DocumentError.noSuchDocument(document) }
    return (try await documents.body(of: document).data, revision, false)
  }

  /// Selects a document, which need not exist yet. Work left on it earlier comes back.
  @discardableResult
  public func select(_ document: DocumentID) async throws -> Revision? {
    try document.validated()
    let revision = try await documents.revision(of: document)
    let kept = try await documents.drafts(scene: name).first { $0.document == document }
    // Work on the document left behind goes on waiting as its draft.
    try await work?.keeper.checkpoint()
    state.selection = document
    work = nil
    if let kept { resume(kept) }
    try await documents.saveState(try state.data(), ofScene: name)
    return revision
  }

  /// Replaces the text, as typing does: kept as a draft a moment later, or by ``keep()``.
  public func edit(_ text: Data) async throws {
    let document = try selected()
    if work == nil {
      let base = try await documents.revision(of: document)?.version ?? 0
      work = Work(keeper: documents.draftKeeper(scene: name, document: document, base: base), text: text)
    }
    work?.text = text
    work?.keeper.edited(text)
  }

  /// Makes the newest text a draft now: it survives this process when this returns.
  public func keep() async throws { try await work?.keeper.checkpoint() }

  /// What a save came to.
  public enum SaveResult: Sendable, Hashable {
    /// There was no unsaved work.
    case nothingToSave
    /// The document's new version.
    case saved(Revision)
    /// The document moved on since the work began. The draft stays; ``NotebookScene/settle(_:)`` ends it.
    case conflict(current: Revision?)
  }

  /// Makes the draft a version.
  public func save() async throws -> SaveResult {
    guard let work else { return .nothingToSave }
    switch try await work.keeper.commit() {
    case .committed(let revision), .alreadyCommitted(let revision, _):
      self.work = nil
      return .saved(revision)
    case .conflict(let current):
      try await work.keeper.checkpoint()
      return .conflict(current: current)
    }
  }

  /// Ends a conflict of the selection's draft; `nil` when there is no draft.
  public func settle(_ choice: Settlement) async throws -> SettleResult? {
    guard let work else { return nil }
    try await work.keeper.checkpoint()
    let draft = Draft(
      scene: name, document: work.keeper.document, change: work.keeper.change, base: work.keeper.base,
      body: work.text)
    let result = try await Notebook.settle(draft, choice, in: workspace)
    switch result {
    case .saved, .dropped: self.work = nil
    case .cannotMerge, .noRule, .movedOnAgain: break
    }
    return result
  }

  /// Drops the unsaved work.
  public func discard() async throws {
    try await work?.keeper.discard()
    work = nil
  }

  /// Makes an earlier version's text the newest version. Unsaved work stands in the way.
  public func goBack(to version: Int64) async throws -> SaveResult {
    let document = try selected()
    let current = try await documents.revision(of: document)
    if work != nil { return .conflict(current: current) }
    let body = try await documents.body(of: document, version: version).data
    let edit = Edit(of: document, expecting: current?.version ?? 0, body: .data(body))
    switch try await documents.commit(edit, scene: name) {
    case .committed(let revision), .alreadyCommitted(let revision, _): return .saved(revision)
    case .conflict(let current): return .conflict(current: current)
    }
  }

  /// Tells of every change to a document, whoever makes it, until the subscription is cancelled.
  public nonisolated func observe(
    _ document: DocumentID, _ body: @escaping @Sendable (Versioned<Revision?>) -> Void
  ) async throws -> (first: Versioned<Revision?>, subscription: Subscription) {
    try await workspace.documents.observe(document, body)
  }

  /// Ends the scene; its draft and selection wait for the next process.
  public func close() {
    workspace.trace.record(SceneBackground(scene: name))
    workspace.trace.record(SceneClosed(scene: name))
    lease.end()
  }

  private func resume(_ draft: Draft) {
    let keeper = documents.draftKeeper(
      scene: name, document: draft.document, base: draft.base, change: draft.change)
    keeper.edited(draft.body)
    work = Work(keeper: keeper, text: draft.body)
  }

  private func selected() throws -> DocumentID {
    guard let document = state.selection else { throw NotebookError.nothingSelected }
    return document
  }
}

/// What a scene cannot do.
public enum NotebookError: Error, Sendable, Hashable, CustomStringConvertible {
  /// No document is selected.
  case nothingSelected

  /// What to do.
  public var description: String {
    switch self {
    case .nothingSelected: "Nothing is selected. Select a document first."
    }
  }
}
