// Events of the D laws: the bounded flush.

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
