import TenureSystem

/// A folder of a test's own, gone with this value.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var generator = SystemRandomNumberGenerator()
    path = "/tmp/tenure-system-" + withUnsafeBytes(of: generator.next()) { $0.hexadecimal }
    try System.live.makeDirectories(path)
  }

  deinit { Self.clear(path) }

  private static func clear(_ path: String) {
    for name in (try? System.live.list(path)) ?? [] {
      let inner = path.appendingPath(name)
      if (try? System.live.remove(inner)) == nil { clear(inner) }
    }
    try? System.live.removeDirectory(path)
  }
}
