import TenureSystem
import Testing

@Suite("InterceptedCalls")
struct InterceptedCallsTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path.appendingPath("file") }

  init() throws { folder = try TemporaryFolder() }

  @Test("Calls are counted by kind, failing ones too")
  func counts() throws {
    let calls = InterceptedCalls(PlatformCalls()) { $0.call == .fsync ? .fail(.noSpace) : .proceed }
    let system = System(calls: calls)
    do {
      let file = try system.open(path, [.write, .create])
      try file.writeAll([1], at: 0)
      try file.writeAll([2], at: 1)
      #expect(throws: SystemError(.fsync, .noSpace, path: path)) { try file.sync() }
    }
    #expect(calls.counts == [.open: 1, .pwrite: 2, .fsync: 1, .close: 1])
  }

  @Test("A site names the file also for calls by descriptor, the number of the call, and the bytes")
  func sites() throws {
    let seen = Monitor([String]())
    let calls = InterceptedCalls(PlatformCalls()) { site in
      seen.change { $0.append("\(site.call) \(site.path?.lastPathPart ?? "-") \(site.number) \(site.bytes)") }
      return .proceed
    }
    do {
      let file = try System(calls: calls).open(path, [.read, .write, .create])
      try file.writeAll([1, 2, 3], at: 0)
      try file.sync()
      try file.sync()
    }
    #expect(
      seen.withLock { $0 } == [
        "open file 1 0", "pwrite file 1 3", "fsync file 1 0", "fsync file 2 0", "close file 1 0",
      ])
  }

  @Test("A failing call is not made; one that fails afterwards is")
  func failing() throws {
    let refused = InterceptedCalls(PlatformCalls()) { _ in .fail(.inputOutput) }
    #expect(throws: Errno.inputOutput) { try refused.makeDirectory(path, permissions: 0o700) }
    #expect(try System.live.status(path) == nil)
    let late = InterceptedCalls(PlatformCalls()) { _ in .failAfter(.inputOutput) }
    #expect(throws: Errno.inputOutput) { try late.makeDirectory(path, permissions: 0o700) }
    #expect(try System.live.status(path)?.kind == .directory)
  }

  @Test(
    "A close that fails has closed all the same",
    arguments: [
      InterceptedCalls.Effect.fail(.inputOutput), .failAfter(.inputOutput),
    ])
  func closing(effect: InterceptedCalls.Effect) throws {
    let calls = InterceptedCalls(PlatformCalls()) { $0.call == .close ? effect : .proceed }
    let descriptor = try calls.open(path, [.write, .create], permissions: 0o600)
    #expect(try PlatformCalls().lock(descriptor, exclusive: true, wait: false))
    #expect(throws: Errno.inputOutput) { try calls.close(descriptor) }
    // Another test may have been given the number by now; that the file is not open any more shows in its lock.
    let other = try System.live.open(path, [.read, .write])
    #expect(try other.tryLock())
  }

  @Test("A short write writes what it says", arguments: [0, 1, 2, 9])
  func short(limit: Int) throws {
    let calls = InterceptedCalls(PlatformCalls()) { $0.call == .pwrite ? .short(limit) : .proceed }
    let descriptor = try calls.open(path, [.read, .write, .create], permissions: 0o600)
    defer { try? calls.close(descriptor) }
    let count = try [UInt8](arrayLiteral: 1, 2, 3).withUnsafeBytes { try calls.write(descriptor, $0, at: 0) }
    #expect(count == min(3, limit))
    #expect(try calls.status(of: descriptor).size == Int64(count))
  }

  @Test("A layer that makes calls of its own can ask, and is counted")
  func decision() {
    let calls = InterceptedCalls(PlatformCalls()) { $0.call == .databaseSync ? .fail(.noSpace) : .proceed }
    #expect(calls.decision(on: .databaseSync, path: nil) == .fail(.noSpace))
    #expect(calls.decision(on: .databaseWrite, path: nil, bytes: 4_096) == .proceed)
    #expect(calls.counts == [.databaseSync: 1, .databaseWrite: 1])
  }
}
