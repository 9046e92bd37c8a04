import TenureStorage
import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureDocuments

@Suite("Flushing") struct FlushTests {
  @Test("D7: what keepers hold is saved, and the report says so")
  func saved() async throws {
    try await Fixture.run { fixture in
      let clock = ManualClock()
      let store = try await fixture.open(system: System(calls: PlatformCalls(), clock: clock))
      let left = store.draftKeeper(scene: "left", document: "a.md", base: 0)
      let right = store.draftKeeper(scene: "right", document: "b.md", base: 0)
      left.edited(data("l"))
      right.edited(data("r"))
      let report = await store.flush(until: clock.monotonic + 1_000_000_000)
      #expect(Set(report.saved.map(\.change)) == [left.change, right.change])
      #expect(report.unsaved.isEmpty && report.inDoubt.isEmpty)
      #expect(try await store.drafts().map(\.body) == [data("l"), data("r")])
      #expect(
        await store.flush(until: clock.monotonic + 1) == FlushReport(saved: [], unsaved: [], inDoubt: []))
      #expect(fixture.ring.events(FlushEnded.self).map(\.saved.count) == [2, 0])
    }
  }

  @Test("D7: past the deadline nothing is begun")
  func late() async throws {
    try await Fixture.run { fixture in
      let clock = ManualClock()
      let store = try await fixture.open(system: System(calls: PlatformCalls(), clock: clock))
      let keeper = store.draftKeeper(scene: "left", document: "a.md", base: 0)
      keeper.edited(data("x"))
      await clock.sleepers(1)
      let report = await store.flush(until: clock.monotonic)
      #expect(report.unsaved == [FlushItem(document: "a.md", change: keeper.change, scene: "left")])
      // Its timer is put off, too; going on takes it up again.
      #expect(clock.sleeperCount == 0)
      #expect(try await store.drafts().isEmpty)
      store.resume()
      await clock.sleepers(1)
    }
  }

  @Test(
    "D7: at the deadline a save inside its transaction is in doubt, one that waits is unsaved and never begun"
  )
  func atTheDeadline() async throws {
    try await Fixture.run { fixture in
      let clock = ManualClock()
      let store = try await fixture.open(system: System(calls: PlatformCalls(), clock: clock))
      // The writer's thread is held inside a transaction of the first commit.
      let hold = Hold()
      let first = Edit(of: "a.md", expecting: 0, body: .data(data("first")))
      let second = Edit(of: "b.md", expecting: 0, body: .data(data("second")))
      let one = Task { try await store.commit(first, accepting: [hold]) }
      await hold.entered()
      let two = Task { try await store.commit(second) }
      let (queued, tell) = AsyncStream.makeStream(of: Void.self)
      let waiting = Task {
        while store.flights.all.count < 2 { await Task.yield() }
        tell.finish()
      }
      for await _ in queued {}
      await waiting.value
      let flush = Task { await store.flush(until: clock.monotonic + 5_000_000_000) }
      await clock.sleepers(1)
      clock.advance(by: .seconds(5))
      let report = await flush.value
      #expect(report.saved.isEmpty)
      #expect(report.inDoubt.map(\.change) == [first.change])
      #expect(report.unsaved.map(\.change) == [second.change])
      hold.open()
      guard case .committed = try await one.value else {
        Issue.record("the first was begun and ends")
        return
      }
      await #expect(throws: DocumentError.flushDeadlinePassed(second.change)) { try await two.value }
      #expect(try await store.outcome(of: second.change) == .notCommitted)
      #expect(DocumentError.flushDeadlinePassed(second.change).isRetryable)
    }
  }
}

/// Holds a thread until a test lets it go: the writer's inside a transaction, or whichever comes by.
final class Hold: CommitParticipant {
  private let monitor = Monitor((isIn: false, isOpen: false))
  private let entrance = AsyncStream.makeStream(of: Void.self)

  func join(_ transaction: Transaction) throws { stay() }

  func stay() {
    monitor.change { $0.isIn = true }
    entrance.continuation.finish()
    _ = monitor.wait { $0.isOpen ? true : nil }
  }

  func entered() async { for await _ in entrance.stream {} }
  func open() { monitor.change { $0.isOpen = true } }
}
