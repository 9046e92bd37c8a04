import TenureSystem

/// Whether a container is still the folder that was opened (G8).
///
/// ```swift
/// let presence = try ContainerPresence(of: container)
/// if presence.isGone { … }   // somebody removed the folder, or put another in its place
/// ```
/// A process goes on reading and writing files that were removed under it, and nobody will ever see what it wrote.
/// What is compared is which files the names lead to: moved, removed and restored folders are all found.
public final class ContainerPresence: Sendable {
  private let container: GroupContainer
  private let known: [Known]

  private struct Known: Sendable {
    var path: String
    var status: FileStatus
    /// Held open, so that no other file gets its number.
    var file: OpenFile?
  }

  /// Remembers which files are there now.
  public init(of container: GroupContainer) throws(GroupError) {
    self.container = container
    var known: [Known] = []
    // For reading only: a writable descriptor of the lock that closes is taken for a writer's end (G5).
    for path in [container.bellPath, container.commitLockPath] {
      known.append(
        try onGroup(path) { () throws(SystemError) in
          let file = try container.system.open(path, .read)
          return Known(path: path, status: try file.status(), file: file)
        })
    }
    // Never opened beside SQLite, which would lose its locks; whoever uses it holds it open.
    let database = container.databasePath
    let status = try onGroup(database) { () throws(SystemError) in try container.system.status(database) }
    if let status { known.append(Known(path: database, status: status, file: nil)) }
    self.known = known
  }

  /// Whether one of the files is gone or another one. What cannot be looked at now is taken to be there.
  public var isGone: Bool {
    known.contains { known in
      do throws(SystemError) {
        return try container.system.status(known.path)?.isSameFile(as: known.status) != true
      } catch {
        return false
      }
    }
  }
}
