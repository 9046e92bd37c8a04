import TenureStorage
import TenureSystem
import TenureTesting
import Testing

@testable import TenureDocuments

/// What a flush has answered stays true until somebody edits, asks again or resumes (D7).
@Suite("The answer of a flush") struct FlushAnswerTests {
  private func open(_ fixture: Fixture, _ clock: ManualClock) async throws -> DocumentStore {
    try await fixture.open(system: System(calls: PlatformCalls(), clock: clock))
  }

  @Test(
    "D7: a commit inside its transaction is in doubt, also where its keeper holds the same change unsaved")
  func doubtStays() async throws {
    try await Fixture.run { fixture in
      let clock = ManualClock()
      let store = try await open(fixture, clock)
      let keeper = store.draftKeeper(scene: "left", document: "a.md", base: 0)
      keeper.edited(data("1"))
      await clock.sleepers(1)
      let item = FlushItem(document: "a.md", change: keeper.change, scene: "left")
      let hold = Hold()
      let commit = Task { try await keeper.commit(accepting: [hold]) }
      await hold.entered()
      keeper.edited(data("2"))
      let flush = Task { await store.flush(until: clock.monotonic + 5_000_000_000) }
      await clock.sleepers(2)
      clock.advance(by: .seconds(5))
      #expect(await flush.value == FlushReport(saved: [], unsaved: [], inDoubt: [item]))
      hold.open()
      guard case .committed(let revision) = try await commit.value else {
        Issue.record("what was begun ends")
        return
      }
      #expect(try await store.outcome(of: item.change) == .committed(revision))
    }
  }

  @Test(
    "D7: who waits for a keeper when a flush answers is told so, and nothing is begun for them",
    arguments: [true, false])
  func waiting(isCommit: Bool) async throws {
    try await Fixture.run { fixture in
      let clock = ManualClock()
      let store = try await open(fixture, clock)
      let keeper = store.draftKeeper(scene: "left", document: "a.md", base: 0)
      keeper.edited(data("1"))
      let hold = Hold()
      let commit = Task { try await keeper.commit(accepting: [hold]) }
      await hold.entered()
      keeper.edited(data("2"))
      let waiting = Task {
        if isCommit { _ = try await keeper.commit() } else { try await keeper.checkpoint() }
      }
      while keeper.waiterCount == 0 { await Task.yield() }
      _ = await store.flush(until: clock.monotonic)
      hold.open()
      _ = try await commit.value
      await #expect(throws: DocumentError.flushDeadlinePassed(keeper.change)) { try await waiting.value }
      #expect(try await store.recover().isEmpty)
      #expect(try await store.text(of: "a.md") == "1")
      // Asked again, it is done.
      try await keeper.checkpoint()
      #expect(try await store.drafts().map(\.body) == [data("2")])
    }
  }

  @Test("D7: a commit that ended while a flush waited for another is saved; the other never begins")
  func committedMeanwhile() async throws {
    try await Fixture.run { fixture in
      let clock = ManualClock()
      let url = try fixture.file("slow", [1])
      let path = url.path
      let (slow, hold) = (Hold(), Hold())
      let calls = InterceptedCalls(PlatformCalls()) { site in
        if site.path == path { slow.stay() }
        return .proceed
      }
      let store = try await fixture.open(system: System(calls: calls, clock: clock))
      let keeper = store.draftKeeper(scene: "left", document: "a.md", base: 0)
      keeper.edited(data("1"))
      await clock.sleepers(1)
      let item = FlushItem(document: "a.md", change: keeper.change, scene: "left")
      let other = Edit(of: "b.md", expecting: 0, body: .file(url))
      let long = Task { try await store.commit(other) }
      await slow.entered()
      let commit = Task { try await keeper.commit(accepting: [hold]) }
      await hold.entered()
      let flush = Task { await store.flush(until: clock.monotonic + 5_000_000_000) }
      await clock.sleepers(2)
      hold.open()
      _ = try await commit.value
      clock.advance(by: .seconds(5))
      let report = await flush.value
      #expect(report.saved == [item])
      #expect(report.unsaved.map(\.change) == [other.change])
      #expect(report.inDoubt.isEmpty)
      slow.open()
      await #expect(throws: DocumentError.flushDeadlinePassed(other.change)) { try await long.value }
      #expect(try await store.outcome(of: other.change) == .notCommitted)
    }
  }

