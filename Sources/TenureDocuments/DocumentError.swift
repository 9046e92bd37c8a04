import TenureStorage
import TenureSystem

/// Why the store refused or could not answer. An unknown outcome is ``CommitInDoubt``, never one of these.
public enum DocumentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text cannot name a document.
  case invalidID(String, DocumentID.InvalidID)
  /// The change ID was used for another edit. Make a new ID for every edit, once (D2).
  case changeReused(ChangeID, DocumentID)
  /// Two edits of a batch are about the same document or have the same change ID.
  case repeatedInBatch(DocumentID)
  /// A negative expected version, limit, or the like.
  case invalidArgument(String)
  /// Larger than the store takes; nothing was written.
  case bodyTooLarge(size: Int64, limit: Int64)
  /// The file given as a body could not be read.
  case bodyUnreadable(SystemError)
  /// The file given as a body is a directory or a device.
  case bodyNotAFile(String)
  /// The file given as a body changed while it was read; nothing was written.
  case bodyChanged(String)
  /// The stored bytes are not what was committed (D5). Other versions may still be whole.
  case bodyDamaged(DocumentID, version: Int64, detail: String)
  /// No document has this ID.
  case noSuchDocument(DocumentID)
  /// The document has no such version, or it was purged.
  case noSuchVersion(DocumentID, version: Int64)
  /// The version is a tombstone and has no body.
  case deleted(DocumentID, version: Int64)
  /// More drafts than the store keeps; commit or discard some (D13).
  case tooManyDrafts(limit: Int)
  /// The flush this write was queued before came to its deadline, and nothing is begun after that (D7).
  case flushDeadlinePassed(ChangeID)
  /// The consumer's place is not where the acknowledged changes begin: another process that runs the same
  /// consumer was faster. The transaction was undone; read the history again (D9).
  case acknowledgedElsewhere(consumer: String, at: HistoryToken)
  /// The database could not do it. ``StorageError/inDoubt(reason:)`` arrives as ``CommitInDoubt`` where a change
  /// was committed.
  case storage(StorageError)

  /// Whether the same request may succeed later.
  public var isRetryable: Bool {
    switch self {
    case .bodyChanged, .flushDeadlinePassed, .tooManyDrafts, .acknowledgedElsewhere: true
    case .bodyUnreadable(let error): error.isTransient
    case .storage(let error): error.isRetryable
    default: false
    }
  }

  /// What happened, where, and what to do.
  public var description: String {
    switch self {
    case .invalidID(let id, let reason):
      "\"\(id.prefix(80))\" cannot name a document because \(reason). Use a relative name such as folder/note.md."
    case .changeReused(let change, let document):
      "Change \(change) was already used for another edit of \(document). Make a new change ID for every edit."
    case .repeatedInBatch(let document):
      "The batch changes \(document) twice. Put each document into a batch once."
    case .invalidArgument(let text): text
    case .bodyTooLarge(let size, let limit):
      "The body has \(size) bytes, more than the limit of \(limit). Nothing was written."
    case .bodyUnreadable(let error): "The body could not be read: \(error)"
    case .bodyNotAFile(let path): "\(path) is not a file and cannot be a body."
    case .bodyChanged(let path): "\(path) changed while it was read. Try again when it is at rest."
    case .bodyDamaged(let document, let version, let detail):
      "The body of \(document) version \(version) is damaged: \(detail). Go back to another version, or run a check."
    case .noSuchDocument(let document): "There is no document \(document)."
    case .noSuchVersion(let document, let version):
      "\(document) has no version \(version), or it was purged."
    case .deleted(let document, let version):
      "\(document) was deleted by version \(version). An earlier version can be read, or a new one committed."
    case .tooManyDrafts(let limit):
      "There are \(limit) drafts, as many as are kept. Commit or discard some."
    case .flushDeadlinePassed(let change):
      "Change \(change) was not begun before the flush came to its deadline. Send it again after resuming."
    case .acknowledgedElsewhere(let consumer, let token):
      "Consumer \(consumer) has been acknowledged up to \(token) by another process. Read the history again."
    case .storage(let error): error.description
    }
  }
}
