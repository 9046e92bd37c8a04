import CSQLite
import TenureTrace

/// Commits of which it is not known whether they happened, and the barrier that settles them.
enum Doubt {
  /// Whether a failed COMMIT has certainly left nothing behind.
  ///
  /// A log that could not be extended lacks its commit record; a lock that was not had or a broken rule comes
  /// before anything is written. A failed write or sync may have reached the disk or not.
  static func isDefinite(_ error: StorageError) -> Bool {
    switch error {
    case .busy, .constraint, .interrupted, .readOnly, .full: true
    default: false
    }
  }
}

extension Writer {
  /// Commits a barrier on a fresh connection when an earlier commit is in doubt. Call under the commit lock.
  ///
  /// The failed connection stays open meanwhile: while somebody has the log's index mapped, SQLite does not
  /// recover the log, reads the doubtful frames as absent, and the barrier is written over them. So they are
  /// really gone from the file when it succeeds, and every sync that follows is about frames that were written
  /// since, which a failed sync may have left unwritten.
  func settleDoubtUnderLock() throws {
    guard let reason = doubt else { return }
    do {
      let fresh = try file.connect(.write, stop: stop)
      try fresh.run("BEGIN IMMEDIATE")
      do {
        try fresh.writeBarrier()
        try fresh.run("COMMIT")
      } catch {
        fresh.rollBack()
        throw error
      }
      replaceConnection(with: fresh)
      doubt = nil
    } catch {
      throw StorageError.halted(reason: "\(reason); the barrier failed too: \(error)")
    }
  }
}

extension SQLiteConnection {
  /// The write that a barrier is made of: it makes the transaction write to the log, so that frames which a killed
  /// process left behind the log's end are overwritten and can no longer come to light.
  ///
  /// The value must differ: a row that gets the bytes it has dirties no page, and SQLite then commits nothing. So
  /// whatever is there is counted on from within 62 bits, where a number that something else wrote ends, too.
  package func writeBarrier() throws(StorageError) {
    try run("UPDATE tenure_state SET barrier = (barrier & 4611686018427387903) + 1")
  }
}
