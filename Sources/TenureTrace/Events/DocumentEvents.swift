// Events of the D laws: what happened to documents, drafts and their history.

/// Why bytes are being saved.
public enum SavePurpose: String, TraceValue, Hashable {
  /// A draft of a scene, which nobody else sees.
  case checkpoint
  /// A new version of the document, for everybody.
  case commit
}

/// How a save ended.
public enum SaveOutcome: String, TraceValue, Hashable {
  case committed, alreadyCommitted, conflict, refused, retryable, inDoubt
}

/// How a draft stands to the document it was made from.
public enum DraftStandingName: String, TraceValue, Hashable {
  case current, movedOn, deleted, alreadyCommitted, inDoubt, damaged
}

/// A save was asked for; nothing is promised yet (D1, D3).
public struct SaveBegun: TraceEvent {
  public static let kind = "save.begun"
  /// The document's ID.
  public var document: String
  /// The version it will make: expected plus 1.
  public var version: Int64
  /// The change ID, in hexadecimal.
  public var change: String
  /// The version it expects to be current.
  public var base: Int64
  /// Checkpoint or commit.
  public var purpose: SavePurpose
  /// Size of the body.
  public var bytes: Int64
  /// The scene that asked.
  public var scene: String?

  /// An event by its fields.
  public init(
    document: String, version: Int64, change: String, base: Int64, purpose: SavePurpose, bytes: Int64,
    scene: String? = nil
  ) {
    self.document = document
    self.version = version
    self.change = change
    self.base = base
    self.purpose = purpose
    self.bytes = bytes
    self.scene = scene
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    version = try fields.value("version")
    change = try fields.value("change")
    base = try fields.value("base")
    purpose = try fields.value("purpose")
    bytes = try fields.value("bytes")
    scene = try fields.value("scene")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("version", version)
    fields.write("change", change)
    fields.write("base", base)
    fields.write("purpose", purpose)
    fields.write("bytes", bytes)
    fields.write("scene", scene)
  }
}

/// A save was answered (D1 to D4, D11).
public struct SaveEnded: TraceEvent {
  public static let kind = "save.ended"
  /// The document's ID.
  public var document: String
  /// The version it made, or the current one when it made none.
  public var version: Int64
  /// The change ID, in hexadecimal.
  public var change: String
  /// The version it expected to be current.
  public var base: Int64
  /// Checkpoint or commit.
  public var purpose: SavePurpose
  /// Size of the body.
  public var bytes: Int64
  /// What the caller was told.
  public var outcome: SaveOutcome
  /// Whether the temporary body file was read back and matched; nil when the body is inline.
  public var temporaryVerified: Bool?
  /// Place in the history, when it made a version.
  public var sequence: Int64?
  /// Leading digits of the body's digest.
  public var digest: String?
  /// The scene that asked.
  public var scene: String?

  /// An event by its fields.
  public init(
    document: String, version: Int64, change: String, base: Int64, purpose: SavePurpose, bytes: Int64,
    outcome: SaveOutcome, temporaryVerified: Bool? = nil, sequence: Int64? = nil, digest: String? = nil,
    scene: String? = nil
  ) {
    self.document = document
    self.version = version
    self.change = change
    self.base = base
    self.purpose = purpose
    self.bytes = bytes
    self.outcome = outcome
    self.temporaryVerified = temporaryVerified
    self.sequence = sequence
    self.digest = digest
    self.scene = scene
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    version = try fields.value("version")
    change = try fields.value("change")
    base = try fields.value("base")
    purpose = try fields.value("purpose")
    bytes = try fields.value("bytes")
    outcome = try fields.value("outcome")
    temporaryVerified = try fields.value("temporaryVerified")
    sequence = try fields.value("sequence")
    digest = try fields.value("digest")
    scene = try fields.value("scene")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("version", version)
    fields.write("change", change)
    fields.write("base", base)
    fields.write("purpose", purpose)
    fields.write("bytes", bytes)
    fields.write("outcome", outcome)
    fields.write("temporaryVerified", temporaryVerified)
    fields.write("sequence", sequence)
    fields.write("digest", digest)
    fields.write("scene", scene)
  }
}

