import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A private folder that goes with its holder: removed at the end, and after a kill by whoever makes the next one.
///
/// Its holder keeps a file in it locked, so life is told by the lock, as with a ``Lease``. A folder of another user
/// is never looked into, and no link is followed: the place may be one that everybody writes to.
package final class TransientFolder: Sendable {
  /// The folder.
  package let path: String
  private let system: System
  private let held: Lock<OpenFile?>

  private static let lockName = "in-use"

  private init(path: String, system: System, lock: OpenFile) {
    self.path = path
    self.system = system
    held = Lock(lock)
  }

  deinit { end() }

  /// Where temporary files belong: `TMPDIR`, or `/tmp`.
  package static var place: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

  /// Makes a folder whose name begins with `prefix`, after removing those whose holders were killed.
  package static func make(
    in parent: String, prefix: String, system: System
  ) throws(SystemError) -> TransientFolder {
    while true {
      let path = try system.makePrivateDirectory(in: parent, prefix: prefix)
      do throws(SystemError) {
        // `nil`: somebody who clears up was between the two steps; the next name is as good.
        guard let lock = try lock(path, system) else { continue }
        let folder = TransientFolder(path: path, system: system, lock: lock)
        clear(parent, prefix, besides: folder)
        return folder
      } catch {
        _ = try? system.remove(path.appendingPath(lockName))
        try? system.removeDirectory(path)
        throw error
      }
    }
  }

  /// Removes the folder and all in it. A second call does nothing; what cannot be removed is left for the next
  /// ``make(in:prefix:system:)``.
  package func end() {
    guard let lock = letGo() else { return }
    Self.remove(path, system)
    withExtendedLifetime(lock) {}
  }

  /// Leaves it, with what is in it, for whoever wants to look: nobody clears it away.
  package func keep() {
    if letGo() != nil { _ = try? system.remove(path.appendingPath(Self.lockName)) }
  }

  private func letGo() -> OpenFile? {
    held.withLock { file in
      defer { file = nil }
      return file
    }
  }

  /// The lock in a folder that was just made.
  private static func lock(_ path: String, _ system: System) throws(SystemError) -> OpenFile? {
    let name = path.appendingPath(lockName)
    do throws(SystemError) {
      let file = try system.open(name, [.read, .write, .create, .noFollow])
      guard try file.tryLock(), let named = try system.status(name) else { return nil }
      return named.isSameFile(as: try file.status()) ? file : nil
    } catch {
      if error.code == .noEntry { return nil }
      throw error
    }
  }

  /// The lock's file goes last, so that a removal that was cut off is gone on with by the next.
  private static func remove(_ path: String, _ system: System) {
    do throws(SystemError) {
      for name in try system.list(path) where name != lockName {
        let inner = path.appendingPath(name)
        do throws(SystemError) {
          try system.remove(inner)
        } catch {
          if error.code != .isDirectory && error.code != .notPermitted { throw error }
          try system.removeContents(of: inner)
          try system.removeDirectory(inner)
        }
      }
      try system.remove(path.appendingPath(lockName))
      try system.removeDirectory(path)
    } catch {}
  }

  /// Folders of this user that nobody holds. What cannot be looked at is left alone.
  private static func clear(_ parent: String, _ prefix: String, besides folder: TransientFolder) {
    let system = folder.system
    guard let owner = try? system.status(folder.path)?.owner, let names = try? system.list(parent) else {
      return
    }
    for name in names where name.hasPrefix(prefix) {
      let path = parent.appendingPath(name)
      guard path != folder.path, let directory = try? system.open(path, [.read, .directory, .noFollow]),
        (try? directory.status().owner) == owner
      else { continue }
      guard let lock = try? system.open(path.appendingPath(lockName), [.read, .write, .noFollow]) else {
        // Empty, or nobody's; one that is being made at this moment takes another name.
        try? system.removeDirectory(path)
        continue
      }
      if (try? lock.tryLock()) == true { remove(path, system) }
    }
  }
}
