import TenureSystem
import TenureTrace

/// A sign of life: as long as the process that took it lives, its file is locked, and not a moment longer (G2).
///
/// ```swift
/// let lease = try Lease.take(in: container)
/// try system.link(body, to: lease.directory.appendingPath("body"))   // stays readable whatever is swept
/// ```
/// Life is told by the lock, never by a process ID: sandboxes cannot look at other processes, and IDs repeat.
/// The private ``directory`` is cleared when the lease ends, by its holder or, after a kill, by anyone.
///
/// Growth (D13): a live process has one file, one directory and one descriptor for each lease; what killed ones
/// leave behind is cleared by the next ``take(in:name:)`` that finds more than ``tolerated`` leases.
public final class Lease: Sendable {
  /// The number of leases above which taking one clears away the dead ones first.
  public static let tolerated = 32

  /// The lease's name, unique among live leases of the container.
  public let name: String
  /// The locked file.
  public let path: String
  /// A directory of the holder's own, for hard links.
  public let directory: String

  private let container: GroupContainer
  private let file: Lock<OpenFile?>

  private init(_ container: GroupContainer, name: String, file: OpenFile) {
    self.container = container
    self.name = name
    self.path = container.leasePath(name)
    self.directory = container.leaseDirectory(name)
    self.file = Lock(file)
  }

  deinit { end() }

  /// Takes a lease, by default under a name that nobody else has.
  ///
  /// Throws ``GroupError/leaseHeld(name:holder:)`` while a live process holds that name. What an earlier, dead
  /// holder of the name left in the directory is cleared.
  public static func take(in container: GroupContainer, name: String? = nil) throws(GroupError) -> Lease {
    let system = container.system
    let names = try LeaseFile.names(in: container)
    if names.count > tolerated { _ = try reap(in: container) }
    let claim: LeaseFile.Claim = name == nil ? .fresh : .named
    let name = try name.map { name throws(GroupError) in try checked(name) } ?? LeaseFile.freshName()
    let note = HolderNote(container.trace.process)
    let lease = try onGroup(container.leasePath(name)) { () throws(SystemError) -> Lease? in
      guard let file = try LeaseFile.lock(name, in: container, claim) else { return nil }
      let lease = Lease(container, name: name, file: file)
      try system.removeContents(of: lease.directory)
      try system.makeDirectories(lease.directory)
      note.write(to: file)
      HeldLocks.add(
        HeldLock(path: lease.path, purpose: "lease", since: system.clock.monotonic), by: lease)
      container.trace.record(LeaseTaken(lease: name, holder: note.text))
      return lease
    }
    guard let lease else {
      throw .leaseHeld(name: name, holder: LeaseFile.holder(of: name, in: container))
    }
    return lease
  }

  /// Ends the lease and clears its directory. A second call does nothing.
  ///
  /// Whatever cannot be cleared now is left for ``reap(in:)``; the lock is given back in any case.
  public func end() {
    guard
      let file = file.withLock({ file in
        defer { file = nil }
        return file
      })
    else { return }
    HeldLocks.remove(by: self)
    try? LeaseFile.clear(name, in: container)
    // Last: the names are gone before the lock is.
    try? file.unlock()
  }

  private static func checked(_ name: String) throws(GroupError) -> String {
    let bytes = name.utf8
    guard (1...200).contains(bytes.count), bytes.first != UInt8(ascii: "."),
      bytes.allSatisfy({ $0 >= 32 && $0 != 127 && $0 != UInt8(ascii: "/") })
    else { throw .invalidName(name) }
    return name
  }
}

/// A lease as it is found in the container.
public struct LeaseStatus: Hashable, Sendable {
  /// Its name.
  public let name: String
  /// Who took it, as written by the holder.
  public let holder: String?
  /// Whether the process that took it lives.
  public let isHeld: Bool
}