/// An edit did not expect the current version; nothing was written (D3).
public struct SaveConflict: TraceEvent {
  public static let kind = "save.conflict"
  /// The document's ID.
  public var document: String
  /// The change ID, in hexadecimal.
  public var change: String
  /// The version the edit expected.
  public var expected: Int64
  /// The version it met.
  public var current: Int64
  /// The scene that asked.
  public var scene: String?

  /// An event by its fields.
  public init(document: String, change: String, expected: Int64, current: Int64, scene: String? = nil) {
    self.document = document
    self.change = change
    self.expected = expected
    self.current = current
    self.scene = scene
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    change = try fields.value("change")
    expected = try fields.value("expected")
    current = try fields.value("current")
    scene = try fields.value("scene")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("change", change)
    fields.write("expected", expected)
    fields.write("current", current)
    fields.write("scene", scene)
  }
}

/// Whether a save happened cannot be known yet (D1).
public struct SaveInDoubt: TraceEvent {
  public static let kind = "save.in-doubt"
  /// The document's ID.
  public var document: String
  /// The change ID, in hexadecimal.
  public var change: String
  /// The error that left it open.
  public var reason: String

  /// An event by its fields.
  public init(document: String, change: String, reason: String) {
    self.document = document
    self.change = change
    self.reason = reason
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    change = try fields.value("change")
    reason = try fields.value("reason")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("change", change)
    fields.write("reason", reason)
  }
}

/// A save in doubt was looked up by its change ID (D1, D11).
public struct InDoubtResolved: TraceEvent {
  public static let kind = "save.resolved"
  /// The change ID, in hexadecimal.
  public var change: String
  /// Whether it had happened.
  public var committed: Bool
  /// The version it made, if it had.
  public var version: Int64?

  /// An event by its fields.
  public init(change: String, committed: Bool, version: Int64? = nil) {
    self.change = change
    self.committed = committed
    self.version = version
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    change = try fields.value("change")
    committed = try fields.value("committed")
    version = try fields.value("version")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("change", change)
    fields.write("committed", committed)
    fields.write("version", version)
  }
}

/// The task that waited for a commit was cancelled; the commit still has one true outcome (D11).
public struct CancelRequested: TraceEvent {
  public static let kind = "save.cancel-requested"
  /// The document's ID.
  public var document: String
  /// The change ID, in hexadecimal.
  public var change: String

  /// An event by its fields.
  public init(document: String, change: String) {
    self.document = document
    self.change = change
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    change = try fields.value("change")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("change", change)
  }
}

/// A body was written to a file of its own, before its version exists (D5).
public struct BodyWritten: TraceEvent {
  public static let kind = "body.written"
  /// The document's ID.
  public var document: String
  /// The change ID, in hexadecimal.
  public var change: String
  /// The file's name in `bodies/`.
  public var file: String
  /// Size.
  public var bytes: Int64
  /// Read back and compared with its digest before the rename.
  public var verified: Bool

  /// An event by its fields.
  public init(document: String, change: String, file: String, bytes: Int64, verified: Bool) {
    self.document = document
    self.change = change
    self.file = file
    self.bytes = bytes
    self.verified = verified
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    change = try fields.value("change")
    file = try fields.value("file")
    bytes = try fields.value("bytes")
    verified = try fields.value("verified")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("change", change)
    fields.write("file", file)
    fields.write("bytes", bytes)
    fields.write("verified", verified)
  }
}

/// A version was read (D4, D5).
public struct DocumentRead: TraceEvent {
  public static let kind = "document.read"
  /// The document's ID.
  public var document: String
  /// The version.
  public var version: Int64
  /// Leading digits of the digest of the bytes that were returned.
  public var digest: String

  /// An event by its fields.
  public init(document: String, version: Int64, digest: String) {
    self.document = document
    self.version = version
    self.digest = digest
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    version = try fields.value("version")
    digest = try fields.value("digest")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("version", version)
    fields.write("digest", digest)
  }
}

/// An observer was told of a version (D4).
public struct DocumentObserved: TraceEvent {
  public static let kind = "document.observed"
  /// The document's ID.
  public var document: String
  /// The version.
  public var version: Int64
  /// Who was told.
  public var observer: String

