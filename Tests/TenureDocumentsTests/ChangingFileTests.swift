import TenureSystem
import TenureTesting
import Testing

@testable import TenureDocuments

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Files that change while they are committed") struct ChangingFileTests {
  enum Change: String, CaseIterable {
    /// Other bytes, and the time of the last writing put back.
    case unseen
    case grown, cutOff, replaced

    func content(_ size: Int) -> [UInt8] {
      switch self {
      case .unseen, .replaced: Array(repeating: 2, count: size)
      case .grown: Array(repeating: 2, count: size + 10)
      case .cutOff: Array(repeating: 2, count: size / 2)
      }
    }

    func make(at path: String, size: Int) throws {
      let other = path + ".new"
      switch self {
      case .unseen:
        var before = stat()
        _ = lstat(path, &before)
        try System.live.open(path, .write).writeAll(content(size))
        #if canImport(Darwin)
          let times = [before.st_atimespec, before.st_mtimespec]
        #else
          let times = [before.st_atim, before.st_mtim]
        #endif
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
      case .grown, .cutOff: try System.live.open(path, [.write, .truncate]).writeAll(content(size))
      case .replaced:
        try System.live.open(other, [.write, .create]).writeAll(content(size))
        try System.live.rename(other, to: path)
      }
    }
  }

  /// Reads of one path; the first gives only a few bytes, and before the second the file changes.
  private static func calls(
    on path: String, then change: @escaping @Sendable () -> Void
  ) -> InterceptedCalls {
    let reads = Counter()
    return InterceptedCalls(PlatformCalls()) { site in
      // A clone has no middle to be met in.
      if site.call == .clone { return .fail(.notSupported) }
      guard site.path == path, site.call == .pread else { return .proceed }
      let number = reads.next()
      if number == 2 { change() }
      return number == 1 ? .short(50) : .proceed
    }
  }

  private final class Counter: Sendable {
    private let count = Lock(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  @Test(
    "D5: a file that changes once is read again and committed as it then is, whatever shows the change",
    arguments: Change.allCases, [100, 3 << 20])
  func once(_ change: Change, size: Int) async throws {
    try await Fixture.run { fixture in
      let url = try fixture.file("moving", Array(repeating: 1, count: size))
      let path = url.path
      let calls = Self.calls(on: path) {
        do { try change.make(at: path, size: size) } catch { Issue.record("\(error)") }
      }
      let store = try await fixture.open(system: System(calls: calls))
      let edit = Edit(of: "a", expecting: 0, body: .file(url))
      guard case .committed(let revision) = try await store.commit(edit) else {
        Issue.record("not committed")
        return
      }
      let expected = change.content(size)
      #expect(revision.digest == Digest(of: expected).description)
      #expect(try await Array(store.body(of: "a").data) == expected)
      #expect(try fixture.bodies.count == (expected.count > store.options.inlineLimit ? 1 : 0))
      #expect(try await store.check().isEmpty)
    }
  }
}
