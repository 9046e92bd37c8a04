import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder for one run of something, which does not outlive it: removed at its end, and, when its process was
/// killed, by the next that makes one in the same place.
///
/// ```
/// tenure-lab-4711-123456/        owned by whoever holds the lock on
///   owner                        this file: free as soon as its process has ended
///   box/                         what is lent out
/// ```
public final class LabDirectory: Sendable {
  /// The folder that is lent out.
  public let path: String
  private let outer: String
  private let owner: OpenFile
  private let system: System

  private static let ownerName = "owner"
  private static let boxName = "box"

  /// Makes one, in the folder for temporary files unless another is named, after clearing away those of the same
  /// `prefix` whose owners have ended.
  public init(
    in parent: String? = nil, named prefix: String = "tenure-lab", system: System = .live
  ) throws(SystemError) {
    let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    Self.clear(parent, prefix, system)
    var number = system.clock.monotonic
    while true {
      // Not of the prefix until it has an owner.
      let new = parent.appendingPath(".\(prefix)-\(getpid())-\(number)")
      do {
        try system.calls.makeDirectory(new, permissions: 0o700)
      } catch {
        if error != .exists { throw SystemError(.mkdir, error, path: new) }
        number += 1
        continue
      }
      let owner = try system.open(new.appendingPath(Self.ownerName), [.read, .write, .create])
      _ = try owner.tryLock()
      try system.makeDirectories(new.appendingPath(Self.boxName))
      let outer = parent.appendingPath("\(prefix)-\(getpid())-\(number)")
      try system.rename(new, to: outer)
      self.system = system
      self.owner = owner
      self.outer = outer
      path = outer.appendingPath(Self.boxName)
      return
    }
  }

  /// Removes it with all that is in it. Who still works in it finds nothing under its name any more.
  public func remove() { Self.remove(outer, system) }

  /// Leaves it for whoever wants to look into it: nobody clears it away.
  public func keep() { _ = try? system.remove(outer.appendingPath(Self.ownerName)) }

  /// Clears away what processes left that have ended.
  private static func clear(_ parent: String, _ prefix: String, _ system: System) {
    for name in (try? system.list(parent)) ?? [] where name.hasPrefix(prefix + "-") {
      let outer = parent.appendingPath(name)
      // Never through a link, and never another user's.
      guard isOwnDirectory(outer) else { continue }
      let file = outer.appendingPath(ownerName)
      if let owner = try? system.open(file, [.read, .write]) {
        if (try? owner.tryLock()) == true { remove(outer, system) }
        withExtendedLifetime(owner) {}
      } else {
        // Left in the middle of a removal. One that was kept is not empty.
        try? system.removeDirectory(outer)
      }
    }
  }

  private static func isOwnDirectory(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
  }

  private static func remove(_ outer: String, _ system: System) {
    // The box goes to another name first, so that whoever is still at work makes no new files in it.
    let box = outer.appendingPath(boxName)
    let gone = outer.appendingPath("gone")
    let isMoved = (try? system.rename(box, to: gone)) != nil
    empty(isMoved ? gone : box, system)
    for name in (try? system.list(outer)) ?? [] where name != ownerName {
      empty(outer.appendingPath(name), system)
    }
    _ = try? system.remove(outer.appendingPath(ownerName))
    try? system.removeDirectory(outer)
  }

  /// Removes a file, or a folder with all that is in it.
  private static func empty(_ path: String, _ system: System) {
    if (try? system.remove(path)) != nil { return }
    for name in (try? system.list(path)) ?? [] { empty(path.appendingPath(name), system) }
    try? system.removeDirectory(path)
  }
}
