/// How a commit was answered. What cannot be known throws ``CommitInDoubt`` instead.
public enum CommitResult: Sendable, Hashable {
  /// The edit is this version now, and stays so through kills and power cuts (D1).
  case committed(Revision)
  /// The same edit was committed before; nothing was done again (D2). `current` may be later than `recorded`.
  case alreadyCommitted(recorded: Revision, current: Revision)
  /// The document is not at the version the edit was made on; nothing was written (D3). `nil`: the document
  /// does not exist.
  case conflict(current: Revision?)
}

/// How a batch was answered: all of it or none.
public enum BatchResult: Sendable, Hashable {
  /// Every edit is a version now, in the order of the edits.
  case committed([Revision])
  /// The same batch was committed before.
  case alreadyCommitted(recorded: [Revision], current: [Revision])
  /// These documents are not at the expected version; nothing of the batch was written. `nil`: the document
  /// does not exist.
  case conflict([DocumentID: Revision?])
}

/// What became of a change, asked for by its ID (D1, D11).
public enum ChangeOutcome: Sendable, Hashable {
  /// It is this version.
  case committed(Revision)
  /// It has had no effect and, unless it is sent again, never will.
  case notCommitted
}

/// Whether the change was committed cannot be known yet; ``DocumentStore/outcome(of:)`` settles it (D1).
///
/// Sending the same edit again is safe as well: it answers `alreadyCommitted` if it had happened.
public struct CommitInDoubt: Error, Sendable, Hashable, CustomStringConvertible {
  /// The change (the batch's first, for a batch).
  public let change: ChangeID
  /// The error that left it open.
  public let reason: String

  /// A doubt about `change`.
  public init(change: ChangeID, reason: String) {
    self.change = change
    self.reason = reason
  }

  /// What happened and what to do.
  public var description: String {
    "Whether change \(change) was committed is not known yet (\(reason)). Ask outcome(of:), or send the same edit again."
  }
}
