import TenureStorage
import TenureSystem
import TenureTesting
import Testing

@testable import TenureDocuments

@Suite("D11: a task that is cancelled while a file is copied") struct CancelledCopyTests {
  /// Where the copy is when the task is cancelled, and what is read there.
  enum Moment: CaseIterable, Sendable {
    case beforeTheFirstPiece, betweenPieces, whileReadingBack

    func isReached(_ site: InterceptedCalls.Site, _ reads: Int) -> Bool {
      guard site.call == .pread, let path = site.path else { return false }
      switch self {
      case .beforeTheFirstPiece: return path.hasSuffix("/large.bin") && reads == 1
      case .betweenPieces: return path.hasSuffix("/large.bin") && reads == 3
      case .whileReadingBack: return path.hasSuffix(".part") && reads > 3
      }
    }
  }

  @Test(
    "The copy ends after the piece it is at; nothing is written, and nothing stays",
    arguments: Moment.allCases)
  func givenUp(moment: Moment) async throws {
    try await Fixture.run { fixture in
      let url = try fixture.file("large.bin", [UInt8](repeating: 7, count: 8 << 20))
      let task = Lock<Task<CommitResult, any Error>?>(nil)
      let reads = Lock(0)
      let calls = InterceptedCalls(PlatformCalls()) { site in
        // A clone has no pieces on the way.
        if site.call == .clone { return .fail(.notSupported) }
        if site.call == .pread, site.path?.hasSuffix("/large.bin") == true { reads.withLock { $0 += 1 } }
        if moment.isReached(site, reads.withLock { $0 }) { task.withLock { $0 }?.cancel() }
        return .proceed
      }
      let store = try await fixture.open(system: System(calls: calls))
      let edit = Edit(of: "large.bin", expecting: 0, body: .file(url))
      let (go, tell) = AsyncStream.makeStream(of: Void.self)
      let commit = Task {
        for await _ in go { break }
        return try await store.commit(edit)
      }
      task.withLock { $0 = commit }
      tell.yield()
      await #expect(throws: CancellationError.self) { try await commit.value }
      // Eight pieces there are; it did not look at all of them and read them all back.
      #expect(reads.withLock { $0 } <= 9)
      #expect(try await store.revision(of: "large.bin") == nil)
      #expect(try fixture.bodies.isEmpty)
      #expect(try await store.outcome(of: edit.change) == .notCommitted)
      // The same edit goes through when nobody cancels it.
      guard case .committed = try await store.commit(edit) else {
        Issue.record("not committed")
        return
      }
    }
  }
}
