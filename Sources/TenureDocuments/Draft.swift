/// Unfinished work of one scene on one document: kept at every checkpoint, offered again by `recover()` (D6).
///
/// A draft is not a version: nobody else sees it, and committing its change removes it in the same transaction.
public struct Draft: Sendable, Hashable {
  /// The scene it belongs to.
  public let scene: String
  /// The document.
  public let document: DocumentID
  /// The change its commit will have.
  public let change: ChangeID
  /// The version it was started from; 0 for a new document.
  public let base: Int64
  /// The content so far.
  public let body: Data

  /// A draft by its parts.
  public init(scene: String, document: DocumentID, change: ChangeID, base: Int64, body: Data) {
    self.scene = scene
    self.document = document
    self.change = change
    self.base = base
    self.body = body
  }

  /// The edit that commits it.
  public var edit: Edit { Edit(of: document, expecting: base, body: .data(body), change: change) }
}

/// How a draft stands to its document.
public enum DraftStanding: Sendable, Hashable {
  /// Its base is the current version: committing it will succeed.
  case current
  /// The document has another version now; `nil`: it does not exist (any more).
  case documentMovedOn(Revision?)
  /// The document was deleted since.
  case deleted(Revision)
  /// Its change was committed; the draft only has to be discarded.
  case alreadyCommitted(Revision)
  /// Whether its change was committed cannot be known yet.
  case inDoubt
  /// Its content is not what was checkpointed, for this reason. The draft's body is what can be read of it, fit to
  /// be looked at and not to be committed unseen. It stays until it is discarded or replaced by a checkpoint.
  case damaged(String)
}

/// A draft that is offered again.
public struct RecoveredDraft: Sendable, Hashable {
  /// The draft.
  public let draft: Draft
  /// How it stands to the document.
  public let standing: DraftStanding

  /// Why its content is not what was checkpointed; `nil`: it is, as far as is known.
  public var damage: String? {
    if case .damaged(let reason) = standing { reason } else { nil }
  }

  /// A recovered draft by its parts.
  public init(draft: Draft, standing: DraftStanding) {
    self.draft = draft
    self.standing = standing
  }
}

/// One thing a flush was to make durable.
public struct FlushItem: Sendable, Hashable {
  /// The document.
  public let document: DocumentID
  /// The change.
  public let change: ChangeID
  /// The scene, where one asked.
  public let scene: String?

  /// An item by its parts.
  public init(document: DocumentID, change: ChangeID, scene: String? = nil) {
    self.document = document
    self.change = change
    self.scene = scene
  }
}

/// What a flush can say at its deadline (D7). Each item is in exactly one list.
public struct FlushReport: Sendable, Hashable {
  /// Durable.
  public let saved: [FlushItem]
  /// Not saved, and nothing goes on behind the answer.
  public let unsaved: [FlushItem]
  /// Under way at the deadline, or its outcome is not known.
  public let inDoubt: [FlushItem]

  /// A report by its lists.
  public init(saved: [FlushItem], unsaved: [FlushItem], inDoubt: [FlushItem]) {
    self.saved = saved
    self.unsaved = unsaved
    self.inDoubt = inDoubt
  }
}
