import TenureSystem
import Testing

@Suite("Files by path")
struct FilesTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path.appendingPath("file") }

  init() throws { folder = try TemporaryFolder() }

  @Test("Every directory that is made is synced into the one above it, the upper ones first")
  func makeDirectories() throws {
    let steps = Monitor([String]())
    let root = folder.path
    let system = System(
      calls: InterceptedCalls(PlatformCalls()) { site in
        if site.call == .mkdir || site.call == .fsync {
          steps.change { $0.append("\(site.call) \((site.path ?? "").dropFirst(root.count))") }
        }
        return .proceed
      })
    try system.makeDirectories(root + "/a/b/c")
    #expect(
      steps.withLock { $0 } == ["mkdir /a", "fsync ", "mkdir /a/b", "fsync /a", "mkdir /a/b/c", "fsync /a/b"])
    #expect(try system.status(root + "/a/b/c")?.permissions == 0o700)
    steps.change { $0 = [] }
    try system.makeDirectories(root + "/a/b/c")
    #expect(steps.withLock { $0 } == [])
  }

  @Test("A directory that another process makes in the same moment is taken as made")
  func madeMeanwhile() throws {
    let path = path
    let system = System(
      calls: InterceptedCalls(PlatformCalls()) { site in
        if site.call == .mkdir { try? PlatformCalls().makeDirectory(path, permissions: 0o700) }
        return .proceed
      })
    try system.makeDirectories(path)
    #expect(try system.status(path)?.kind == .directory)
  }

  @Test("A file in the way of a directory is named")
  func fileInTheWay() throws {
    try System.live.open(path, [.write, .create]).sync()
    for tail in ["", "/a", "/a/b"] {
      #expect(throws: SystemError(.mkdir, .notDirectory, path: path)) {
        try System.live.makeDirectories(path + tail)
      }
    }
  }

  @Test("Contents are read whole, or refused above the limit", arguments: [0, 1, 4_096, 100_000])
  func contents(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    try System.live.open(path, [.write, .create]).writeAll(bytes, at: 0)
    #expect(try System.live.contents(of: path, limit: size) == bytes)
    if size > 0 {
      #expect(throws: SystemError(.read, .fileTooLarge, path: path)) {
        try System.live.contents(of: path, limit: size - 1)
      }
    }
  }

  @Test("A name that is gone is gone: removing it again is no error")
  func remove() throws {
    try System.live.open(path, [.write, .create]).sync()
    #expect(try System.live.remove(path))
    #expect(try !System.live.remove(path))
    #expect(try System.live.status(path) == nil)
    #expect(try System.live.status(path + "/below") == nil)
  }

  @Test("A status tells kind, size, links, permissions and identity")
  func status() throws {
    try System.live.open(path, [.write, .create], permissions: 0o600).writeAll([1, 2], at: 0)
    try System.live.link(path, to: path + ".2")
    let status = try #require(try System.live.status(path))
    #expect(status.kind == .file)
    #expect(status.size == 2)
    #expect(status.links == 2)
    #expect(status.permissions == 0o600)
    #expect(try System.live.status(path + ".2")?.inode == status.inode)
  }

  @Test("Opening modes do what they say")
  func modes() throws {
    #expect(throws: SystemError(.open, .noEntry, path: path)) { try System.live.open(path, .read) }
    try System.live.open(path, [.write, .create, .exclusive]).writeAll([1, 2, 3], at: 0)
    #expect(throws: SystemError(.open, .exists, path: path)) {
      try System.live.open(path, [.write, .create, .exclusive])
    }
    #expect(throws: SystemError(.open, .notDirectory, path: path)) {
      try System.live.open(path, [.read, .directory])
    }
    #expect(try System.live.open(path, [.write, .truncate]).status().size == 0)
  }

  @Test("Paths are taken apart and put together by their slashes")
  func paths() {
    #expect("/a/b/c".parentPath == "/a/b")
    #expect("/a".parentPath == "/")
    #expect("/".parentPath == "/")
    #expect("a".parentPath == ".")
    #expect("/a/b".lastPathPart == "b")
    #expect("b".lastPathPart == "b")
    #expect("/a".appendingPath("b") == "/a/b")
    #expect("/".appendingPath("b") == "/b")
  }
}
