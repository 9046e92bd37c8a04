import CSQLite
import TenureTrace

/// Keeping the write-ahead log within its bounds (D13).
///
/// Checkpoints run under the commit lock only, so no commit runs beside one: SQLite up to 3.51.2 can lose
/// commits otherwise. Past the soft bound what can be copied back is, without waiting for anybody. Short reads
/// that overlap keep such a checkpoint from ever starting the log anew, so past twice the soft bound one waits
/// for them, for a bounded time. Past the hard bound nothing is committed before the log has started anew.
extension Writer {
  private var softPages: Int64 { max(1, options.logSoftBound / pageSize) }
  private var hardPages: Int64 { max(1, options.logHardBound / pageSize) }

  /// After a commit, under the lock. A checkpoint that fails takes nothing back from the commit.
  func afterCommit(_ outcome: inout GroupOutcome) {
    if outcome.finished.contains(where: { Self.isFull($0.1) }) { giveReserve() }
    guard let connection, outcome.committed > 0, doubt == nil else { return }
    let pages = connection.walPages
    if pages < pagesAtCheckpoint { pagesAtCheckpoint = 0 }
    if pages < softPages || pages - pagesAtCheckpoint < softPages { return }
    let waits = pages >= 2 * softPages
    checkpoint(
      connection, waits ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE,
      wait: options.restartWait.nanoseconds)
  }

  /// Whether the next commit need not make room.
  func hasRoom(_ connection: SQLiteConnection) -> Bool { connection.walPages < hardPages }

  /// Before a commit, under the lock: refuses when the log is at its bound and cannot start anew.
  func makeRoom(_ connection: SQLiteConnection) throws(StorageError) {
    if hasRoom(connection) { return }
    let pages = connection.walPages
    if checkpoint(connection, SQLITE_CHECKPOINT_RESTART, wait: options.refusalWait.nanoseconds) { return }
    if queue.isStopping { throw .interrupted }
    let inTheWay = readNotes.all()
    trace.record(
      BoundReached(
        what: "WAL", size: pages * pageSize, bound: options.logHardBound, refused: true,
        inTheWay: inTheWay.isEmpty ? nil : inTheWay.joined(separator: ", ")))
    throw .logFull(bytes: pages * pageSize, bound: options.logHardBound, inTheWay: inTheWay)
  }

  /// `true`: all pages are copied back, and the log starts anew (at the next commit, when passive).
  @discardableResult
  func checkpoint(_ connection: SQLiteConnection, _ mode: Int32, wait: UInt64) -> Bool {
    let before = connection.busyTimeout
    connection.busyTimeout = wait
    defer { connection.busyTimeout = before }
    var pages: Int32 = 0
    var copied: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(connection.handle, "main", mode, &pages, &copied)
    if code & 0xff == SQLITE_FULL { giveReserve() }
    let isWhole = code == SQLITE_OK && copied == pages
    let restarted = isWhole && mode != SQLITE_CHECKPOINT_PASSIVE
    pagesAtCheckpoint = Int64(max(pages, 0))
    if restarted {
      pagesAtCheckpoint = 0
      connection.logStartedAnew()
    }
    trace.record(
      CheckpointDone(pages: Int64(pages), left: Int64(pages - copied), restarted: restarted))
    return isWhole && restarted
  }

  static func isFull(_ error: (any Error)?) -> Bool {
    if case .full = error as? StorageError { true } else { false }
  }
}
