import TenureSystem

/// A directory of one test's own, which goes when the test ends.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let clock = LiveClock()
    path = "/tmp/tenure-trace-\(clock.wall)-\(UInt64.random(in: 0 ... .max))"
    try System.live.makeDirectories(path)
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    for name in (try? System.live.list(path)) ?? [] {
      let entry = path.appendingPath(name)
      if (try? System.live.status(entry))??.kind == .directory {
        remove(entry)
      } else {
        _ = try? System.live.remove(entry)
      }
    }
    try? System.live.removeDirectory(path)
  }

  func file(_ name: String) -> String { path.appendingPath(name) }

  func write(_ text: String, to name: String) throws {
    let file = try System.live.open(file(name), [.write, .create, .truncate])
    var text = text
    try text.withUTF8 { try file.writeAll(UnsafeRawBufferPointer($0)) }
  }

  func text(_ name: String) throws -> String {
    String(decoding: try System.live.contents(of: file(name), limit: 1 << 26), as: UTF8.self)
  }

  func lines(_ name: String) throws -> [String] {
    try text(name).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
