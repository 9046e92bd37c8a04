import TenureSystem
import TenureTrace

extension Lease {
  /// All leases of the container, by name. Looking does not change who holds what.
  public static func all(in container: GroupContainer) throws(GroupError) -> [LeaseStatus] {
    var found: [LeaseStatus] = []
    for name in try LeaseFile.names(in: container) {
      let status = try onGroup(container.leasePath(name)) { () throws(SystemError) -> LeaseStatus? in
        let file: OpenFile
        do throws(SystemError) {
          file = try container.system.open(container.leasePath(name), .read)
        } catch {
          if error.code == .noEntry { return nil }
          throw error
        }
        // A shared lock asks without claiming: two who look at once do not take each other for the holder.
        let isFree = try file.tryLock(exclusive: false)
        defer { try? file.unlock() }
        return LeaseStatus(name: name, holder: HolderNote.read(from: file), isHeld: !isFree)
      }
      if let status { found.append(status) }
    }
    return found
  }

  /// Clears away the leases of processes that have ended, with their directories, and answers their names.
  ///
  /// Any process may do it at any time, also several at once: each lease is cleared under its own lock.
  @discardableResult
  public static func reap(in container: GroupContainer) throws(GroupError) -> [String] {
    var reaped: [String] = []
    for name in try LeaseFile.names(in: container) {
      let holder = try onGroup(container.leasePath(name)) { () throws(SystemError) -> String?? in
        guard let file = try LeaseFile.lock(name, in: container, .dead) else { return nil }
        defer { try? file.unlock() }
        let holder = HolderNote.read(from: file)
        try LeaseFile.clear(name, in: container)
        return .some(holder)
      }
      guard let holder else { continue }
      container.trace.record(LeaseReaped(lease: name, holder: holder))
      reaped.append(name)
    }
    return reaped
  }
}
