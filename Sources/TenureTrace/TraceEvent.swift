/// Something that happened, with the fields its kind requires.
///
/// Emitters and rules share these types, so a rule never guesses at a field. Values of documents and settings
/// have no field: only names, identifiers, versions, sizes and digests are recorded.
public protocol TraceEvent: Sendable, Hashable {
  /// The name in the file, such as `save.begun`. Never changes its meaning.
  static var kind: String { get }
  /// Reads the fields back.
  init(from fields: EventFields) throws(EventFields.Problem)
  /// Writes the fields.
  func write(to fields: inout FieldWriter)
}

/// A value with a name in the file, such as an outcome.
public protocol TraceValue: RawRepresentable, Sendable where RawValue == String {}

/// One recorded event: what, when and by whom.
public struct TraceRecord: Sendable {
  /// Nanoseconds of the machine's monotonic clock.
  public var monotonic: UInt64
  /// Nanoseconds since 1970.
  public var wall: Int64
  /// The process.
  public var process: ProcessIdentity
  /// The task, scene or thread inside the process; `nil` when it does not matter.
  public var task: String?
  /// What happened.
  public var event: any TraceEvent

  /// A record by its parts.
  public init(
    monotonic: UInt64, wall: Int64, process: ProcessIdentity, task: String? = nil, event: any TraceEvent
  ) {
    self.monotonic = monotonic
    self.wall = wall
    self.process = process
    self.task = task
    self.event = event
  }

  /// The name of the event's kind.
  public var kind: String { type(of: event).kind }
}
