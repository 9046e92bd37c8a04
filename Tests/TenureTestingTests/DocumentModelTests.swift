import Tenure
import TenureTesting
import Testing

@Suite("DocumentModel")
struct DocumentModelTests {
  private func edit(_ document: DocumentID, _ expected: Int64, _ text: String, _ name: String) -> Edit {
    Edit(of: document, expecting: expected, body: .data(Data(text.utf8)), change: change(name))
  }

  @Test("versions count from 1, and an edit of an old version meets the current one (D3)")
  func versions() throws {
    var model = DocumentModel()
    guard case .committed(let first) = try model.commit(edit("a.md", 0, "one", "c1")) else {
      Issue.record("the first edit was refused")
      return
    }
    #expect(first.version == 1)
    #expect(try model.commit(edit("a.md", 0, "other", "c2")) == .conflict(current: first))
    #expect(try model.commit(edit("b.md", 4, "other", "c3")) == .conflict(current: nil))
    #expect(try model.body(of: "a.md").data == Data("one".utf8))
  }

  @Test("a change sent again answers what it did; with other content it is refused (D2)")
  func resent() throws {
    var model = DocumentModel()
    _ = try model.commit(edit("a.md", 0, "one", "c1"))
    _ = try model.commit(edit("a.md", 1, "two", "c2"))
    let recorded = try #require(model.revision(of: "a.md", version: 1))
    let current = try #require(model.revision(of: "a.md"))
    #expect(
      try model.commit(edit("a.md", 0, "one", "c1"))
        == .alreadyCommitted(recorded: recorded, current: current))
    #expect(throws: DocumentError.changeReused(change("c1"), "a.md")) {
      try model.commit(edit("a.md", 2, "one", "c1"))
    }
    #expect(model.history.count == 2)
  }

  @Test("a batch is all or nothing")
  func batch() throws {
    var model = DocumentModel()
    _ = try model.commit(edit("a.md", 0, "one", "c1"))
    let stale = [edit("b.md", 0, "b", "c2"), edit("a.md", 0, "again", "c3")]
    #expect(try model.commit(stale) == .conflict(["a.md": model.revision(of: "a.md")]))
    #expect(model.revision(of: "b.md") == nil)
    let good = [edit("b.md", 0, "b", "c2"), edit("a.md", 1, "again", "c3")]
    guard case .committed(let revisions) = try model.commit(good) else {
      Issue.record("the batch was refused")
      return
    }
    #expect(revisions.map(\.version) == [1, 2])
    #expect(try model.commit(good) == .alreadyCommitted(recorded: revisions, current: revisions))
  }

  @Test("a draft's standing follows its document, and its commit removes it (D6)")
  func drafts() throws {
    var model = DocumentModel()
    _ = try model.commit(edit("a.md", 0, "one", "c1"))
    let draft = Draft(
      scene: "left", document: "a.md", change: change("d"), base: 1, body: Data("draft".utf8))
    try model.checkpoint(draft)
    #expect(model.recover() == [RecoveredDraft(draft: draft, standing: .current)])
    _ = try model.commit(edit("a.md", 1, "two", "c2"))
    let current = try #require(model.revision(of: "a.md"))
    #expect(model.recover().map(\.standing) == [.documentMovedOn(current)])
    _ = try model.commit(Edit(of: "a.md", expecting: 2, body: .deleted, change: change("c3")))
    let tombstone = try #require(model.revision(of: "a.md"))
    #expect(model.recover().map(\.standing) == [.deleted(tombstone)])
    #expect(throws: DocumentError.deleted("a.md", version: 3)) { try model.body(of: "a.md") }
    _ = try model.commit(edit("a.md", 3, "draft", "d"))
    #expect(model.recover().isEmpty)
    try model.checkpoint(draft)
    #expect(model.recover().isEmpty)
  }

  @Test("D6: a damaged draft is offered as such, without hiding another, until it is replaced or discarded")
  func damagedDraft() throws {
    var model = DocumentModel()
    func draft(_ scene: String) -> Draft {
      Draft(scene: scene, document: "a.md", change: change(scene), base: 0, body: Data("text".utf8))
    }
    for scene in ["left", "right"] { try model.checkpoint(draft(scene)) }
    let isSame = model.damageDraft(
      scene: "left", document: "a.md", leaving: Data("text".utf8), reason: "none")
    let isOther = model.damageDraft(
      scene: "left", document: "a.md", leaving: Data("te".utf8), reason: "cut off")
    #expect(!isSame && isOther)
    #expect(model.recover().map(\.standing) == [.damaged("cut off"), .current])
    #expect(model.recover().first?.draft.body == Data("te".utf8))
    #expect(model.allDrafts() == [draft("right")])
    try model.checkpoint(draft("left"))
    #expect(model.recover().map(\.standing) == [.current, .current])
    model.damageDraft(scene: "left", document: "a.md", leaving: Data(), reason: "gone")
    model.discardDraft(scene: "left", document: "a.md")
    #expect(model.recover().map(\.draft) == [draft("right")])
  }

  @Test(
    "a side that did not change gives the other; without rule or base, or with a deletion, nothing merges (D8)"
  )
  func merging() throws {
    var model = DocumentModel()
    _ = try model.commit(edit("a.md", 0, "1\n2\n3\n", "c1"))
    _ = try model.commit(edit("a.md", 1, "1\n2\nthree\n", "c2"))
    func merged(_ text: String, rule: (any MergeRule)? = LineMerge()) throws -> MergeResult {
      try model.merge(edit("a.md", 1, text, "mine"), onto: 2, by: rule)
    }
    #expect(try merged("1\n2\n3\n") == .merged(Data("1\n2\nthree\n".utf8)))
    #expect(try merged("one\n2\n3\n") == .merged(Data("one\n2\nthree\n".utf8)))
    guard case .conflict(let regions) = try merged("1\n2\nIII\n"), !regions.isEmpty else {
      Issue.record("one line, changed twice, merged")
      return
    }
    guard case .noRule = try merged("1\n", rule: nil) else {
      Issue.record("merged without a rule")
      return
    }
    let deletion = Edit(of: "a.md", expecting: 1, body: .deleted)
    #expect(try model.merge(deletion, onto: 2, by: LineMerge()) == .conflict([]))
    model.purge(keepingVersions: 1)
    guard case .noRule = try merged("1\n") else {
      Issue.record("merged without the common base")
      return
    }
  }

  @Test("history has no gaps, and a token before a purge is sent to a snapshot (D9)")
  func history() throws {
    var model = DocumentModel()
    for version in Int64(0)..<5 { _ = try model.commit(edit("a.md", version, "\(version)", "c\(version)")) }
    guard case .changes(let page, let next) = try model.history(for: "index", limit: 3) else {
      Issue.record("no changes")
      return
    }
    #expect(page.map(\.version) == [1, 2, 3])
    model.acknowledge(next, for: "index")
    #expect(model.purge(keepingVersions: 1) == 3)
    guard case .changes(let rest, _) = try model.history(for: "index", limit: 10) else {
      Issue.record("no changes")
      return
    }
    #expect(rest.map(\.version) == [4, 5])
    let old = HistoryToken(epoch: model.epoch, sequence: 1)
    #expect(
      try model.history(after: old, limit: 10)
        == .startFromSnapshot(HistoryToken(epoch: model.epoch, sequence: 5)))
  }

  @Test("listing is by prefix, in pages, in the order of bytes")
  func listing() throws {
    var model = DocumentModel()
    for (index, name) in ["b/1", "a/2", "a/1", "a/3"].enumerated() {
      _ = try model.commit(edit(DocumentID(name), 0, name, "c\(index)"))
    }
    let first = model.list(prefix: "a/", limit: 2)
    #expect(first.items.map(\.document.rawValue) == ["a/1", "a/2"])
    let second = model.list(prefix: "a/", after: first.next, limit: 2)
    #expect(second.items.map(\.document.rawValue) == ["a/3"])
    #expect(second.next == nil)
  }
}
