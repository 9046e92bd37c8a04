import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder for one run of the lab, made in the folder for temporary files.
public struct LabDirectory: Sendable {
  /// Its path.
  public let path: String
  private let system: System

  /// Makes one.
  public init(system: System = .live) throws(SystemError) {
    self.system = system
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var number = system.clock.monotonic
    while true {
      let path = parent.appendingPath("tenure-lab-\(getpid())-\(number)")
      do {
        try system.calls.makeDirectory(path, permissions: 0o700)
        self.path = path
        return
      } catch {
        if error != .exists { throw SystemError(.mkdir, error, path: path) }
        number += 1
      }
    }
  }

  /// Removes it with all that is in it.
  public func remove() { Self.remove(path, system) }

  private static func remove(_ path: String, _ system: System) {
    for name in (try? system.list(path)) ?? [] {
      let inside = path.appendingPath(name)
      if (try? system.remove(inside)) == nil { remove(inside, system) }
    }
    try? system.removeDirectory(path)
  }
}
