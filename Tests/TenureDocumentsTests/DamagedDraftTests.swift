import TenureStorage
import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureDocuments

@Suite("Damaged drafts") struct DamagedDraftTests {
  /// What happens to one draft behind the store's back.
  struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Of the draft's content.
    let size: Int
    /// Bytes that can still be read.
    let readable: Int
    let inflict: @Sendable (DocumentStore) async throws -> Void

    init(
      _ name: String, size: Int, readable: Int,
      _ inflict: @escaping @Sendable (DocumentStore) async throws -> Void
    ) {
      testDescription = name
      self.size = size
      self.readable = readable
      self.inflict = inflict
    }

    static func statement(_ name: String, _ assignment: String, readable: Int) -> Damage {
      Damage(name, size: 100, readable: readable) { store in
        try await store.database.write("test") { transaction in
          try transaction.connection.run("UPDATE drafts SET \(assignment) WHERE scene = 'left'")
        }
      }
    }

    /// The one file in the folder for bodies is the draft's.
    static func file(
      _ name: String, readable: Int, _ inflict: @escaping @Sendable (_ path: String) throws -> Void
    ) -> Damage {
      Damage(name, size: 100_000, readable: readable) { store in
        let folder = store.database.container.bodiesPath
        for name in try System.live.list(folder) { try inflict(folder.appendingPath(name)) }
      }
    }
  }

  static let damages = [
    Damage.statement("other bytes in the row", "inline = zeroblob(100)", readable: 100),
    .statement("fewer bytes in the row", "inline = x'00'", readable: 1),
    .statement("no bytes in the row", "inline = NULL", readable: 0),
    .statement("a digest that is none", "digest = x'00'", readable: 100),
    .statement("a change that is none", "change = x'00'", readable: 100),
    .file("the file is gone", readable: 0) { try System.live.remove($0) },
    .file("the file is cut off", readable: 10) { path in
      try System.live.open(path, [.write, .truncate]).writeAll([UInt8](repeating: 120, count: 10), at: 0)
    },
    .file("other bytes in the file", readable: 100_000) { path in
      try System.live.open(path, .write).writeAll([1, 2, 3], at: 500)
    },
    .file("a folder in the file's place", readable: 0) { path in
      try System.live.remove(path)
      try System.live.makeDirectories(path)
    },
  ]

  private func prepared(_ fixture: Fixture, _ damage: Damage) async throws -> (
    DocumentStore, Draft, others: [Draft]
  ) {
    let store = try await fixture.open()
    try await store.write("1", to: "a.md", expecting: 0)
    let hit = Draft(
      scene: "left", document: "a.md", change: ChangeID(), base: 1,
      body: Data(repeating: 120, count: damage.size))
    let others = [
      Draft(scene: "apart", document: "a.md", change: ChangeID(), base: 1, body: data("before")),
      Draft(scene: "right", document: "b.md", change: ChangeID(), base: 0, body: data("after")),
    ]
    for draft in others + [hit] { try await store.checkpoint(draft) }
    try await damage.inflict(store)
    return (store, hit, others)
  }

  @Test("D6: a damaged draft is offered as such and keeps no other back", arguments: damages)
  func offered(_ damage: Damage) async throws {
    try await Fixture.run { fixture in
      let (store, hit, others) = try await prepared(fixture, damage)
      let recovered = try await store.recover()
      #expect(recovered.map(\.draft.scene) == ["apart", "left", "right"])
      #expect([recovered[0], recovered[2]].map(\.draft) == others)
      #expect([recovered[0], recovered[2]].map(\.standing) == [.current, .current])
      #expect(recovered[1].damage?.isEmpty == false)
      #expect(recovered[1].draft.document == hit.document && recovered[1].draft.base == 1)
      #expect(recovered[1].draft.body.count == damage.readable)
      #expect(try await store.drafts() == others)
      #expect(try await store.damagedDrafts() == [recovered[1]])
      #expect(try await store.draftEntries().count == 3)
      #expect(
        fixture.ring.events(DraftRecovered.self).filter { $0.standing == .damaged }.map(\.scene) == ["left"])
      let problems = try await store.check().filter(\.isDamage)
      #expect(
        problems == [.draftDamaged("a.md", scene: "left", detail: try #require(recovered[1].damage))])
    }
  }

  @Test(
    "A damaged draft goes when it is discarded, or when its scene keeps another", arguments: damages,
    [true, false])
  func ends(_ damage: Damage, isDiscarded: Bool) async throws {
    try await Fixture.run { fixture in
      let (store, hit, others) = try await prepared(fixture, damage)
      if isDiscarded {
        try await store.discardDraft(scene: "left", document: "a.md")
        #expect(try await store.drafts() == others)
      } else {
        let keeper = store.draftKeeper(scene: "left", document: "a.md", base: 1)
        keeper.edited(data("again"))
        let report = await store.flush(until: .max)
        #expect(report.saved.map(\.change) == [keeper.change] && report.unsaved.isEmpty)
        #expect(try await store.drafts(scene: "left").map(\.body) == [data("again")])
      }
      #expect(try await store.damagedDrafts().isEmpty)
      #expect(try await store.recover(scene: "apart").count == 1)
      #expect(hit.scene == "left")
    }
  }

  @Test("A damaged draft whose change was committed only has to be discarded")
  func committed() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let draft = Draft(scene: "left", document: "a.md", change: ChangeID(), base: 0, body: data("mine"))
      guard case .committed(let revision) = try await store.commit(draft.edit) else { return }
      try await store.database.write("test") { transaction in
        let other = PreparedBody(digest: Digest(of: Array("mine".utf8)), size: 4, inline: [0])
        try DraftTable.put(transaction.connection, draft, other, wall: 0)
      }
      #expect(try await store.recover().map(\.standing) == [.alreadyCommitted(revision)])
    }
  }
}
