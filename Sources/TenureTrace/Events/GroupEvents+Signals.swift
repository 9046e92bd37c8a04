// Events of the G laws: telling other processes, and hearing of them.

/// What woke a process that waits for others' changes.
public enum SignalSource: String, TraceValue, Hashable {
  /// The bell file.
  case bell
  /// The lock file was closed: its holder gave it back or died before ringing.
  case lockClosed
  /// The slow poll.
  case poll
}

/// Other processes were told that something changed (G5).
public struct SignalRung: TraceEvent {
  public static let kind = "signal.rung"
  /// Its name.
  public var signal: String
  /// The sequence number it stands for.
  public var sequence: Int64

  /// An event by its fields.
  public init(signal: String, sequence: Int64) {
    self.signal = signal
    self.sequence = sequence
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    signal = try fields.value("signal")
    sequence = try fields.value("sequence")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("signal", signal)
    fields.write("sequence", sequence)
  }
}

/// A change of another process was noticed (G5).
public struct SignalSeen: TraceEvent {
  public static let kind = "signal.seen"
  /// Its name.
  public var signal: String
  /// The sequence number that was then read.
  public var sequence: Int64
  /// What woke the reader.
  public var by: SignalSource

  /// An event by its fields.
  public init(signal: String, sequence: Int64, by: SignalSource) {
    self.signal = signal
    self.sequence = sequence
    self.by = by
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    signal = try fields.value("signal")
    sequence = try fields.value("sequence")
    by = try fields.value("by")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("signal", signal)
    fields.write("sequence", sequence)
    fields.write("by", by)
  }
}

/// A process listens to a signal no longer; it has other work, or ends (G5).
public struct SignalWatchEnded: TraceEvent {
  public static let kind = "signal.watch-ended"
  /// Which.
  public var signal: String

  /// An event by its fields.
  public init(signal: String) { self.signal = signal }

  public init(from fields: EventFields) throws(EventFields.Problem) { signal = try fields.value("signal") }

  public func write(to fields: inout FieldWriter) { fields.write("signal", signal) }
}
