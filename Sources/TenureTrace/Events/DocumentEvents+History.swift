// Events of the D laws: history and its consumers.

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
