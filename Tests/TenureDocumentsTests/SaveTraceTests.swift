import TenureStorage
import TenureTesting
import TenureTrace
import Testing

@testable import TenureDocuments

/// What saves and drafts tell the trace: the diagnosis is only as true as this.
@Suite("The trace of a save") struct SaveTraceTests {
  @Test(
    "tells a file's size from the first event on, and of a body in a file of its own that it was verified",
    arguments: [10, 100_000])
  func files(size: Int) async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let url = try fixture.file("film", [UInt8](repeating: 7, count: size))
      let edits = [
        Edit(of: "a.mov", expecting: 0, body: .file(url)),
        Edit(of: "b.md", expecting: 0, body: .data(data("123"))),
        Edit(of: "c.mov", expecting: 0, body: .file(url.deletingLastPathComponent())),
      ]
      _ = try await store.commit(Array(edits[..<2]))
      await #expect(throws: DocumentError.self) { try await store.commit(edits[2]) }
      let begun = fixture.ring.events(SaveBegun.self)
      #expect(begun.prefix(2).map(\.bytes) == [Int64(size), 3])
      let ended = fixture.ring.events(SaveEnded.self)
      #expect(ended.map(\.bytes) == begun.map(\.bytes))
      #expect(ended.map(\.temporaryVerified) == [size > 50_000 ? true : nil, nil, nil])
      #expect(fixture.ring.events(BodyWritten.self).map(\.verified) == (size > 50_000 ? [true] : []))
    }
  }

  @Test("says that a body was not verified when nobody read it back")
  func unverified() async throws {
    try await Fixture.run { fixture in
      var storage = StorageGuards()
      storage.d5 = false
      let store = try await fixture.open(storageGuards: storage)
      try await store.write(String(repeating: "x", count: 100_000), to: "a.md", expecting: 0)
      #expect(fixture.ring.events(SaveEnded.self).map(\.temporaryVerified) == [false])
      #expect(fixture.ring.events(BodyWritten.self).map(\.verified) == [false])
    }
  }

  @Test("D6: tells of each draft that is discarded, and of none that was not there")
  func discarded() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let draft = Draft(scene: "left", document: "a.md", change: ChangeID(), base: 0, body: data("mine"))
      try await store.checkpoint(draft)
      try await store.discardDraft(scene: "right", document: "a.md")
      for _ in 0..<2 { try await store.discardDraft(scene: "left", document: "a.md") }
      let keeper = store.draftKeeper(scene: "right", document: "b.md", base: 0)
      keeper.edited(data("more"))
      try await keeper.checkpoint()
      let change = keeper.change
      try await keeper.discard()
      #expect(
        fixture.ring.events() == [
          DraftDiscarded(document: "a.md", change: draft.change.description, scene: "left"),
          DraftDiscarded(document: "b.md", change: change.description, scene: "right"),
        ])
    }
  }

  @Test("D6: a checkpoint of a committed change keeps no draft, and says so")
  func late() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let draft = Draft(scene: "left", document: "a.md", change: ChangeID(), base: 0, body: data("mine"))
      try await store.checkpoint(draft)
      _ = try await store.commit(draft.edit)
      try await store.checkpoint(draft)
      let outcomes = fixture.ring.events(SaveEnded.self).filter { $0.purpose == .checkpoint }.map(\.outcome)
      #expect(outcomes == [.committed, .alreadyCommitted])
    }
  }
}
