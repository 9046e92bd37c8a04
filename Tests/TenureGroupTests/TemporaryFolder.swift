import TenureSystem

@testable import TenureGroup

/// A folder of a test's own, gone with this value.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = "/tmp/tenure-group-\(LeaseFile.freshName())"
    try System.live.makeDirectories(path)
  }

  deinit {
    try? System.live.removeContents(of: path)
    try? System.live.removeDirectory(path)
  }
}
