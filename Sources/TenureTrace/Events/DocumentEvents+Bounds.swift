// Events of the D laws: what grows, and what a newer version of the app has changed.

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
