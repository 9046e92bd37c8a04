import TenureSystem

/// The file of a lease: how it is locked, and how it goes, so that no two processes ever hold one name.
///
/// Opening and locking are two steps, and the file may be unlinked between them. So whoever has locked a file
/// looks whether the name still leads to it; and only who holds the lock takes the name away.
enum LeaseFile {
  static let ending = ".lease"

  static func names(in container: GroupContainer) throws(GroupError) -> [String] {
    try onGroup(container.leasesPath) { () throws(SystemError) in
      try container.system.list(container.leasesPath)
        .filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
    }
  }

  static func freshName() -> String {
    var generator = SystemRandomNumberGenerator()
    return withUnsafeBytes(of: (generator.next(), generator.next())) { $0.hexadecimal }
  }

  /// What a lock on a lease file is taken for.
  enum Claim {
    /// A name nobody else has: at most someone is just looking at it.
    case fresh
    /// A name that a live process may hold.
    case named
    /// A lease whose holder may have ended.
    case dead
  }

  /// The locked file; `nil` when a live process holds it, or when a dead one's is already gone.
  static func lock(_ name: String, in container: GroupContainer, _ claim: Claim) throws(SystemError)
    -> OpenFile?
  {
    let path = container.leasePath(name)
    let mode: OpenMode = claim == .dead ? [.read, .write] : [.read, .write, .create]
    while true {
      let file: OpenFile
      do throws(SystemError) {
        file = try container.system.open(path, mode)
      } catch {
        if claim == .dead, error.code == .noEntry { return nil }
        throw error
      }
      if claim == .fresh {
        try file.lock()
      } else {
        guard try lockUnlessHeld(file) else { return nil }
      }
      let own = try file.status()
      if try container.system.status(path)?.isSameFile(as: own) == true { return file }
      if claim == .dead { return nil }
    }
  }

  /// Holders lock exclusively; those who only look take a shared lock for a moment and are waited out.
  private static func lockUnlessHeld(_ file: OpenFile) throws(SystemError) -> Bool {
    while try !file.tryLock() {
      guard try file.tryLock(exclusive: false) else { return false }
      try file.unlock()
    }
    return true
  }

  /// Takes directory and name away. Only for who holds the lock.
  static func clear(_ name: String, in container: GroupContainer) throws(SystemError) {
    let directory = container.leaseDirectory(name)
    try container.system.removeContents(of: directory)
    do throws(SystemError) {
      try container.system.removeDirectory(directory)
    } catch {
      if error.code != .noEntry { throw error }
    }
    try container.system.remove(container.leasePath(name))
  }

  static func holder(of name: String, in container: GroupContainer) -> String? {
    guard let file = try? container.system.open(container.leasePath(name), .read) else { return nil }
    return HolderNote.read(from: file)
  }
}

extension GroupContainer {
  func leasePath(_ name: String) -> String { leasesPath.appendingPath(name + LeaseFile.ending) }
  package func leaseDirectory(_ name: String) -> String { leasesPath.appendingPath(name + ".links") }
}

extension System {
  /// Removes everything inside a directory, following no link; a directory that is not there is empty.
  package func removeContents(of directory: String) throws(SystemError) {
    let names: [String]
    do throws(SystemError) {
      names = try list(directory)
    } catch {
      if error.code == .noEntry { return }
      throw error
    }
    for name in names {
      let path = directory.appendingPath(name)
      do throws(SystemError) {
        try remove(path)
      } catch {
        // Unlinking a directory answers EISDIR on Linux and EPERM elsewhere.
        if error.code != .isDirectory && error.code != .notPermitted { throw error }
        try removeContents(of: path)
        try removeDirectory(path)
      }
    }
  }
}
