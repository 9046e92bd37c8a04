// Events of the G laws: locks and leases, which end with their holder.

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