  /// An event by its fields.
  public init(document: String, version: Int64, observer: String) {
    self.document = document
    self.version = version
    self.observer = observer
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    version = try fields.value("version")
    observer = try fields.value("observer")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("version", version)
    fields.write("observer", observer)
  }
}

/// A draft was offered again after an interruption (D6).
public struct DraftRecovered: TraceEvent {
  public static let kind = "draft.recovered"
  /// The document's ID.
  public var document: String
  /// The change ID, in hexadecimal.
  public var change: String
  /// The version the draft started from.
  public var base: Int64
  /// The version that is current now.
  public var current: Int64
  /// How the two relate.
  public var standing: DraftStandingName
  /// The scene it belongs to.
  public var scene: String

  /// An event by its fields.
  public init(
    document: String, change: String, base: Int64, current: Int64, standing: DraftStandingName, scene: String
  ) {
    self.document = document
    self.change = change
    self.base = base
    self.current = current
    self.standing = standing
    self.scene = scene
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    change = try fields.value("change")
    base = try fields.value("base")
    current = try fields.value("current")
    standing = try fields.value("standing")
    scene = try fields.value("scene")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("change", change)
    fields.write("base", base)
    fields.write("current", current)
    fields.write("standing", standing)
    fields.write("scene", scene)
  }
}

/// A draft was thrown away because its owner asked for it (D6).
public struct DraftDiscarded: TraceEvent {
  public static let kind = "draft.discarded"
  /// The document's ID.
  public var document: String
  /// The change ID, in hexadecimal.
  public var change: String
  /// The scene it belonged to.
  public var scene: String

  /// An event by its fields.
  public init(document: String, change: String, scene: String) {
    self.document = document
    self.change = change
    self.scene = scene
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    change = try fields.value("change")
    scene = try fields.value("scene")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("change", change)
    fields.write("scene", scene)
  }
}

/// A bounded flush began (D7).
public struct FlushBegun: TraceEvent {
  public static let kind = "flush.begun"
  /// Monotonic nanoseconds at which it must answer.
  public var deadline: UInt64
  /// Change IDs that are not durable yet.
  public var items: [String]

  /// An event by its fields.
  public init(deadline: UInt64, items: [String]) {
    self.deadline = deadline
    self.items = items
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    deadline = try fields.value("deadline")
    items = try fields.value("items")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("deadline", deadline)
    fields.write("items", items)
  }
}

/// A bounded flush answered (D7).
public struct FlushEnded: TraceEvent {
  public static let kind = "flush.ended"
  /// Monotonic nanoseconds at which it had to answer.
  public var deadline: UInt64
  /// Change IDs that are durable.
  public var saved: [String]
  /// Change IDs that are not saved.
  public var unsaved: [String]
  /// Change IDs whose outcome is not known.
  public var inDoubt: [String]

  /// An event by its fields.
  public init(deadline: UInt64, saved: [String], unsaved: [String], inDoubt: [String]) {
    self.deadline = deadline
    self.saved = saved
    self.unsaved = unsaved
    self.inDoubt = inDoubt
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    deadline = try fields.value("deadline")
    saved = try fields.value("saved")
    unsaved = try fields.value("unsaved")
    inDoubt = try fields.value("inDoubt")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("deadline", deadline)
    fields.write("saved", saved)
    fields.write("unsaved", unsaved)
    fields.write("inDoubt", inDoubt)
  }
}

/// Two versions were merged, or could not be (D8).
public struct MergeTried: TraceEvent {
  public static let kind = "merge.tried"
  /// The document's ID.
  public var document: String
  /// The registered rule, or nil when there is none for this kind.
  public var rule: String?
  /// The common base.
  public var base: Int64
  /// The change that was merged in.
  public var mine: String
  /// The version it met.
  public var theirs: Int64
  /// Whether a merged body came out.
  public var merged: Bool

  /// An event by its fields.
  public init(document: String, rule: String? = nil, base: Int64, mine: String, theirs: Int64, merged: Bool) {
    self.document = document
    self.rule = rule
    self.base = base
    self.mine = mine
    self.theirs = theirs
    self.merged = merged
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    rule = try fields.value("rule")
    base = try fields.value("base")
    mine = try fields.value("mine")
    theirs = try fields.value("theirs")
    merged = try fields.value("merged")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("rule", rule)
    fields.write("base", base)
    fields.write("mine", mine)
    fields.write("theirs", theirs)
    fields.write("merged", merged)
  }
}

