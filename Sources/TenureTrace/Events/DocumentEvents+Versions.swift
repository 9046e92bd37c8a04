// Events of the D laws: what is written, read, observed and merged.

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
