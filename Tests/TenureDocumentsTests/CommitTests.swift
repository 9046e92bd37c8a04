import TenureStorage
import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureDocuments

@Suite("Committing") struct CommitTests {
  /// Sizes on both sides of the inline limit.
  static let bodies: [[UInt8]] = [
    [], [0], Array("Iceland\n".utf8), Array(repeating: 7, count: 64 << 10),
    Array(repeating: 8, count: (64 << 10) + 1),
    Array(repeating: 9, count: 3 << 20),
  ]

  @Test("D1: what was committed is read back, by this and by another client", arguments: bodies)
  func readBack(_ bytes: [UInt8]) async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let edit = Edit(of: "Trips/iceland.md", expecting: 0, body: .data(Data(bytes)))
      guard case .committed(let revision) = try await store.commit(edit) else {
        Issue.record("not committed")
        return
      }
      #expect(revision.version == 1)
      #expect(revision.base == 0)
      #expect(revision.change == edit.change)
      #expect(revision.size == Int64(bytes.count))
      #expect(revision.digest == Digest(of: bytes).description)
      let other = try await fixture.open(role: "widget")
      for client in [store, other] {
        let (found, data) = try await client.body(of: "Trips/iceland.md")
        #expect(found == revision)
        #expect(Array(data) == bytes)
      }
      #expect(try await store.check().isEmpty)
    }
  }

  @Test("G6: a version names its writer's process, role, bundle, app version and time")
  func attribution() async throws {
    try await Fixture.run { fixture in
      let clock = ManualClock()
      let store = try await fixture.open(role: "share", system: System(calls: PlatformCalls(), clock: clock))
      let revision = try await store.write("a", to: "a.md", expecting: 0)
      #expect(
        revision.writer
          == Attribution(
            process: "notebook", pid: 7, bundleIdentifier: "org.example.notebook", role: "share",
            appVersion: "3.2", wall: clock.wall))
      #expect(try await store.revision(of: "a.md") == revision)
    }
  }

  @Test("D2: an edit sent again answers what it did, and does nothing", arguments: [false, true])
  func resend(moreInBetween: Bool) async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let edit = Edit(of: "a.md", expecting: 0, body: .data(data("one")))
      guard case .committed(let first) = try await store.commit(edit) else { return }
      let current = moreInBetween ? try await store.write("two", to: "a.md", expecting: 1) : first
      let other = try await fixture.open()
      #expect(try await other.commit(edit) == .alreadyCommitted(recorded: first, current: current))
      #expect(try await store.versions(of: "a.md").count == (moreInBetween ? 2 : 1))
    }
  }

  static let reuses: [(String, @Sendable (ChangeID) -> Edit)] = [
    ("other content", { Edit(of: "a.md", expecting: 0, body: .data(data("TWO")), change: $0) }),
    ("another document", { Edit(of: "b.md", expecting: 0, body: .data(data("one")), change: $0) }),
    ("another base", { Edit(of: "a.md", expecting: 1, body: .data(data("one")), change: $0) }),
    ("a deletion", { Edit(of: "a.md", expecting: 0, body: .deleted, change: $0) }),
  ]

  @Test("D2: the same change ID with something else is an error", arguments: reuses.indices)
  func reused(_ index: Int) async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let edit = Edit(of: "a.md", expecting: 0, body: .data(data("one")))
      _ = try await store.commit(edit)
      await #expect(throws: DocumentError.changeReused(edit.change, "a.md")) {
        try await store.commit(Self.reuses[index].1(edit.change))
      }
      #expect(try await store.list(includingDeleted: true).items.map(\.version) == [1])
    }
  }

  @Test(
    "D3: an edit that does not expect the current version meets a conflict and writes nothing",
    arguments: [Int64(0), 1, 3, 9])
  func conflict(expected: Int64) async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      try await store.write("one", to: "a.md", expecting: 0)
      let current = try await store.write("two", to: "a.md", expecting: 1)
      let edit = Edit(of: "a.md", expecting: expected, body: .data(data("two")))
      #expect(try await store.commit(edit) == .conflict(current: current))
      #expect(try await store.revision(of: "a.md") == current)
      #expect(try await store.outcome(of: edit.change) == .notCommitted)
    }
  }

  @Test("D3: of a document that does not exist the conflict carries nothing")
  func conflictWithNothing() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let edit = Edit(of: "a.md", expecting: 4, body: .data(data("x")))
      #expect(try await store.commit(edit) == .conflict(current: nil))
    }
  }

  @Test("D3: equal content on an equal number is not the same edit")
  func equalIsNotSame() async throws {
    try await Fixture.run { fixture in
      let one = try await fixture.open()
      let two = try await fixture.open()
      let first = try await one.write("same", to: "a.md", expecting: 0)
      let twin = Edit(of: "a.md", expecting: 0, body: .data(data("same")))
      #expect(try await two.commit(twin) == .conflict(current: first))
    }
  }

  @Test("D3, D4: of many clients that expect the same version exactly one wins, and versions have no gap")
  func race() async throws {
    try await Fixture.run { fixture in
      var stores: [DocumentStore] = []
      for _ in 0..<4 { stores.append(try await fixture.open()) }
      for round in 0..<10 {
        let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
          for (index, store) in stores.enumerated() {
            group.addTask {
              let edit = Edit(of: "a.md", expecting: Int64(round), body: .data(data("\(index)")))
              if case .committed = try await store.commit(edit) { return true }
              return false
            }
          }
          return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
      }
      #expect(try await stores[0].versions(of: "a.md").map(\.version) == Array((1...10).reversed()))
    }
  }

  @Test("A tombstone is a version: the body is gone, earlier ones stay, and the document can come back")
  func tombstone() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      try await store.write("one", to: "a.md", expecting: 0)
      guard
        case .committed(let tombstone) = try await store.commit(
          Edit(of: "a.md", expecting: 1, body: .deleted))
      else {
        Issue.record("not committed")
        return
      }
      #expect(tombstone.isDeleted && tombstone.version == 2 && tombstone.digest.isEmpty)
      #expect(try await store.revision(of: "a.md") == tombstone)
      await #expect(throws: DocumentError.deleted("a.md", version: 2)) { try await store.body(of: "a.md") }
      #expect(try await store.text(of: "a.md", version: 1) == "one")
      #expect(try await store.list().items.isEmpty)
      #expect(try await store.list(includingDeleted: true).items == [tombstone])
      #expect(try await store.write("back", to: "a.md", expecting: 2).version == 3)
    }
  }

  @Test("A batch is all or nothing, carries one ID, and can be sent again")
  func batch() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      try await store.write("b", to: "b.md", expecting: 0)
      let bad = [
        Edit(of: "a.md", expecting: 0, body: .data(data("a"))),
        Edit(of: "b.md", expecting: 0, body: .data(data("B"))),
      ]
      guard case .conflict(let conflicts) = try await store.commit(bad) else {
        Issue.record("no conflict")
        return
      }
      #expect(conflicts.keys.sorted() == ["b.md"])
      #expect(try await store.revision(of: "a.md") == nil)
      let good = [
        Edit(of: "a.md", expecting: 0, body: .data(data("a"))),
        Edit(of: "b.md", expecting: 1, body: .data(data("B"))),
      ]
      guard case .committed(let revisions) = try await store.commit(good) else {
        Issue.record("not committed")
        return
      }
      #expect(revisions.map(\.document) == ["a.md", "b.md"])
      #expect(Set(revisions.map(\.batch)).count == 1 && revisions[0].batch != nil)
      #expect(try await store.commit(good) == .alreadyCommitted(recorded: revisions, current: revisions))
      #expect(
        try await store.commit(good[1]) == .alreadyCommitted(recorded: revisions[1], current: revisions[1]))
      await #expect(throws: DocumentError.changeReused(good[0].change, "a.md")) {
        try await store.commit([good[0], Edit(of: "c.md", expecting: 0, body: .data(data("c")))])
      }
      #expect(try await store.revision(of: "c.md") == nil)
      #expect(try await store.commit([Edit]()) == .committed([]))
    }
  }

  @Test("A batch names a document and a change once")
  func repeatedInBatch() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let edit = Edit(of: "a.md", expecting: 0, body: .deleted)
      for second in [
        Edit(of: "a.md", expecting: 1, body: .deleted),
        Edit(of: "b.md", expecting: 0, body: .deleted, change: edit.change),
      ] {
        await #expect(throws: DocumentError.repeatedInBatch(second.document)) {
          try await store.commit([edit, second])
        }
      }
    }
  }

  struct Row: CommitParticipant {
    let text: String
    var fails = false
    static let component = Component(name: "rows", version: 1) { connection, _ in
      try connection.script("CREATE TABLE row(text TEXT)")
    }
    func join(_ transaction: Transaction) throws {
      try transaction.connection.run("INSERT INTO row(text) VALUES (?)", .text(text))
      if fails { throw Unexpected(what: text) }
    }
    static func all(_ store: DocumentStore) async throws -> [String] {
      try await store.database.read { try $0.query("SELECT text FROM row ORDER BY rowid") { $0.text(0) } }
    }
  }

  @Test("What an edit accepts is there exactly when the edit is")
  func participants() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open(components: [Row.component])
      let edit = Edit(of: "a.md", expecting: 0, body: .data(data("a")))
      await #expect(throws: Unexpected.self) {
        try await store.commit(edit, accepting: [Row(text: "x"), Row(text: "fails", fails: true)])
      }
      #expect(try await store.revision(of: "a.md") == nil)
      #expect(try await Row.all(store).isEmpty)
      _ = try await store.commit(edit, accepting: [Row(text: "upload")])
      #expect(try await Row.all(store) == ["upload"])
      // Sent again, and in conflict: nothing more is accepted.
      _ = try await store.commit(edit, accepting: [Row(text: "again")])
      _ = try await store.commit(
        Edit(of: "a.md", expecting: 0, body: .deleted), accepting: [Row(text: "conflict")])
      #expect(try await Row.all(store) == ["upload"])
    }
  }

  @Test("D11: a cancelled task's commit has one outcome, which is returned and can be asked for")
  func cancelled() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let edit = Edit(of: "a.md", expecting: 0, body: .data(data("kept")))
      let (started, start) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        for await _ in started { break }
        #expect(Task.isCancelled)
        return try await store.commit(edit)
      }
      task.cancel()
      start.finish()
      guard case .committed(let revision) = try await task.value else {
        Issue.record("not committed")
        return
      }
      #expect(try await store.outcome(of: edit.change) == .committed(revision))
      #expect(fixture.ring.events(CancelRequested.self).map(\.change) == [edit.change.description])
    }
  }

  @Test("The trace tells of begin and end with the same change, version, size and outcome")
  func trace() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let edit = Edit(of: "a.md", expecting: 0, body: .data(Data(repeating: 1, count: 100_000)))
      let lost = Edit(of: "a.md", expecting: 0, body: .data(data("lost")))
      _ = try await store.commit(edit, scene: "left")
      _ = try await store.commit(lost, scene: "right")
      let begun = fixture.ring.events(SaveBegun.self)
      #expect(begun.map(\.change) == [edit.change.description, lost.change.description])
      #expect(begun.map(\.bytes) == [100_000, 4])
      let ended = fixture.ring.events(SaveEnded.self)
      #expect(ended.map(\.outcome) == [.committed, .conflict])
      #expect(ended.map(\.version) == [1, 1])
      #expect(ended.map(\.scene) == ["left", "right"])
      #expect(ended[0].temporaryVerified == true)
      #expect(ended[1].temporaryVerified == nil)
      #expect(fixture.ring.events(BodyWritten.self).map(\.bytes) == [100_000])
      #expect(fixture.ring.events(SaveConflict.self).map(\.current) == [1])
    }
  }
}
