// Events of the D laws: a save, from being asked for to its one true outcome.

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

  /// Whether it made a version that others see.
  public var madeVersion: Bool { outcome == .committed && purpose == .commit }

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
