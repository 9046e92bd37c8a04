import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureDocuments

@Suite("In doubt") struct InDoubtTests {
  /// A machine whose log cannot be synced while it is told to fail: the frames are written, and COMMIT fails.
  private final class Disk: Sendable {
    /// A lock cannot be captured; an object that holds one can.
    private final class Switch: Sendable { let isOn = Lock(false) }

    private let failing = Switch()
    let system: System
    private let layer: InterceptingDatabaseLayer

    init(failingAfter: Bool) throws {
      let calls = InterceptedCalls(PlatformCalls()) { [failing] site in
        guard site.call == .databaseSync, site.path?.hasSuffix("-wal") == true, failing.isOn.withLock({ $0 })
        else {
          return .proceed
        }
        return failingAfter ? .failAfter(.inputOutput) : .fail(.inputOutput)
      }
      layer = try InterceptingDatabaseLayer(calls)
      system = System(calls: calls, databaseLayer: layer.name)
    }

    func fail(_ isOn: Bool) { failing.isOn.withLock { $0 = isOn } }
  }

  @Test(
    "D1: a failed sync is in doubt, never 'failed'; once the disk answers again the change has one outcome",
    arguments: [false, true])
  func settled(failingAfter: Bool) async throws {
    try await Fixture.run { fixture in
      let disk = try Disk(failingAfter: failingAfter)
      let store = try await fixture.open(system: disk.system)
      try await store.write("1", to: "a.md", expecting: 0)
      let edit = Edit(of: "a.md", expecting: 1, body: .data(Data(repeating: 2, count: 100_000)))
      disk.fail(true)
      await #expect {
        try await store.commit(edit)
      } throws: { error in
        (error as? CommitInDoubt)?.change == edit.change
      }
      // While the barrier fails nobody pretends to know.
      await #expect(throws: CommitInDoubt.self) { try await store.outcome(of: edit.change) }
      disk.fail(false)
      let outcome = try await store.outcome(of: edit.change)
      let current = try await store.revision(of: "a.md")
      switch outcome {
      case .committed(let revision): #expect(revision == current && revision.version == 2)
      case .notCommitted: #expect(current?.version == 1)
      }
      // The same edit, sent again, has its effect exactly once in either case.
      switch try await store.commit(edit) {
      case .committed, .alreadyCommitted: break
      case .conflict: Issue.record("the client's own change is in its way")
      }
      #expect(try await store.versions(of: "a.md").map(\.version) == [2, 1])
      #expect(try await store.check().filter(\.isDamage).isEmpty)
      #expect(fixture.ring.events(SaveInDoubt.self).map(\.change) == [edit.change.description])
      #expect(fixture.ring.events(SaveEnded.self).contains { $0.outcome == .inDoubt })
    }
  }

  @Test("D6: while a barrier does not succeed drafts are offered all the same, as in doubt")
  func drafts() async throws {
    try await Fixture.run { fixture in
      let disk = try Disk(failingAfter: false)
      let store = try await fixture.open(system: disk.system)
      let draft = Draft(scene: "left", document: "a.md", change: ChangeID(), base: 0, body: data("mine"))
      try await store.checkpoint(draft)
      disk.fail(true)
      #expect(try await store.recover() == [RecoveredDraft(draft: draft, standing: .inDoubt)])
      disk.fail(false)
      #expect(try await store.recover() == [RecoveredDraft(draft: draft, standing: .current)])
    }
  }

  @Test("D7: a flush whose saves end in doubt says so")
  func flush() async throws {
    try await Fixture.run { fixture in
      let disk = try Disk(failingAfter: false)
      let store = try await fixture.open(system: disk.system)
      let keeper = store.draftKeeper(scene: "left", document: "a.md", base: 0)
      keeper.edited(data("x"))
      disk.fail(true)
      let report = await store.flush(until: store.system.clock.monotonic + 60_000_000_000)
      #expect(report.inDoubt.map(\.change) == [keeper.change])
      #expect(report.saved.isEmpty && report.unsaved.isEmpty)
      disk.fail(false)
    }
  }
}

