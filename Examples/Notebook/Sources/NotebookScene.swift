import Tenure
import TenureGroup
import TenureSystem
import TenureTrace

/// One window on the notes: its selection, and the unfinished work on it (D6, D10).
///
/// ```swift
/// let scene = try await NotebookScene.open("left", in: workspace)
/// try await scene.select("Shopping.md")
/// var text = try await scene.contentToEdit()
/// text.body += Data("- milk\n".utf8)
/// try await scene.edit(text.body, basedOn: text.base)   // as often as somebody types
/// try await scene.keep()                                // a draft, safe from here on
/// switch try await scene.save() { … }                   // a version, or a conflict to settle
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
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Unsaved work on the selection: the newest text, and the keeper that checkpoints it.
  private struct Work {
    var keeper: DraftKeeper
    var text: Data
    /// The version that was shown when it began; the keeper's moves on with each save.
    let origin: Int64
    var edits = 0

    init(keeper: DraftKeeper, text: Data) {
      self.keeper = keeper
      self.text = text
      origin = keeper.base
    }
  }

  /// The scene's name stands in its events.
  private nonisolated var trace: Trace { workspace.trace.task(name) }
  private var documents: DocumentStore { workspace.documents }

  /// Opens a scene and brings back what it had. Throws ``GroupError/leaseHeld(name:holder:)`` while another
  /// process has it.
  public static func open(_ name: String, in workspace: Workspace) async throws -> NotebookScene {
    if name == Importer.scene { throw NotebookError.reservedName(name) }
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
      switch item.standing {
      // Its change was committed: only the draft is left over.
      case .alreadyCommitted: try? await documents.discardDraft(scene: name, document: item.draft.document)
      // Nobody goes on typing in what is not what they typed; it is kept, and said in `recovered`.
      case .damaged: break
      case .current, .documentMovedOn, .deleted, .inDoubt:
        if item.draft.document == state.selection { resume(item.draft) }
      }
    }
    trace.record(SceneOpened(scene: name, document: state.selection?.rawValue))
    trace.record(SceneForeground(scene: name))
  }

  /// What is selected.
  public var selection: DocumentID? { state.selection }

  /// Whether there is unsaved work on the selection.
  public var isEdited: Bool { work != nil }

  /// A text as this scene shows it.
  public struct Shown: Sendable, Hashable {
    /// The draft's text, or the document's.
    public var body: Data
    /// The version it is or goes on from, to be handed back with what becomes of it: ``NotebookScene/edit(_:basedOn:)``.
    public var base: Int64
    /// What the document is now; `nil`: it does not exist yet.
    public var current: Revision?
    /// Whether it is unsaved work.
    public var isDraft: Bool
  }

  /// The text as this scene shows it: its draft, or the document's current version.
  public func content() async throws -> Shown {
    let document = try selected()
    if work == nil {
      let (revision, body) = try await documents.body(of: document)
      // Somebody may have begun to type meanwhile.
      if work == nil { return Shown(body: body, base: revision.version, current: revision, isDraft: false) }
    }
    let revision = try await documents.revision(of: document)
    guard let work, work.keeper.document == document else { return try await content() }
    return Shown(body: work.text, base: work.keeper.base, current: revision, isDraft: true)
  }

  /// The text to begin an edit with: ``content()``, or nothing where the document is new or was deleted.
  public func contentToEdit() async throws -> Shown {
    do { return try await content() } catch DocumentError.noSuchDocument {
      return Shown(body: Data(), base: 0, current: nil, isDraft: false)
    } catch DocumentError.deleted(let document, let version) {
      let current = try await documents.revision(of: document)
      return Shown(body: Data(), base: version, current: current, isDraft: false)
    }
  }

  /// Selects a document, which need not exist yet. Work left on it earlier comes back.
  @discardableResult
  public func select(_ document: DocumentID) async throws -> Revision? {
    try document.validated()
    return try await alone {
      let revision = try await documents.revision(of: document)
      if document != state.selection {
        let kept = try await documents.drafts(scene: name).first { $0.document == document }
        // Work on the document left behind goes on waiting as its draft, also what is typed while it is kept.
        while let left = work?.keeper, left.isDirty { try await left.checkpoint() }
        state.selection = document
        work = nil
        if let kept { resume(kept) }
      }
      try await documents.saveState(try state.data(), ofScene: name)
      return revision
    }
  }

  /// Replaces the text, as typing does: kept as a draft a moment later, or by ``keep()``.
  ///
  /// `base` is that of the text that was shown and became this one, so that whatever others saved while somebody
  /// thought or typed is met as a conflict, and never overwritten (D3).
  public func edit(_ text: Data, basedOn base: Int64) throws {
    let document = try selected()
    if let work, base < work.origin {
      throw NotebookError.shownBefore(document, shown: base, draft: work.origin)
    }
    var work =
      self.work
      ?? Work(keeper: documents.draftKeeper(scene: name, document: document, base: base), text: text)
    work.text = text
    work.edits += 1
    self.work = work
    work.keeper.edited(text)
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

  /// Makes the draft a version. What is typed meanwhile is unsaved work on that version.
  public func save() async throws -> SaveResult {
    try await alone {
      guard let keeper = work?.keeper else { return .nothingToSave }
      switch try await keeper.commit() {
      case .committed(let revision), .alreadyCommitted(let revision, _):
        if !keeper.isEdited { work = nil }
        return .saved(revision)
      case .conflict(let current):
        if let current, try await isSettled(by: current) { return .saved(current) }
        try await keeper.checkpoint()
        return .conflict(current: current)
      }
    }
  }

  /// Ends a conflict of the selection's draft; `nil` when there is no draft. What is typed meanwhile stays, on the
  /// version it was typed on.
  public func settle(_ choice: Settlement) async throws -> SettleResult? {
    try await alone {
      while true {
        while let keeper = work?.keeper, keeper.isDirty { try await keeper.checkpoint() }
        guard let work else { return nil }
        let keeper = work.keeper
        let draft = Draft(
          scene: name, document: keeper.document, change: keeper.change, base: keeper.base, body: work.text)
        let result: SettleResult
        do {
          result = try await Notebook.settle(draft, choice, in: workspace)
        } catch DocumentError.changeReused(draft.change, _) {
          // Settled from outside. The keeper takes up a change of its own for what this scene has.
          switch try await keeper.commit() {
          case .committed(let revision), .alreadyCommitted(let revision, _): result = .saved(revision)
          case .conflict: continue
          }
        }
        switch result {
        case .saved, .dropped: if self.work?.edits == work.edits { self.work = nil }
        case .cannotMerge, .noRule, .movedOnAgain: break
        }
        return result
      }
    }
  }

  /// Drops the unsaved work. What is typed meanwhile is new work.
  public func discard() async throws {
    try await alone {
      guard let keeper = work?.keeper else { return }
      try await keeper.discard()
      if !keeper.isEdited { work = nil }
    }
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
    trace.record(SceneBackground(scene: name))
    trace.record(SceneClosed(scene: name))
    lease.end()
  }

  private func resume(_ draft: Draft) {
    let keeper = documents.draftKeeper(
      scene: name, document: draft.document, base: draft.base, change: draft.change)
    keeper.edited(draft.body)
    work = Work(keeper: keeper, text: draft.body)
  }

  /// One after another, though each waits for the store. Typing goes on meanwhile: ``edit(_:basedOn:)`` waits for
  /// nothing.
  private func alone<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    while isBusy { await withCheckedContinuation { waiting.append($0) } }
    isBusy = true
    defer {
      isBusy = false
      if !waiting.isEmpty { waiting.removeFirst().resume() }
    }
    return try await body()
  }

  /// Whether the document came to hold this very text by another way: then there is no conflict, and no draft.
  private func isSettled(by current: Revision) async throws -> Bool {
    guard let work, !current.isDeleted, Digest(of: work.text).description == current.digest else {
      return false
    }
    try await work.keeper.discard(base: current.version)
    if !work.keeper.isEdited { self.work = nil }
    return true
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
  /// The import keeps its conflicts under this name.
  case reservedName(String)
  /// A text that was shown before the scene's draft began on a newer version. Nothing was changed.
  case shownBefore(DocumentID, shown: Int64, draft: Int64)

  /// What to do.
  public var description: String {
    switch self {
    case .nothingSelected: "Nothing is selected. Select a document first."
    case .reservedName(let name): "No scene can be named \(name): the import keeps its conflicts there."
    case .shownBefore(let document, let shown, let draft):
      "The text of \(document) was shown at version \(shown), and this scene's draft is on version \(draft). "
        + "Nothing was changed; show it again and repeat the edit."
    }
  }
}
