// Events of the G laws: what processes that share a container do to each other.

/// How a shared file got new content.
public enum FileOperation: String, TraceValue, Hashable {
  case replace, update, append
}

/// What woke a process that waits for others' changes.
public enum SignalSource: String, TraceValue, Hashable {
  /// The bell file.
  case bell
  /// The lock file was closed: its holder gave it back or died before ringing.
  case lockClosed
  /// The slow poll.
  case poll
}

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

/// A lock between processes was asked for (G2).
public struct LockWanted: TraceEvent {
  public static let kind = "lock.wanted"
  /// Name of the lock file.
  public var lock: String
  /// What for.
  public var purpose: String

  /// An event by its fields.
  public init(lock: String, purpose: String) {
    self.lock = lock
    self.purpose = purpose
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    lock = try fields.value("lock")
    purpose = try fields.value("purpose")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("lock", lock)
    fields.write("purpose", purpose)
  }
}

/// The lock was acquired (G2).
public struct LockTaken: TraceEvent {
  public static let kind = "lock.taken"
  /// Name of the lock file.
  public var lock: String
  /// What for.
  public var purpose: String
  /// Nanoseconds since it was asked for.
  public var waited: UInt64

  /// An event by its fields.
  public init(lock: String, purpose: String, waited: UInt64) {
    self.lock = lock
    self.purpose = purpose
    self.waited = waited
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    lock = try fields.value("lock")
    purpose = try fields.value("purpose")
    waited = try fields.value("waited")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("lock", lock)
    fields.write("purpose", purpose)
    fields.write("waited", waited)
  }
}

/// The lock was given back (G2).
public struct LockReleased: TraceEvent {
  public static let kind = "lock.released"
  /// Name of the lock file.
  public var lock: String
  /// What for.
  public var purpose: String
  /// Nanoseconds since it was acquired.
  public var held: UInt64

  /// An event by its fields.
  public init(lock: String, purpose: String, held: UInt64) {
    self.lock = lock
    self.purpose = purpose
    self.held = held
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    lock = try fields.value("lock")
    purpose = try fields.value("purpose")
    held = try fields.value("held")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("lock", lock)
    fields.write("purpose", purpose)
    fields.write("held", held)
  }
}

/// The wait for a lock was given up (G2).
public struct LockAbandoned: TraceEvent {
  public static let kind = "lock.abandoned"
  /// Name of the lock file.
  public var lock: String
  /// What for.
  public var purpose: String
  /// Nanoseconds since it was asked for.
  public var waited: UInt64
  /// Who says to hold it.
  public var holder: String?

  /// An event by its fields.
  public init(lock: String, purpose: String, waited: UInt64, holder: String? = nil) {
    self.lock = lock
    self.purpose = purpose
    self.waited = waited
    self.holder = holder
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    lock = try fields.value("lock")
    purpose = try fields.value("purpose")
    waited = try fields.value("waited")
    holder = try fields.value("holder")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("lock", lock)
    fields.write("purpose", purpose)
    fields.write("waited", waited)
    fields.write("holder", holder)
  }
}

/// A lease was taken: its holder is alive as long as the lock is held (G2).
public struct LeaseTaken: TraceEvent {
  public static let kind = "lease.taken"
  /// Its name.
  public var lease: String
  /// Process and role.
  public var holder: String

  /// An event by its fields.
  public init(lease: String, holder: String) {
    self.lease = lease
    self.holder = holder
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    lease = try fields.value("lease")
    holder = try fields.value("holder")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("lease", lease)
    fields.write("holder", holder)
  }
}

/// The lease of a process that has ended was cleared away (G2).
public struct LeaseReaped: TraceEvent {
  public static let kind = "lease.reaped"
  /// Its name.
  public var lease: String
  /// Who had held it.
  public var holder: String?

  /// An event by its fields.
  public init(lease: String, holder: String? = nil) {
    self.lease = lease
    self.holder = holder
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    lease = try fields.value("lease")
    holder = try fields.value("holder")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("lease", lease)
    fields.write("holder", holder)
  }
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
