// Events of the G laws: a process begins, is suspended and goes on.

/// A process began to record; the first line of its file (G6).
public struct ProcessStarted: TraceEvent {
  public static let kind = "process.started"
  /// Version of the trace format.
  public var format: Int64
  /// The machine's boot, so that monotonic times of one boot are compared only with each other.
  public var boot: String
  /// The app's version.
  public var appVersion: String?
  /// The how-many-th file of this process, from 1. A trace that begins with a higher one has lost its beginning.
  public var segment: Int64?

  /// An event by its fields.
  public init(format: Int64, boot: String, appVersion: String? = nil, segment: Int64? = nil) {
    self.format = format
    self.boot = boot
    self.appVersion = appVersion
    self.segment = segment
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    format = try fields.value("format")
    boot = try fields.value("boot")
    appVersion = try fields.value("appVersion")
    segment = try fields.value("segment")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("format", format)
    fields.write("boot", boot)
    fields.write("appVersion", appVersion)
    fields.write("segment", segment)
  }
}

/// The system is about to suspend this process (G2).
public struct ProcessSuspending: TraceEvent {
  public static let kind = "process.suspending"

  /// An event by its fields.
  public init() {
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
  }

  public func write(to fields: inout FieldWriter) {
  }
}

/// The process runs again.
public struct ProcessResumed: TraceEvent {
  public static let kind = "process.resumed"

  /// An event by its fields.
  public init() {
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
  }

  public func write(to fields: inout FieldWriter) {
  }
}