  @Test("D7: what was discarded while a flush ran is not called saved")
  func discarded() {
    var machine = DraftMachine(change: ChangeID(), base: 0, limit: 10)
    _ = machine.edited(data("1"))
    guard let unsaved = machine.unsaved else {
      Issue.record("nothing is unsaved")
      return
    }
    #expect(machine.fate(of: unsaved) == .unsaved)
    let isBegun = machine.beginDiscard()
    #expect(isBegun)
    _ = machine.discardEnded(true, base: nil)
    #expect(machine.fate(of: unsaved) == .unsaved)
  }

  @Test("D7: what a flush was to save is saved, whatever was typed after it")
  func typedMeanwhile() {
    var machine = DraftMachine(change: ChangeID(), base: 0, limit: 10)
    _ = machine.edited(data("1"))
    guard let unsaved = machine.unsaved, case .save(let job) = machine.take(machine.request) else {
      Issue.record("nothing is unsaved")
      return
    }
    _ = machine.edited(data("2"))
    _ = machine.saved(job, nil)
    #expect(machine.fate(of: unsaved) == .saved)
    #expect(machine.unsaved.map { machine.fate(of: $0) } == .unsaved)
  }

  @Test("D7: an earlier commit in doubt may come to light: its change is not called unsaved")
  func doubtOfBefore() {
    var machine = DraftMachine(change: ChangeID(), base: 0, limit: 10)
    _ = machine.edited(data("1"))
    guard let unsaved = machine.unsaved, case .commit = machine.takeForCommit(machine.request) else {
      Issue.record("nothing to commit")
      return
    }
    _ = machine.commitEnded(.inDoubt)
    machine.hold()
    #expect(machine.fate(of: unsaved) == .inDoubt)
    _ = machine.settled(.notCommitted)
    #expect(machine.fate(of: unsaved) == .unsaved)
  }

  @Test("D7: a timer, a count and a request from before a flush's answer begin nothing after it")
  func late() {
    var machine = DraftMachine(change: ChangeID(), base: 0, limit: 1)
    guard case .save = machine.edited(data("1")) else {
      Issue.record("the count was not noticed")
      return
    }
    let request = machine.request
    machine.hold()
    let isDue = machine.timeIsUp()
    #expect(!isDue)
    guard case .nothing = machine.takeByItself(), case .late = machine.take(request),
      case .late = machine.takeForCommit(request), case .save = machine.take(machine.request)
    else {
      Issue.record("something is begun behind the answer, or nothing ever again")
      return
    }
  }

  @Test("D7: of many keepers that are about to save, none does what a flush has called unsaved")
  func crowd() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      var calls: [DocumentID: [FlushItem]] = [:]
      var crowd = Crowd()
      for index in 0..<60 {
        let keeper = store.draftKeeper(
          scene: "s", document: DocumentID("\(index)"), base: 0, count: 1, interval: .seconds(3_600))
        crowd.add(keeper)
        keeper.edited(data("\(index)"))
        // Some have come further by now than others.
        if index % 4 == 0 {
          let report = await store.flush(until: 0)
          for item in report.unsaved { calls[item.document] = [item] }
        }
      }
      let last = await store.flush(until: 0)
      for item in last.unsaved { calls[item.document] = [item] }
      let doubtful = Set(last.inDoubt.map(\.document))
      await crowd.ended()
      let kept = Set(try await store.drafts().map(\.document))
      for document in calls.keys where !doubtful.contains(document) { #expect(!kept.contains(document)) }
      for item in last.saved { #expect(kept.contains(item.document)) }
    }
  }

  /// Keepers that live only as long as something of theirs runs.
  private struct Crowd {
    private struct Member { weak var keeper: DraftKeeper? }
    private var members: [Member] = []

    mutating func add(_ keeper: DraftKeeper) { members.append(Member(keeper: keeper)) }

    func ended() async {
      while members.contains(where: { $0.keeper != nil }) { await Task.yield() }
    }
  }
}