/// A consumer read a stretch of history (D9).
public struct HistoryRead: TraceEvent {
  public static let kind = "history.read"
  /// Its name.
  public var consumer: String
  /// The token it came with.
  public var after: Int64
  /// The token it left with.
  public var through: Int64
  /// The sequence numbers it was given.
  public var changes: [Int64]
  /// It was told to start from a snapshot instead.
  public var snapshot: Bool

  /// An event by its fields.
  public init(consumer: String, after: Int64, through: Int64, changes: [Int64], snapshot: Bool) {
    self.consumer = consumer
    self.after = after
    self.through = through
    self.changes = changes
    self.snapshot = snapshot
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    consumer = try fields.value("consumer")
    after = try fields.value("after")
    through = try fields.value("through")
    changes = try fields.value("changes")
    snapshot = try fields.value("snapshot")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("consumer", consumer)
    fields.write("after", after)
    fields.write("through", through)
    fields.write("changes", changes)
    fields.write("snapshot", snapshot)
  }
}

/// History was cut off (D9, D13).
public struct HistoryPurged: TraceEvent {
  public static let kind = "history.purged"
  /// The last sequence number that went.
  public var through: Int64
  /// The consumer that kept the rest.
  public var slowest: String?

  /// An event by its fields.
  public init(through: Int64, slowest: String? = nil) {
    self.through = through
    self.slowest = slowest
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    through = try fields.value("through")
    slowest = try fields.value("slowest")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("through", through)
    fields.write("slowest", slowest)
  }
}

/// UI state of one scene was saved, apart from the document (D10).
public struct SceneStateSaved: TraceEvent {
  public static let kind = "scene.state-saved"
  /// The scene it belongs to.
  public var scene: String
  /// Size.
  public var bytes: Int64

  /// An event by its fields.
  public init(scene: String, bytes: Int64) {
    self.scene = scene
    self.bytes = bytes
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    scene = try fields.value("scene")
    bytes = try fields.value("bytes")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("scene", scene)
    fields.write("bytes", bytes)
  }
}

/// A transaction looked at the schema before it wrote (D12).
public struct SchemaFound: TraceEvent {
  public static let kind = "schema.found"
  /// Whose tables.
  public var component: String
  /// The version this process knows.
  public var expected: Int64
  /// The version in the file.
  public var found: Int64
  /// Whether the transaction went on to write.
  public var wrote: Bool

  /// An event by its fields.
  public init(component: String, expected: Int64, found: Int64, wrote: Bool) {
    self.component = component
    self.expected = expected
    self.found = found
    self.wrote = wrote
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    component = try fields.value("component")
    expected = try fields.value("expected")
    found = try fields.value("found")
    wrote = try fields.value("wrote")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("component", component)
    fields.write("expected", expected)
    fields.write("found", found)
    fields.write("wrote", wrote)
  }
}

/// Something that grows came to its bound (D13).
public struct BoundReached: TraceEvent {
  public static let kind = "bound.reached"
  /// WAL, history, bodies, drafts, trace.
  public var what: String
  /// Its size, in bytes or rows.
  public var size: Int64
  /// What it may be.
  public var bound: Int64
  /// Whether a request was refused for it.
  public var refused: Bool
  /// Who keeps it from shrinking.
  public var inTheWay: String?

  /// An event by its fields.
  public init(what: String, size: Int64, bound: Int64, refused: Bool, inTheWay: String? = nil) {
    self.what = what
    self.size = size
    self.bound = bound
    self.refused = refused
    self.inTheWay = inTheWay
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    what = try fields.value("what")
    size = try fields.value("size")
    bound = try fields.value("bound")
    refused = try fields.value("refused")
    inTheWay = try fields.value("inTheWay")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("what", what)
    fields.write("size", size)
    fields.write("bound", bound)
    fields.write("refused", refused)
    fields.write("inTheWay", inTheWay)
  }
}
