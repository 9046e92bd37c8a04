// Events of the trace about itself.

/// Events could not be written and are gone; the line stands where recording went on (D13).
public struct TraceDropped: TraceEvent {
  public static let kind = "trace.dropped"
  /// How many, since the line before.
  public var count: Int64
  /// Why the last of them could not be written.
  public var reason: String

  /// An event by its fields.
  public init(count: Int64, reason: String) {
    self.count = count
    self.reason = reason
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    count = try fields.value("count")
    reason = try fields.value("reason")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("count", count)
    fields.write("reason", reason)
  }
}

/// Files of ended processes were removed to keep the traces within their bound (D13).
public struct TraceRemoved: TraceEvent {
  public static let kind = "trace.removed"
  /// Their names.
  public var files: [String]
  /// Bytes they held.
  public var bytes: Int64

  /// An event by its fields.
  public init(files: [String], bytes: Int64) {
    self.files = files
    self.bytes = bytes
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    files = try fields.value("files")
    bytes = try fields.value("bytes")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("files", files)
    fields.write("bytes", bytes)
  }
}
