import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureDocuments

@Suite("Drafts") struct DraftTests {
  private func draft(_ text: String, base: Int64 = 1, change: ChangeID = ChangeID(), scene: String = "left")
    -> Draft
  {
    Draft(scene: scene, document: "a.md", change: change, base: base, body: data(text))
  }

  @Test(
    "D6: a checkpointed draft is offered again to another client, newest content first and only",
    arguments: [10, 100_000])
  func comesBack(size: Int) async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      try await store.write("1", to: "a.md", expecting: 0)
      let change = ChangeID()
      for letter in ["x", "y"] {
        try await store.checkpoint(draft(String(repeating: letter, count: size), change: change))
      }
      try await store.checkpoint(draft("other", scene: "right"))
      let other = try await fixture.open()
      let recovered = try await other.recover()
      #expect(recovered.map(\.draft.scene) == ["left", "right"])
      #expect(recovered.map(\.standing) == [.current, .current])
      #expect(recovered[0].draft == draft(String(repeating: "y", count: size), change: change))
      #expect(try await other.recover(scene: "right").count == 1)
      #expect(try fixture.bodies.count == (size > 65_536 ? 1 : 0))
      #expect(fixture.ring.events(DraftRecovered.self).map(\.standing) == [.current, .current, .current])
      // Nobody reads a draft as a version.
      #expect(try await other.text(of: "a.md") == "1")
    }
  }

  @Test("D6: each draft says how it stands to its document")
  func standings() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      try await store.write("1", to: "a.md", expecting: 0)
      let one = draft("mine")
      try await store.checkpoint(one)
      let new = Draft(scene: "left", document: "new.md", change: ChangeID(), base: 0, body: data("n"))
      try await store.checkpoint(new)
      #expect(try await store.recover().map(\.standing) == [.current, .current])
      let two = try await store.write("2", to: "a.md", expecting: 1)
      #expect(try await store.recover().first?.standing == .documentMovedOn(two))
      guard case .committed(let gone) = try await store.commit(Edit(of: "a.md", expecting: 2, body: .deleted))
      else { return }
      #expect(try await store.recover().first?.standing == .deleted(gone))
    }
  }

  @Test(
    "D6: committing a draft's change removes the draft in the same transaction; a lost draft row is 'already committed'"
  )
  func committed() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let one = draft("mine", base: 0)
      try await store.checkpoint(one)
      guard case .committed(let revision) = try await store.commit(one.edit) else { return }
      #expect(try await store.drafts().isEmpty)
      // The same content, checkpointed late, is not kept; other content under a used change is an error.
      try await store.checkpoint(one)
      #expect(try await store.drafts().isEmpty)
      await #expect(throws: DocumentError.changeReused(one.change, "a.md")) {
        try await store.checkpoint(draft("more", base: 0, change: one.change))
      }
      // A scene that put its draft back by hand learns that it was committed.
      let bytes = Array("mine".utf8)
      try await store.database.write("test") { transaction in
        try DraftTable.put(
          transaction.connection, one, PreparedBody(digest: Digest(of: bytes), size: 4, inline: bytes),
          wall: 0)
      }
      #expect(try await store.recover().map(\.standing) == [.alreadyCommitted(revision)])
    }
  }

  @Test("A draft that is in conflict stays; discarding takes it and its file away")
  func discard() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      try await store.write("1", to: "a.md", expecting: 0)
      let large = draft(String(repeating: "x", count: 100_000), base: 0)
      try await store.checkpoint(large)
      guard case .conflict = try await store.commit(large.edit) else {
        Issue.record("no conflict")
        return
      }
      #expect(try await store.drafts() == [large])
      try await store.discardDraft(scene: "left", document: "a.md")
      #expect(try await store.drafts().isEmpty)
      #expect(try fixture.bodies.isEmpty)
    }
  }

  @Test("A list of drafts says how each stands to its document without reading any content")
  func entries() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      _ = try await store.write("1", to: "a.md", expecting: 0)
      let large = Data([UInt8](repeating: 7, count: 300_000))
      try await store.checkpoint(
        Draft(scene: "left", document: "a.md", change: ChangeID(), base: 1, body: large))
      try await store.checkpoint(
        Draft(scene: "right", document: "new.md", change: ChangeID(), base: 0, body: data("x")))
      // A body that is not there would fail any reading of it.
      let bodies = store.database.container.bodiesPath
      for name in try System.live.list(bodies) { try System.live.remove(bodies.appendingPath(name)) }
      var entries = try await store.draftEntries()
      #expect(entries.map(\.document) == ["a.md", "new.md"])
      #expect(entries.map(\.size) == [300_000, 1])
      #expect(entries.map(\.current) == [1, nil])
      #expect(entries.map(\.isConflict) == [false, false])
      _ = try await store.write("2", to: "a.md", expecting: 1)
      entries = try await store.draftEntries(scene: "left")
      #expect(entries.map(\.isConflict) == [true])
    }
  }

  @Test("D13: one draft more than the bound is refused; replacing one is not")
  func bound() async throws {
    try await Fixture.run { fixture in
      var options = DocumentStore.Options()
      options.draftLimit = 2
      let store = try await fixture.open(options: options)
      for scene in ["1", "2"] { try await store.checkpoint(draft("x", scene: scene)) }
      await #expect(throws: DocumentError.tooManyDrafts(limit: 2)) {
        try await store.checkpoint(draft("x", scene: "3"))
      }
      try await store.checkpoint(draft("y", scene: "2"))
      #expect(
        fixture.ring.events() == [
          BoundReached(what: "drafts", size: 2, bound: 2, refused: true, inTheWay: "the drafts of scene 1")
        ])
    }
  }

  @Test("D10: a scene's state is its own, apart from documents, bounded, and taken away by empty data")
  func sceneState() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      try await store.saveState(data("line 7"), ofScene: "left")
      #expect(try await store.state(ofScene: "left") == data("line 7"))
      #expect(try await store.state(ofScene: "right") == nil)
      #expect(try await store.list(includingDeleted: true).items.isEmpty)
      guard case .changes([], _) = try await store.history(after: nil) else {
        Issue.record("a scene's state is in the history")
        return
      }
      try await store.saveState(Data(), ofScene: "left")
      #expect(try await store.state(ofScene: "left") == nil)
      let limit = store.options.sceneStateLimit
      await #expect(throws: DocumentError.bodyTooLarge(size: Int64(limit) + 1, limit: Int64(limit))) {
        try await store.saveState(Data(count: limit + 1), ofScene: "left")
      }
    }
  }
}

