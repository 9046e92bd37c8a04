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

  /// Names a container that must be there already, for those who only look: nothing is made or opened.
  public static func existing(
    at path: String, system: System = .live, trace: Trace
  ) throws(GroupError) -> GroupContainer {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .invalidName(path) }
    let container = GroupContainer(path: path, system: system, trace: trace)
    guard try container.kind(of: path) != nil else { throw .missing(path: path) }
    try container.checkParts()
    return container
  }

  /// Whether this process may write what a workspace in the container writes; `false` on a read-only volume, and
  /// for what belongs to somebody else.
  public var isWritable: Bool {
    get throws(GroupError) {
      for part in [path, databasePath, bellPath] {
        let mayWrite = try onGroup(part) { () throws(SystemError) in
          if try system.status(part) == nil { return true }
          return try system.mayWrite(part)
        }
        if !mayWrite { return false }
      }
      return true
    }
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

  private var directories: [String] { [leasesPath, bodiesPath, inboxPath, tracesPath] }

  private func kind(of part: String) throws(GroupError) -> FileStatus.Kind? {
    try onGroup(part) { () throws(SystemError) in try system.status(part)?.kind }
  }

  /// Throws when something else has the name of the container or of one of its parts. Opening a pipe in a file's
  /// place would wait for somebody who writes into it.
  private func checkParts() throws(GroupError) {
    for directory in [path] + directories {
      if let kind = try kind(of: directory), kind != .directory { throw .notADirectory(path: directory) }
    }
    for file in [commitLockPath, bellPath] {
      if let kind = try kind(of: file), kind != .file { throw .notAFile(path: file) }
    }
  }

  private func prepare() throws(GroupError) {
    try checkParts()
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
    for directory in directories {
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
