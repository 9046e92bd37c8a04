import TenureGroup

/// Whose body files are: each file's name begins with the lease of the process that made it.
enum BodyMakers {
  static func alive(in container: GroupContainer) throws -> Set<String> {
    Set(try Lease.all(in: container).filter(\.isHeld).map(\.name))
  }

  /// Whether a live process made the file and may be about to commit it.
  static func isMade(_ name: String, byAnyOf leases: Set<String>) -> Bool {
    guard let separator = name.lastIndex(of: "~") else { return false }
    return leases.contains(String(name[..<separator]))
  }
}
