import CSQLite
import TenureSystem
import TenureTrace

/// Disk space held back, so that a checkpoint and deletions can run when the disk is full.
extension Writer {
  private var reservePath: String { file.container.reservePath }

  /// Really allocates the reserve where it is missing or too small. Call under the commit lock.
  ///
  /// A disk that is too full for it is no reason not to open.
  func takeReserve() throws {
    if options.reserve <= 0 {
      // Nothing was given, so there is nothing to have back before ordinary writes are tried again.
      reserveIsGiven = false
      return
    }
    do throws(SystemError) {
      let system = file.container.system
      if let status = try system.status(reservePath), status.size >= options.reserve {
        reserveIsGiven = false
        return
      }
      let file = try system.open(reservePath, [.write, .create])
      do throws(SystemError) {
        try file.allocate(length: options.reserve)
        try file.sync()
        reserveIsGiven = false
      } catch {
        // What was half allocated would be taken for the whole.
        try? file.truncate(to: 0)
        throw error
      }
    } catch {
      if error.code != .noSpace && error.code != .quotaExceeded { throw StorageError(error) }
      reserveIsGiven = true
    }
  }

  /// Gives the reserve back to the disk and copies the log back while there is room. Call under the commit lock.
  func giveReserve() {
    if reserveIsGiven { return }
    reserveIsGiven = true
    trace.record(
      BoundReached(
        what: "disk", size: 0, bound: options.reserve, refused: true, inTheWay: "whatever fills the disk"))
    guard let reserve = try? file.container.system.open(reservePath, [.write]) else { return }
    try? reserve.truncate(to: 0)
    if let connection {
      checkpoint(connection, SQLITE_CHECKPOINT_RESTART, wait: options.restartWait.nanoseconds)
    }
  }

  /// Why a write is not even tried: the disk is full, and it does not make room.
  func refusal(of write: WaitingWrite) -> StorageError? {
    if !reserveIsGiven || write.freesSpace { return nil }
    // Room may have been made meanwhile; taking the reserve again is how to find out.
    do {
      try takeReserve()
    } catch {
      return error as? StorageError
    }
    return reserveIsGiven
      ? .full(path: file.path, detail: "the reserve is in use; only what frees space is written") : nil
  }
}
