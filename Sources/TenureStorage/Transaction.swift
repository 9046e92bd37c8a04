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
  let bodies: BodyFiles

  /// The next number of the history: larger than every one handed out before in this container, without a gap
  /// when the transaction commits. A body that throws gives its numbers back.
  public func nextSequence() throws -> Int64 {
    sequences.last = try sequences.last.successor("the history's last number is", in: connection.path)
    return sequences.last
  }
}

extension Transaction {
  /// To be called by a transaction that writes the row of a body file made before it (D5).
  ///
  /// A body is safe from sweeps while its maker's lease is held. A process that was suspended in between gave
  /// its lease up, and another may have swept the body: then this throws, and the body is to be written again.
  public func claim(_ body: BodyFile) throws {
    let isSwept = try connection.integer("SELECT 1 FROM tenure_sweep WHERE name = ?", .text(body.name)) != nil
    let path = bodies.directory.appendingPath(body.name)
    if try isSwept || bodies.open(body.name) == nil {
      throw StorageError.bodySwept(path: path)
    }
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