/// Each guard taken away: the customary mistake shows, which is what the tests of its law would find.
@Suite("Guards") struct GuardTests {
  private func without(_ change: (inout DocumentGuards) -> Void) -> DocumentGuards {
    var guards = DocumentGuards()
    change(&guards)
    return guards
  }

  @Test("Without D2 a change sent again is not recognised")
  func d2() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open(guards: without { $0.d2 = false })
      let edit = Edit(of: "a", expecting: 0, body: .data(data("x")))
      _ = try await store.commit(edit)
      guard case .conflict = try await store.commit(edit) else {
        Issue.record("recognised all the same")
        return
      }
      let again = Edit(of: "a", expecting: 1, body: .data(data("x")), change: edit.change)
      guard case .committed = try await store.commit(again) else {
        Issue.record("one change had one effect all the same")
        return
      }
    }
  }

  @Test("Without D3 the last writer wins")
  func d3() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open(guards: without { $0.d3 = false })
      try await store.write("one", to: "a", expecting: 0)
      try await store.write("two", to: "a", expecting: 0)
      #expect(try await store.text(of: "a") == "two")
    }
  }

  @Test("Without D4 a slow write of an older number becomes current again")
  func d4() async throws {
    try await Fixture.run { fixture in
      let guarded = try await fixture.open()
      let slow = try await fixture.open(guards: without { $0.d4 = false })
      try await guarded.write("1", to: "a", expecting: 0)
      let late = Edit(of: "a", expecting: 1, body: .data(data("late 2")))
      let step = CommitStep(
        edits: [
          PreparedEdit(
            edit: late,
            body: PreparedBody(digest: Digest(of: data("late 2")), size: 6, inline: Array(data("late 2"))),
            seen: 1)
        ], batch: nil, writer: slow.writer, guards: slow.guards, participants: [])
      // It has read its number, 1; two others are faster.
      try await guarded.write("2", to: "a", expecting: 1)
      try await guarded.write("3", to: "a", expecting: 2)
      _ = try await slow.database.write("late") { try step.run($0) }
      #expect(try await guarded.revision(of: "a")?.version == 2)
    }
  }

  @Test("Without D5 a version is seen with the body of the one before, unverified")
  func d5() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open(guards: without { $0.d5 = false })
      try await store.write("one", to: "a", expecting: 0)
      let digest = Digest(of: data("two"))
      let step = CommitStep(
        edits: [
          PreparedEdit(
            edit: Edit(of: "a", expecting: 1, body: .data(data("two"))),
            body: PreparedBody(digest: digest, size: 3, inline: Array(data("one"))))
        ], batch: nil, writer: store.writer, guards: store.guards, participants: [])
      // The first of the two transactions, after which a kill leaves it so.
      _ = try await store.database.write("commit") { try step.run($0) }
      let (revision, found) = try await store.body(of: "a")
      #expect(revision.version == 2 && revision.digest == digest.description)
      #expect(found == data("one"))
      let guarded = try await fixture.open()
      await #expect(throws: DocumentError.self) { try await guarded.body(of: "a") }
    }
  }

  @Test("Without D6 a checkpoint is said to be kept before it is")
  func d6() async throws {
    try await Fixture.run { fixture in
      let clock = ManualClock()
      let store = try await fixture.open(
        system: System(calls: PlatformCalls(), clock: clock), guards: without { $0.d6 = false })
      try await store.checkpoint(
        Draft(scene: "left", document: "a", change: ChangeID(), base: 0, body: data("x")))
      #expect(try await store.recover().isEmpty)
    }
  }

  @Test("Without D9 a later place in the history is visible before an earlier one")
  func d9() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let early = try await store.writing("reserve") { try $0.nextSequence() }
      let later = try await store.write("later", to: "b", expecting: 0)
      guard case .changes(let seen, let next) = try await store.history(after: nil) else { return }
      #expect(seen == [later])
      let step = CommitStep(
        edits: [
          PreparedEdit(
            edit: Edit(of: "a", expecting: 0, body: .deleted), body: .deleted, reserved: early)
        ], batch: nil, writer: store.writer, guards: without { $0.d9 = false }, participants: [])
      _ = try await store.database.write("commit") { try step.run($0) }
      #expect(try await store.history(after: next) == .changes([], next: next), "the consumer skips it")
    }
  }
}
