import TenureSystem
import Testing

@Suite("OpenFile")
struct OpenFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path.appendingPath("file") }

  init() throws { folder = try TemporaryFolder() }

  private func system(
    _ decide: @escaping @Sendable (InterceptedCalls.Site) -> InterceptedCalls.Effect
  ) -> System {
    System(calls: InterceptedCalls(PlatformCalls(), decide: decide))
  }

  private func contents() throws -> [UInt8] { try System.live.contents(of: path, limit: 1_000) }

  @Test("Every call that a signal interrupts is made again")
  func interrupted() throws {
    let calls = InterceptedCalls(PlatformCalls()) { $0.number == 1 ? .fail(.interrupted) : .proceed }
    let system = System(calls: calls)
    let file = try system.open(path, [.read, .write, .create])
    try file.writeAll([1, 2, 3], at: 0)
    try file.allocate(length: 3)
    try file.truncate(to: 2)
    try file.sync()
    try file.syncData()
    try file.lock()
    try file.unlock()
    #expect(try file.status().size == 2)
    #expect(try system.contents(of: path, limit: 10) == [1, 2])
    try system.changeMode(path, permissions: 0o640)
    try system.makeDirectories(path + ".d")
    try system.removeDirectory(path + ".d")
    try system.link(path, to: path + ".2")
    try system.rename(path + ".2", to: path + ".3")
    try system.remove(path + ".3")
    #expect(try system.list(folder.path) == ["file"])
    let expected: Set<SystemCall> = [
      .open, .pwrite, .fallocate, .ftruncate, .fsync, .fdatasync, .lock, .unlock, .stat, .pread, .chmod,
      .mkdir,
      .rmdir, .link, .rename, .unlink, .readdir,
    ]
    #expect(Set(calls.counts.filter { $0.value > 1 }.keys).isSuperset(of: expected))
  }

  @Test("Short writes are continued until everything is written", arguments: [1, 2, 3, 7])
  func shortWrites(limit: Int) throws {
    let bytes = (0..<20).map { UInt8($0) }
    let system = system { [.write, .pwrite].contains($0.call) ? .short(limit) : .proceed }
    try system.open(path, [.write, .create]).writeAll(bytes, at: 2)
    #expect(try contents() == [0, 0] + bytes)
    let appended = try system.open(path, [.write, .append])
    try bytes.withUnsafeBytes { try appended.writeAll($0) }
    #expect(try contents() == [0, 0] + bytes + bytes)
  }

  @Test("A device that takes no byte is a failure, not an endless loop")
  func nothingTaken() throws {
    let system = system { [.write, .pwrite].contains($0.call) ? .short(0) : .proceed }
    let file = try system.open(path, [.write, .create])
    #expect(throws: SystemError(.pwrite, .inputOutput, path: path)) { try file.writeAll([1], at: 0) }
    #expect(throws: SystemError(.write, .inputOutput, path: path)) {
      try [UInt8(1)].withUnsafeBytes { try file.writeAll($0) }
    }
    try file.writeAll([], at: 0)
  }

  @Test("Short reads are continued until the buffer is full or the file ends", arguments: [1, 3, 100])
  func shortReads(limit: Int) throws {
    try System.live.open(path, [.write, .create]).writeAll([1, 2, 3, 4, 5], at: 0)
    let file = try system { $0.call == .pread ? .short(limit) : .proceed }.open(path, .read)
    var buffer = [UInt8](repeating: 0, count: 10)
    #expect(try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 1) } == 4)
    #expect(buffer == [2, 3, 4, 5, 0, 0, 0, 0, 0, 0])
    #expect(try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 5) } == 0)
  }

  @Test("A lock keeps other descriptors out, and ends with the last reference to its own")
  func locks() throws {
    var first: OpenFile? = try System.live.open(path, [.read, .write, .create])
    let second = try System.live.open(path, [.read, .write])
    #expect(try first?.tryLock() == true)
    #expect(try !second.tryLock())
    #expect(try !second.tryLock(exclusive: false))
    // The description has it already: what two holders of one descriptor must know.
    #expect(try first?.tryLock() == true)
    first = nil
    #expect(try second.tryLock())
    try second.unlock()
  }

  @Test("Many may share a lock; none of them has it alone")
  func sharedLocks() throws {
    let files = try (0..<3).map { _ in try System.live.open(path, [.read, .write, .create]) }
    #expect(try files[0].tryLock(exclusive: false))
    #expect(try files[1].tryLock(exclusive: false))
    #expect(try !files[2].tryLock())
  }

  @Test("A clone is the same bytes or a no, never half")
  func clone() throws {
    let source = try System.live.open(path, [.read, .write, .create])
    try source.writeAll([UInt8](repeating: 5, count: 8_192), at: 0)
    let copy = try System.live.open(path + ".copy", [.read, .write, .create])
    let isCloned = try copy.clone(from: source)
    #expect(try copy.status().size == (isCloned ? 8_192 : 0))
    let refused = system { $0.call == .clone ? .fail(.inputOutput) : .proceed }
    let target = try refused.open(path + ".2", [.read, .write, .create])
    #expect(throws: SystemError(.clone, .inputOutput, path: path + ".2")) { try target.clone(from: source) }
  }
}