@Suite("DraftKeeper") struct DraftKeeperTests {
  private func open(_ fixture: Fixture, _ clock: ManualClock) async throws -> DocumentStore {
    try await fixture.open(system: System(calls: PlatformCalls(), clock: clock))
  }

  /// Waits, without polling, for the n-th checkpoint to be told by the trace's sink.
  private func checkpoints(_ fixture: Fixture) -> Int {
    fixture.ring.events(SaveEnded.self).filter { $0.purpose == .checkpoint }.count
  }

  @Test("D6: a checkpoint comes after so many edits, without waiting for the time")
  func byCount() async throws {
    try await Fixture.run { fixture in
      let clock = ManualClock()
      let store = try await open(fixture, clock)
      let keeper = store.draftKeeper(
        scene: "left", document: "a.md", base: 0, count: 3, interval: .seconds(60))
      keeper.edited(data("1"))
      keeper.edited(data("2"))
      #expect(store.flights.all.isEmpty && keeper.isDirty)
      keeper.edited(data("3"))
      try await keeper.checkpoint()
      #expect(try await store.drafts().map(\.body) == [data("3")])
      #expect(checkpoints(fixture) == 1)
      #expect(!keeper.isDirty)
    }
  }

  @Test("D6: a checkpoint comes when the time after the first edit is up, with the newest content")
  func byTime() async throws {
    try await Fixture.run { fixture in
      let clock = ManualClock()
      let store = try await open(fixture, clock)
      let keeper = store.draftKeeper(
        scene: "left", document: "a.md", base: 0, count: 100, interval: .seconds(2))
      let saved = Task { await fixture.checkpoint() }
      keeper.edited(data("1"))
      await clock.sleepers(1)
      clock.advance(by: .seconds(1))
      keeper.edited(data("2"))
      #expect(clock.sleeperCount == 1)
      #expect(try await store.drafts().isEmpty)
      clock.advance(by: .seconds(1))
      await saved.value
      #expect(try await store.drafts().map(\.body) == [data("2")])
    }
  }

