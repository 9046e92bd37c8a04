import TenureSystem
import Testing

@Suite("FileWatcher")
struct FileWatcherTests {
  private let folder: TemporaryFolder
  private var paths: [String] { ["a", "b"].map { folder.path.appendingPath($0) } }

  init() throws {
    folder = try TemporaryFolder()
    for path in paths { try System.live.open(path, [.write, .create]).sync() }
  }

  private func next(_ watcher: any FileWatching) async throws -> [Int] {
    try await SystemThread.run(name: "watch") { try watcher.wait() }
  }

  @Test("Writing is told, once for any number of writes, and by the place in the list")
  func written() async throws {
    let files = try paths.map { try System.live.open($0, .write) }
    let watcher = try System.live.watch(paths.map { WatchedFile(path: $0, change: .written) })
    for byte in 0..<100 { try files[1].writeAll([UInt8(byte)], at: 0) }
    #expect(try await next(watcher) == [1])
    try files[1].writeAll([1], at: 0)
    try files[0].writeAll([1], at: 0)
    #expect(try await next(watcher) == [0, 1])
  }

  @Test("What happened before the wait is not lost, and a wake is not a change")
  func woken() async throws {
    let file = try System.live.open(paths[0], .write)
    let watcher = try System.live.watch([WatchedFile(path: paths[0], change: .written)])
    watcher.wake()
    watcher.wake()
    #expect(try await next(watcher) == [])
    try file.writeAll([1], at: 0)
    watcher.wake()
    #expect(try await next(watcher) == [0])
    async let waiting = next(watcher)
    watcher.wake()
    #expect(try await waiting == [])
  }

  #if os(Linux)
    @Test("Closing a descriptor that could write is told; closing one that could only read is not")
    func closed() async throws {
      var writer: OpenFile? = try System.live.open(paths[0], .write)
      let watcher = try System.live.watch([
        WatchedFile(path: paths[0], change: .closedAfterWriting),
        WatchedFile(path: paths[1], change: .written),
      ])
      try writer?.writeAll([1], at: 0)
      _ = try System.live.open(paths[0], .read)
      try System.live.open(paths[1], .write).writeAll([1], at: 0)
      #expect(try await next(watcher) == [1])
      writer = nil
      #expect(try await next(watcher) == [0])
    }

    @Test("One file may be watched for both")
    func both() async throws {
      let watcher = try System.live.watch([
        WatchedFile(path: paths[0], change: .written),
        WatchedFile(path: paths[0], change: .closedAfterWriting),
      ])
      var writer: OpenFile? = try System.live.open(paths[0], .write)
      try writer?.writeAll([1], at: 0)
      #expect(try await next(watcher) == [0])
      writer = nil
      #expect(try await next(watcher) == [1])
    }
  #endif

  @Test("A file that is not there cannot be watched, and a machine without watches left says so")
  func failing() throws {
    let none = folder.path.appendingPath("none")
    #expect(throws: SystemError(.inotify, .noEntry, path: none)) {
      try System.live.watch([WatchedFile(path: none, change: .written)])
    }
    let calls = InterceptedCalls(PlatformCalls()) { site in
      site.call != .inotify ? .proceed : site.number == 1 ? .fail(.interrupted) : .fail(.tooManyFiles)
    }
    #expect(throws: SystemError(.inotify, .tooManyFiles, path: paths[0])) {
      try System(calls: calls).watch([WatchedFile(path: paths[0], change: .written)])
    }
    #expect(calls.counts[.inotify] == 2)
  }
}
