import TenureSystem
import TenureTrace

/// Telling a new container from one whose database is gone.
///
/// Both have no database. Everything looked at here is made only after the first commit of a database was
/// durable, so a creation that was cut short leaves none of it, and whatever is found says that documents were
/// here: making a new database beside it would hide the loss, and number its changes from 1 again.
extension DatabaseFile {
  /// Throws when there was a database here before. Call under the commit lock, and before SQLite opens the file:
  /// it removes the log of an empty one.
  ///
  /// A log counts only where SQLite has not read it: one that holds the beginning of a creation is no loss.
  func refuseIfLost(countingLog: Bool = true) throws(StorageError) {
    let found = try remains(countingLog: countingLog)
    if !found.isEmpty { throw .databaseLost(path: path, found: found) }
  }

  private func remains(countingLog: Bool) throws(StorageError) -> [String] {
    let system = container.system
    do throws(SystemError) {
      var found: [String] = []
      if countingLog, let log = try system.status(path + "-wal"), log.size > 0 {
        found.append("\(path.lastPathPart)-wal with \(log.size) bytes")
      }
      let bodies = try names(in: container.bodiesPath)
      if let first = bodies.first {
        found.append(bodies.count == 1 ? "the body \(first)" : "\(bodies.count) bodies")
      }
      if try system.status(container.reservePath) != nil {
        found.append("the disk space held back for it (\(container.reservePath.lastPathPart))")
      }
      for name in try names(in: container.tracesPath) where name.hasSuffix(TraceFormat.suffix) {
        if let line = try firstCommit(in: container.tracesPath.appendingPath(name)) {
          found.append("commits in the trace \(name) (from line \(line) on)")
          break
        }
      }
      return found
    } catch {
      throw StorageError(error)
    }
  }

  private func names(in directory: String) throws(SystemError) -> [String] {
    if try container.system.status(directory)?.kind != .directory { return [] }
    return try container.system.list(directory).sorted()
  }

  /// The line of the first commit that a trace tells of.
  private func firstCommit(in trace: String) throws(SystemError) -> Int? {
    if try container.system.status(trace)?.kind != .file { return nil }
    var reader = try TraceReader(path: trace, system: container.system)
    while let item = reader.next() {
      if case .entry(let entry) = item, entry.record.event is DatabaseCommitted { return entry.place.line }
    }
    return nil
  }
}
