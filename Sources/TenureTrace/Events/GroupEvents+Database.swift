// Events of the G laws: the shared database.

/// A transaction was committed (D1, G6).
public struct DatabaseCommitted: TraceEvent {
  public static let kind = "database.committed"
  /// First sequence number in it; 0 when it has none.
  public var first: Int64
  /// Last sequence number in it.
  public var last: Int64
  /// Members of the group.
  public var edits: Int64
  /// The process that is written beside each change.
  public var writer: String
  /// The app version that is written beside each change.
  public var appVersion: String?

  /// An event by its fields.
  public init(first: Int64, last: Int64, edits: Int64, writer: String, appVersion: String? = nil) {
    self.first = first
    self.last = last
    self.edits = edits
    self.writer = writer
    self.appVersion = appVersion
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    first = try fields.value("first")
    last = try fields.value("last")
    edits = try fields.value("edits")
    writer = try fields.value("writer")
    appVersion = try fields.value("appVersion")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("first", first)
    fields.write("last", last)
    fields.write("edits", edits)
    fields.write("writer", writer)
    fields.write("appVersion", appVersion)
  }
}

/// The write-ahead log was copied back (D13).
public struct CheckpointDone: TraceEvent {
  public static let kind = "checkpoint.done"
  /// Pages in the log before.
  public var pages: Int64
  /// Pages not copied back.
  public var left: Int64
  /// Whether the log starts from its beginning again.
  public var restarted: Bool

  /// An event by its fields.
  public init(pages: Int64, left: Int64, restarted: Bool) {
    self.pages = pages
    self.left = left
    self.restarted = restarted
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    pages = try fields.value("pages")
    left = try fields.value("left")
    restarted = try fields.value("restarted")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("pages", pages)
    fields.write("left", left)
    fields.write("restarted", restarted)
  }
}
