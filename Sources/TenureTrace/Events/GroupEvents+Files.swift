// Events of the G laws: shared files.

/// How a shared file got new content.
public enum FileOperation: String, TraceValue, Hashable {
  case replace, update, append
}

/// A shared file was replaced (G3).
public struct FileReplaced: TraceEvent {
  public static let kind = "file.replaced"
  /// Its name.
  public var file: String
  /// How.
  public var operation: FileOperation
  /// Size of the new content.
  public var bytes: Int64
  /// The temporary file was read back and matched.
  public var verified: Bool
  /// File and directory were synced.
  public var synced: Bool
  /// Reading and writing were one step under a lock.
  public var locked: Bool

  /// An event by its fields.
  public init(
    file: String, operation: FileOperation, bytes: Int64, verified: Bool, synced: Bool, locked: Bool
  ) {
    self.file = file
    self.operation = operation
    self.bytes = bytes
    self.verified = verified
    self.synced = synced
    self.locked = locked
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    file = try fields.value("file")
    operation = try fields.value("operation")
    bytes = try fields.value("bytes")
    verified = try fields.value("verified")
    synced = try fields.value("synced")
    locked = try fields.value("locked")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("file", file)
    fields.write("operation", operation)
    fields.write("bytes", bytes)
    fields.write("verified", verified)
    fields.write("synced", synced)
    fields.write("locked", locked)
  }
}

/// A shared file was written in place, where a reader can see it half-done (G3).
public struct FileWritten: TraceEvent {
  public static let kind = "file.written"
  /// Its name.
  public var file: String
  /// Size written.
  public var bytes: Int64

  /// An event by its fields.
  public init(file: String, bytes: Int64) {
    self.file = file
    self.bytes = bytes
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    file = try fields.value("file")
    bytes = try fields.value("bytes")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("file", file)
    fields.write("bytes", bytes)
  }
}
