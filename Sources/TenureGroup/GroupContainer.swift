import TenureSystem
import TenureTrace

/// A folder that several processes share: where everything of a workspace is.
///
/// ```swift
/// let container = try GroupContainer.open(at: "/tmp/notes/.tenure", trace: trace)
/// ```
/// Opening makes what is missing and changes nothing that is there; any number of processes may do it at once.
/// When it returns, the folder and its parts will be there after a power cut.
public final class GroupContainer: Sendable {
  /// The folder, without a slash at its end.
  public let path: String
  /// The machine everything in the container is done with.
  public let system: System
  /// Where what happens to the container is recorded.
  public let trace: Trace

  private init(path: String, system: System, trace: Trace) {
    self.path = path
    self.system = system
    self.trace = trace
  }

  /// Opens the container at `path`, making what is missing of it and of the folders above it.
  public static func open(
    at path: String, system: System = .live, trace: Trace
  ) throws(GroupError) -> GroupContainer {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .invalidName(path) }
    let container = GroupContainer(path: path, system: system, trace: trace)
    try container.prepare()
    return container
  }

  /// The SQLite database.
  public var databasePath: String { path.appendingPath("tenure.sqlite") }
  /// The lock around every commit and checkpoint. Never removed: two files of that name would be two locks.
  public var commitLockPath: String { path.appendingPath("commit.lock") }
  /// The file that is written to when something was committed.
  public var bellPath: String { path.appendingPath("bell") }
  /// One file and one private directory for each live process.
  public var leasesPath: String { path.appendingPath("leases") }
  /// Bodies too large for the database.
  public var bodiesPath: String { path.appendingPath("bodies") }
  /// What came in and is not accepted yet.
  public var inboxPath: String { path.appendingPath("inbox") }
  /// One file of events for each process.
  public var tracesPath: String { path.appendingPath("traces") }
  /// Disk space that is given back when the disk is full.
  public var reservePath: String { path.appendingPath("reserve") }

  private func prepare() throws(GroupError) {
    try onGroup(path) { () throws(SystemError) in
      try system.makeDirectories(path)
      // Whoever made the folder may have died before syncing it, so every opener does.
      do throws(SystemError) {
        try system.syncDirectory(path.parentPath)
      } catch {
        // A sandbox may hide the folder above; then it was not made by one of us either.
        if error.code != .accessDenied && error.code != .notPermitted { throw error }
      }
    }
    for directory in [leasesPath, bodiesPath, inboxPath, tracesPath] {
      try onGroup(directory) { () throws(SystemError) in try system.makeDirectories(directory) }
    }
    // The lock file is opened for reading only: a writable descriptor that closes is taken for a writer's end (G5).
    let modes: [(String, OpenMode)] = [
      (commitLockPath, [.read, .create]), (bellPath, [.read, .write, .create]),
    ]
    for (file, mode) in modes {
      _ = try onGroup(file) { () throws(SystemError) in try system.open(file, mode) }
    }
    try onGroup(path) { () throws(SystemError) in try system.syncDirectory(path) }
  }
}