  @Test("Committing takes the newest content, removes the draft, and goes on from the new version")
  func commit() async throws {
    try await Fixture.run { fixture in
      let store = try await open(fixture, ManualClock())
      let keeper = store.draftKeeper(scene: "left", document: "a.md", base: 0)
      await #expect(throws: DocumentError.self) { try await keeper.commit() }
      keeper.edited(data("1"))
      try await keeper.checkpoint()
      keeper.edited(data("2"))
      let change = keeper.change
      guard case .committed(let revision) = try await keeper.commit() else { return }
      #expect(revision.change == change)
      #expect(try await store.text(of: "a.md") == "2")
      #expect(try await store.drafts().isEmpty)
      #expect(keeper.base == 1 && keeper.change != change && !keeper.isDirty)
      keeper.edited(data("3"))
      guard case .committed(let next) = try await keeper.commit() else { return }
      #expect(next.version == 2)
    }
  }

  @Test("A conflict leaves draft and change as they are")
  func conflict() async throws {
    try await Fixture.run { fixture in
      let store = try await open(fixture, ManualClock())
      let keeper = store.draftKeeper(scene: "left", document: "a.md", base: 0)
      keeper.edited(data("mine"))
      try await keeper.checkpoint()
      let change = keeper.change
      let theirs = try await store.write("theirs", to: "a.md", expecting: 0)
      #expect(try await keeper.commit() == .conflict(current: theirs))
      #expect(keeper.change == change && keeper.base == 0)
      #expect(try await store.recover().map(\.standing) == [.documentMovedOn(theirs)])
      try await keeper.discard(base: 1)
      #expect(try await store.drafts().isEmpty)
      keeper.edited(data("again"))
      guard case .committed(let revision) = try await keeper.commit() else { return }
      #expect(revision.version == 2)
    }
  }

  @Test(
    "A draft that somebody else committed goes on under a change of its own: a conflict, and nothing lost")
  func committedElsewhere() async throws {
    try await Fixture.run { fixture in
      let store = try await open(fixture, ManualClock())
      let keeper = store.draftKeeper(scene: "left", document: "a.md", base: 0)
      keeper.edited(data("mine"))
      try await keeper.checkpoint()
      let change = keeper.change
      let settled = try await store.commit(
        Edit(of: "a.md", expecting: 0, body: .data(data("merged")), change: change))
      guard case .committed(let revision) = settled else { return }

      #expect(try await keeper.commit() == .conflict(current: revision))
      #expect(keeper.isEdited && keeper.isDirty && keeper.change != change)
      keeper.edited(data("mine, more"))
      let report = await store.flush(until: .max)
      #expect(report.saved.map(\.document) == ["a.md"] && report.unsaved.isEmpty)
      #expect(try await store.drafts().map(\.body) == [data("mine, more")])
      #expect(try await store.drafts().map(\.base) == [0])
    }
  }

  @Test("D7: a flush keeps a draft whose change somebody else committed")
  func flushedAfterSettlement() async throws {
    try await Fixture.run { fixture in
      let store = try await open(fixture, ManualClock())
      let keeper = store.draftKeeper(scene: "left", document: "a.md", base: 0)
      keeper.edited(data("mine"))
      try await keeper.checkpoint()
      _ = try await store.commit(
        Edit(of: "a.md", expecting: 0, body: .data(data("merged")), change: keeper.change))
      keeper.edited(data("mine, more"))
      let report = await store.flush(until: .max)
      #expect(report.saved.count == 1 && report.unsaved.isEmpty)
      #expect(try await store.drafts().map(\.body) == [data("mine, more")])
    }
  }
}

