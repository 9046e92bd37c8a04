import Tenure

/// One thing a client asked of a store and what it was told: the raw material of ``HistoryChecker``.
///
/// `begun` is noted before the request is made and `ended` after its answer is known, both by the machine's
/// monotonic clock, which is the same for all processes of one boot. Without an answer the client died, or was
/// killed, in between: the request is pending, and may take effect at any later time or never.
public struct OperationRecord: Sendable, Hashable {
  /// Who asked. The same across restarts.
  public var client: String
  /// Counts the client's requests; no two have the same.
  public var number: Int
  /// When it was asked, at the earliest.
  public var begun: UInt64
  /// When it was answered, at the latest; `nil` when it never was.
  public var ended: UInt64?
  /// What was asked.
  public var request: OperationRequest
  /// What was told; `nil` when nothing was.
  public var answer: OperationAnswer?

  /// A record by its parts.
  public init(
    client: String, number: Int, begun: UInt64, ended: UInt64? = nil, request: OperationRequest,
    answer: OperationAnswer? = nil
  ) {
    self.client = client
    self.number = number
    self.begun = begun
    self.ended = ended
    self.request = request
    self.answer = answer
  }
}

/// What a client can ask.
public enum OperationRequest: Sendable, Hashable {
  /// An edit. `digest` names the body's bytes; empty for a tombstone.
  case commit(DocumentID, change: ChangeID, expected: Int64, digest: String)
  /// The current version with its body.
  case read(DocumentID)
  /// A kept version with its body.
  case readVersion(DocumentID, version: Int64)
  /// One notification of a subscription; asked and told at the moment it came. `observer` is one subscription.
  case observe(DocumentID, observer: String)
  /// Changes after a place, for a durable consumer.
  case history(consumer: String, after: Int64)
  /// A durable consumer has dealt with everything up to a place.
  case acknowledge(consumer: String, through: Int64)
  /// Old versions may go, but for so many of each document.
  case purge(keeping: Int64)
  /// A draft, to be durable.
  case checkpoint(scene: String, DocumentID, change: ChangeID, base: Int64, digest: String)
  /// A draft is no longer wanted.
  case discard(scene: String, DocumentID)
  /// Every draft of this client's scenes.
  case recover
  /// Make durable what can be until a deadline.
  case flush
  /// Adds one to the number in a shared file.
  case count(file: String)
  /// Appends a token of its own to a shared file.
  case append(file: String, token: String)
  /// Whether a lock can be had, asked when everyone who ever held it has ended.
  case probe(lock: String)
}

/// What a client can be told.
public enum OperationAnswer: Sendable, Hashable {
  /// The edit is this version.
  case committed(version: Int64)
  /// The edit was this version before; that one is current now.
  case alreadyCommitted(version: Int64, current: Int64)
  /// Nothing was written; this version is current (0: none ever was).
  case conflict(current: Int64)
  /// It cannot be known.
  case inDoubt
  /// It was not done, and will not be.
  case refused(String)
  /// This version (0: none), said to have one digest, came with bytes of another or the same.
  case body(version: Int64, claimed: String, found: String)
  /// There is no such version any more.
  case gone
  /// The answer could not be made because what is stored is damaged.
  case damaged(String)
  /// This version is there.
  case observed(version: Int64)
  /// Every change up to a place.
  case changes([HistoryItem], through: Int64)
  /// Changes were purged: start from a snapshot as of this place.
  case snapshot(through: Int64)
  /// It is durable.
  case done
  /// It was taken, and will be durable some time, or never.
  case taken
  /// The drafts there are.
  case drafts([RecoveredItem])
  /// What a flush could save, could not, and does not know.
  case flushed(FlushReport)
  /// The number in the file is this now.
  case counted(Int64)
  /// The lock could be had, or not.
  case lock(isFree: Bool)
}

/// One change as a consumer of history saw it.
public struct HistoryItem: Sendable, Hashable {
  /// Its place.
  public var sequence: Int64
  /// The document.
  public var document: DocumentID
  /// The version.
  public var version: Int64

  /// An item by its parts.
  public init(sequence: Int64, document: DocumentID, version: Int64) {
    self.sequence = sequence
    self.document = document
    self.version = version
  }
}

/// One draft as it was offered again.
public struct RecoveredItem: Sendable, Hashable {
  /// How it was said to stand to its document.
  public enum Standing: String, Sendable, Hashable {
    case current, movedOn, deleted, alreadyCommitted, inDoubt, damaged
  }

  /// The scene.
  public var scene: String
  /// The document.
  public var document: DocumentID
  /// The change its commit will have.
  public var change: ChangeID
  /// The version it was started from.
  public var base: Int64
  /// Names its bytes.
  public var digest: String
  /// How it stands to the document.
  public var standing: Standing

  /// An item by its parts.
  public init(
    scene: String, document: DocumentID, change: ChangeID, base: Int64, digest: String, standing: Standing
  ) {
    self.scene = scene
    self.document = document
    self.change = change
    self.base = base
    self.digest = digest
    self.standing = standing
  }
}
