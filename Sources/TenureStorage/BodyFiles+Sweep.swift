import TenureGroup
import TenureSystem

/// Removing body files that nothing names, safely beside commits that come back from the dead.
///
/// A process killed between its sync and the step that shows its commit to others leaves a *ghost*: read as
/// absent by those alive, as present by the next one to open the file when all are gone, and gone for good once
/// anyone commits. So "no row names it" is no reason to remove a file before that very observation is committed:
///
/// ```
/// one transaction: list bodies ─ ask which are named ─ write a sweep row for each that is not ─ COMMIT
///   ─ only now unlink ─ another transaction: remove the sweep rows
/// ```
/// A sweeper killed between the two leaves the rows, and the next sweep goes on with them. Names are never used
/// again, so a sweep row is right for ever. Bodies of a live maker (its lease is held) are not looked at: it may
/// be about to commit their rows.
extension GroupDatabase {
  /// What a sweep did.
  public struct SweepReport: Sendable, Hashable {
    /// Names of the body files that were removed.
    public var removed: [String]
    /// Body files whose maker lives, or that could not be removed now.
    public var kept: Int
  }

  /// Removes body files that nothing names any more and whose maker has ended, and those given to
  /// ``Transaction/sweep(_:)``.
  ///
  /// `isNamed` answers which of the given names some row holds; it runs inside the transaction.
  @discardableResult
  public func sweep(
    isNamed: @escaping @Sendable (SQLiteConnection, [String]) throws -> Set<String>
  ) async throws -> SweepReport {
    let bodies = bodies
    let found = try await bodies.onWorker { try bodies.sweepable() }
    let doomed = try await write("sweep", freesSpace: true) { transaction -> [String] in
      let named = try isNamed(transaction.connection, found.candidates)
      for name in found.candidates where !named.contains(name) { try transaction.sweep(name) }
      return try transaction.connection.query("SELECT name FROM tenure_sweep") { $0.text(0) }
    }
    let removed = try await bodies.onWorker { try bodies.remove(doomed) }
    if !removed.isEmpty {
      try await write("swept", freesSpace: true) { transaction in
        for name in removed {
          try transaction.connection.run("DELETE FROM tenure_sweep WHERE name = ?", .text(name))
        }
      }
    }
    return SweepReport(removed: removed, kept: found.kept + doomed.count - removed.count)
  }
}

extension Transaction {
  /// Dooms a body file whose last row this transaction removes; it is unlinked by a sweep after the commit.
  public func sweep(_ name: String) throws {
    try connection.run("INSERT OR IGNORE INTO tenure_sweep(name) VALUES (?)", .text(name))
  }
}

extension BodyFiles {
  struct Sweepable: Sendable {
    var candidates: [String] = []
    var kept = 0
  }

  func onWorker<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await worker.run(body)
  }

  /// Bodies and temporary files whose maker has ended. A file without a maker in its name is nobody's business.
  func sweepable() throws(StorageError) -> Sweepable {
    var result = Sweepable()
    let names: [String]
    let alive: Set<String>
    do {
      // In this order: a maker that begins after the look at the leases has no file in the list yet.
      names = try container.system.list(directory)
    } catch {
      throw StorageError(error)
    }
    do {
      alive = Set(try Lease.all(in: container).filter(\.isHeld).map(\.name))
    } catch {
      throw StorageError(error)
    }
    for name in names {
      guard let end = name.lastIndex(of: Self.separator) else { continue }
      if alive.contains(String(name[..<end])) { result.kept += 1 } else { result.candidates.append(name) }
    }
    return result
  }

  /// Unlinks, and makes the folder durable before the sweep rows may go.
  func remove(_ names: [String]) throws -> [String] {
    var removed: [String] = []
    for name in names {
      // One that cannot be removed now keeps its row, and the next sweep tries again.
      if (try? container.system.remove(directory.appendingPath(name))) != nil { removed.append(name) }
    }
    if !removed.isEmpty { try container.system.syncDirectory(directory) }
    return removed
  }
}