@Suite("DraftMachine") struct DraftMachineTests {
  private func revision(_ job: DraftMachine.Job) -> Revision {
    Revision(
      document: "a", version: job.base + 1, change: job.change, base: job.base, digest: "", size: 0,
      isDeleted: false,
      sequence: 1,
      writer: Attribution(process: "", pid: 0, bundleIdentifier: "", role: "", appVersion: "", wall: 0))
  }

  @Test("What is edited during a commit is a new draft, under a new change, on the new version")
  func editsDuringCommit() {
    var machine = DraftMachine(change: ChangeID(), base: 4, limit: 10)
    _ = machine.edited(data("1"))
    guard case .commit(let job) = machine.takeForCommit(machine.request) else {
      Issue.record("nothing to commit")
      return
    }
    _ = machine.edited(data("2"))
    guard case .busy = machine.take(machine.request) else {
      Issue.record("a checkpoint went beside the commit")
      return
    }
    _ = machine.commitEnded(.committed(job, revision(job)))
    #expect(machine.base == 5 && machine.change != job.change && machine.isDirty)
    guard case .save(let next) = machine.take(machine.request) else {
      Issue.record("the later edit is lost")
      return
    }
    #expect(next.body == data("2") && next.change == machine.change)
  }

  @Test(
    "D1: a commit in doubt is settled before anything is committed under a change again",
    arguments: [true, false])
  func doubt(happened: Bool) {
    var machine = DraftMachine(change: ChangeID(), base: 0, limit: 10)
    _ = machine.edited(data("1"))
    guard case .commit(let job) = machine.takeForCommit(machine.request) else { return }
    _ = machine.commitEnded(.inDoubt)
    _ = machine.edited(data("2"))
    guard case .settle(job.change) = machine.takeForCommit(machine.request) else {
      Issue.record("not settled first")
      return
    }
    _ = machine.settled(happened ? .committed(revision(job)) : .notCommitted)
    guard case .commit(let next) = machine.takeForCommit(machine.request) else { return }
    #expect(next.body == data("2"))
    #expect((next.change == job.change) == !happened)
    #expect(next.base == (happened ? 1 : 0))
  }

  @Test("A failed checkpoint is tried again after the interval, not at once, and nothing is lost")
  func failure() {
    var machine = DraftMachine(change: ChangeID(), base: 0, limit: 1)
    guard case .save = machine.edited(data("1")), case .save(let job) = machine.take(machine.request) else {
      return
    }
    guard case .wait = machine.saved(job, Unexpected(what: "full")) else {
      Issue.record("tried again at once")
      return
    }
    #expect(machine.isDirty && machine.failure != nil)
    let isDue = machine.timeIsUp()
    #expect(isDue)
    guard case .save(let again) = machine.take(machine.request) else { return }
    _ = machine.saved(again, nil)
    #expect(!machine.isDirty && machine.failure == nil)
  }

  @Test("D7: held, nothing begins by itself; an edit or going on begins again")
  func held() {
    var machine = DraftMachine(change: ChangeID(), base: 0, limit: 10)
    guard case .wait = machine.edited(data("1")) else { return }
    machine.hold()
    guard case .wait = machine.goOn() else {
      Issue.record("does not go on")
      return
    }
    machine.hold()
    guard case .wait = machine.edited(data("2")) else {
      Issue.record("an edit does not begin again")
      return
    }
  }

  @Test("What is edited while the draft is being discarded is a new draft")
  func editsDuringDiscard() {
    var machine = DraftMachine(change: ChangeID(), base: 4, limit: 10)
    _ = machine.edited(data("1"))
    let isBegun = machine.beginDiscard()
    #expect(isBegun)
    _ = machine.edited(data("2"))
    _ = machine.discardEnded(true, base: nil)
    #expect(machine.isDirty && machine.isEdited)
    guard case .save(let job) = machine.take(machine.request) else {
      Issue.record("the later edit is forgotten")
      return
    }
    #expect(job.body == data("2"))
  }
}
