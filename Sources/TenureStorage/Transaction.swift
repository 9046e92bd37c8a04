import TenureTrace

/// An open transaction under the commit lock, lent to the body of a write.
public struct Transaction {
  /// The connection the transaction is open on.
  public let connection: SQLiteConnection
  /// Who writes; stands beside each change (G6).
  public let process: ProcessIdentity
  /// Nanoseconds since 1970 when the body began to run.
  public let wall: Int64
  let sequences: SequenceCounter

  /// The next number of the history: larger than every one handed out before in this container, without a gap
  /// when the transaction commits. A body that throws gives its numbers back.
  public func nextSequence() throws -> Int64 {
    sequences.last += 1
    return sequences.last
  }
}

/// Something that takes part in another module's transaction, such as an operation that an edit brings along.
public protocol CommitParticipant: Sendable {
  /// Writes its rows. Runs as part of the transaction's body: what it throws undoes the whole body.
  func join(_ transaction: Transaction) throws
}

/// The history's last number inside one transaction. Used on the writer's thread only.
final class SequenceCounter {
  var last: Int64 = 0
  var stored: Int64 = 0
}
