import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureGroup

@Suite("GroupContainer")
struct GroupContainerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func error(_ path: String, _ system: System = .live) -> GroupError? {
    do throws(GroupError) {
      _ = try GroupContainer.open(at: path, system: system, trace: .off)
      return nil
    } catch {
      return error
    }
  }

  @Test("Opening makes what is missing, and changes nothing that is there")
  func opening() throws {
    let path = folder.path.appendingPath("a/b/box")
    let container = try GroupContainer.open(at: path + "//", trace: .off)
    #expect(container.path == path)
    #expect(try System.live.list(path) == ["bell", "bodies", "commit.lock", "inbox", "leases", "traces"])
    let body = container.bodiesPath.appendingPath("one")
    try System.live.open(body, [.write, .create]).writeAll([1, 2, 3], at: 0)
    GroupSignal(container: container).ring(sequence: 5)
    _ = try GroupContainer.open(at: path, trace: .off)
    #expect(try System.live.contents(of: body, limit: 10) == [1, 2, 3])
    #expect(try System.live.contents(of: container.bellPath, limit: 100).count == BellMark.length)
  }

  @Test("Many open one container at once and all find it whole")
  func atOnce() async throws {
    let path = folder.path.appendingPath("deep/box")
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await SystemThread.run(name: "open") {
            let container = try GroupContainer.open(at: path, trace: .off)
            return try System.live.list(container.path).count
          }
        }
      }
      for try await count in group { #expect(count == 6) }
    }
  }

  @Test("D1: every folder is synced into the one above it before opening returns, also when another made it")
  func synced() throws {
    let path = folder.path.appendingPath("a/box")
    let synced = Lock([String]())
    let system = intercepting { site in
      if site.call == .fsync, let path = site.path { synced.withLock { $0.append(path) } }
      return .proceed
    }
    _ = try GroupContainer.open(at: path, system: system, trace: .off)
    #expect(synced.withLock { Set($0) } == [folder.path, path.parentPath, path])
    #expect(synced.withLock { $0.last } == path)
    synced.withLock { $0 = [] }
    _ = try GroupContainer.open(at: path, system: system, trace: .off)
    #expect(synced.withLock { $0 } == [path.parentPath, path])
  }

  @Test("What is in the way is named")
  func badPaths() throws {
    let file = folder.path.appendingPath("file")
    try System.live.open(file, [.write, .create]).sync()
    #expect(error(file) == .notADirectory(path: file))
    #expect(error(file + "/box") == .notADirectory(path: file))
    #expect(error("") == .invalidName(""))
    #expect(error("/tmp/a\0b") == .invalidName("/tmp/a\0b"))
    let box = folder.path.appendingPath("box")
    #expect(
      error(box, intercepting { $0.call == .mkdir ? .fail(.readOnlyFileSystem) : .proceed })
        == .readOnly(path: box))
    #expect(
      error(box, intercepting { $0.call == .stat ? .fail(.notPermitted) : .proceed })
        == .unreadableNow(path: box))
  }

  @Test(
    "A part that something else has the name of is refused before anything is made",
    arguments: ["leases", "bodies", "inbox", "traces", "commit.lock", "bell"])
  func partInTheWay(part: String) throws {
    let path = folder.path.appendingPath("box")
    try System.live.makeDirectories(path)
    let inTheWay = path.appendingPath(part)
    let expected: GroupError
    if part == "bell" || part == "commit.lock" {
      try System.live.makeDirectories(inTheWay)
      expected = .notAFile(path: inTheWay)
    } else {
      _ = try System.live.open(inTheWay, [.write, .create])
      expected = .notADirectory(path: inTheWay)
    }
    #expect(error(path) == expected)
    #expect(throws: expected) { try GroupContainer.existing(at: path, trace: .off) }
    #expect(try System.live.list(path) == [part])
  }

  @Test("Who only looks makes nothing, and is told what is missing")
  func existing() throws {
    let path = folder.path.appendingPath("box")
    #expect(throws: GroupError.missing(path: path)) { try GroupContainer.existing(at: path, trace: .off) }
    #expect(try System.live.status(path) == nil)
    try System.live.makeDirectories(path)
    #expect(try GroupContainer.existing(at: path + "/", trace: .off).path == path)
    #expect(try System.live.list(path).isEmpty)
  }

  @Test(
    "A container is writable when the folder, the database and the bell are",
    arguments: [Errno.readOnlyFileSystem, .accessDenied, .notPermitted], ["", "bell", "tenure.sqlite"])
  func writable(code: Errno, part: String) throws {
    let path = folder.path.appendingPath("box")
    _ = try GroupContainer.open(at: path, trace: .off)
    _ = try System.live.open(path.appendingPath("tenure.sqlite"), [.write, .create])
    #expect(try GroupContainer.existing(at: path, trace: .off).isWritable)
    let refused = part.isEmpty ? path : path.appendingPath(part)
    let calls = InterceptedCalls(PlatformCalls()) { site in
      site.call == .access && site.path == refused ? .fail(code) : .proceed
    }
    let container = try GroupContainer.existing(at: path, system: System(calls: calls), trace: .off)
    #expect(try !container.isWritable)
  }

  @Test("A folder above that a sandbox hides does not keep the container shut")
  func hiddenParent() throws {
    let box = folder.path.appendingPath("box")
    _ = try GroupContainer.open(at: box, trace: .off)
    let parent = folder.path
    #expect(
      error(
        box,
        intercepting { site in
          site.call == .open && site.path == parent ? .fail(.accessDenied) : .proceed
        }) == nil)
  }

  @Test(
    "Opening answers, or throws an error that says what failed, whichever call fails",
    arguments: [
      Errno.noSpace, .inputOutput, .tooManyFiles, .interrupted,
    ])
  func faults(code: Errno) throws {
    let made = CallCounter()
    _ = try GroupContainer.open(
      at: folder.path.appendingPath("count"),
      system: intercepting { _ in
        made.add()
        return .proceed
      }, trace: .off)
    for fatal in 1...made.value {
      let path = folder.path.appendingPath("box-\(fatal)")
      let count = CallCounter()
      let failed = error(
        path,
        intercepting { site in
          count.add()
          return count.value == fatal && site.call != .close ? .fail(code) : .proceed
        })
      if code == .interrupted { #expect(failed == nil) }
      if let failed { #expect(failed.description.contains(code.description), "\(failed)") }
      // Whatever was half-made does no harm to the next one.
      #expect(error(path) == nil)
    }
  }

  @Test("G2: a process about to be suspended is told what it holds in the container, and the trace has it")
  func suspending() throws {
    let ring = TraceRing()
    let container = try GroupContainer.open(
      at: folder.path.appendingPath("box"), trace: Trace(to: ring, as: .current(role: "test")))
    let other = try GroupContainer.open(at: folder.path.appendingPath("box2"), trace: .off)
    let lock = GroupLock(path: container.commitLockPath, system: .live, trace: .off)
    try lock.withLock(for: "save") {
      #expect(container.suspending().map(\.purpose) == ["save"])
      #expect(other.suspending() == [])
    }
    let lease = try Lease.take(in: container)
    #expect(container.suspending().map(\.path) == [lease.path])
    lease.end()
    #expect(container.suspending() == [])
    container.resumed()
    #expect(ring.events(ProcessSuspending.self).count == 3)
    #expect(ring.events(ProcessResumed.self).count == 1)
  }
}
