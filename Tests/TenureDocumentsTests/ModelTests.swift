import TenureSystem
import TenureTesting
import Testing

@testable import TenureDocuments

/// Random commands of three clients, each asked of a store and of the in-memory model; every answer is compared.
/// 12 seeds of 120 commands over three documents: conflicts, resends and reuses come up in every run.
/// Observing and merging are left to tests of their own: the one is a stream, the other a rule's matter.
@Suite("Store and model agree") struct ModelTests {
  @Test("The store answers what the contract in memory answers", arguments: 0..<12)
  func agree(seed: Int) async throws {
    try await Fixture.run { fixture in
      var generator = SeededGenerator(seed: UInt64(seed))
      var options = DocumentStore.Options()
      options.inlineLimit = 24
      var clients: [DocumentStore] = []
      for _ in 0..<3 { clients.append(try await fixture.open(options: options)) }
      var run = Run(model: DocumentModel(epoch: try await clients[0].database.epoch))
      for step in 0..<120 {
        try await run.step(step, clients.randomElement(using: &generator)!, &generator)
      }
      #expect(try await clients[0].check().isEmpty)
    }
  }

  private struct Run {
    var model: DocumentModel
    var edits: [Edit] = []

    mutating func step(_ step: Int, _ store: DocumentStore, _ generator: inout SeededGenerator) async throws {
      let document = DocumentID(["a.md", "b/c.md", "é"].randomElement(using: &generator)!)
      switch Int.random(in: 0..<26, using: &generator) {
      case 0..<8: try await commit(edit(document, &generator), store)
      case 8, 9:
        guard let old = edits.randomElement(using: &generator) else { return }
        try await commit(old, store)
      case 10:
        guard let old = edits.randomElement(using: &generator) else { return }
        try await commit(
          Edit(of: document, expecting: old.expected, body: body(&generator), change: old.change), store)
      case 11, 12:
        let batch = [edit("a.md", &generator), edit("b/c.md", &generator)]
        let mine: Result<BatchResult, any Error>
        do { mine = .success(try model.commit(batch)) } catch { mine = .failure(error) }
        let theirs: Result<BatchResult, any Error>
        do { theirs = .success(try await store.commit(batch)) } catch { theirs = .failure(error) }
        compare(mine.map(Self.plain), theirs.map(Self.plain), "batch", step)
      case 13:
        let draft = Draft(
          scene: Self.scenes.randomElement(using: &generator)!, document: document, change: ChangeID(),
          base: model.revision(of: document)?.version ?? 0, body: text(&generator))
        try model.checkpoint(draft)
        try await store.checkpoint(draft)
      case 14:
        guard let draft = model.allDrafts().randomElement(using: &generator) else { return }
        try await commit(draft.edit, store)
      case 15:
        #expect(try await store.drafts() == model.allDrafts())
        let recovered = try await store.recover()
        #expect(recovered.map(\.draft) == model.recover().map(\.draft))
        #expect(recovered.map(\.standing.name) == model.recover().map(\.standing.name))
      case 16:
        let count = Int.random(in: 1...3, using: &generator)
        let removed = try await store.purge(keepingVersions: count).removed
        let expected = model.purge(keepingVersions: count)
        #expect(removed == Int64(expected))
      case 17:
        let after = HistoryToken(
          epoch: model.epoch,
          sequence: Int64.random(in: 0...(Int64(model.history.count) + 2), using: &generator))
        let expected = Self.plain(try model.history(after: after, limit: 5))
        let found = Self.plain(try await store.history(after: after, limit: 5))
        #expect(found == expected)
      case 18:
        guard let old = edits.randomElement(using: &generator) else { return }
        let expected = Self.plain(model.outcome(of: old.change))
        let found = Self.plain(try await store.outcome(of: old.change))
        #expect(found == expected)
      case 19:
        let scene = Self.scenes.randomElement(using: &generator)!
        try await store.discardDraft(scene: scene, document: document)
        model.discardDraft(scene: scene, document: document)
      case 20: try await consume(store, &generator)
      case 21:
        let prefix = ["", "b/", "a.md", "\u{e9}", "none"].randomElement(using: &generator)!
        let after = [nil, "a.md", "b/c.md"].randomElement(using: &generator)!.map { DocumentID($0) }
        let limit = Int.random(in: 1...3, using: &generator)
        let all = Bool.random(using: &generator)
        let expected = model.list(prefix: prefix, after: after, limit: limit, includingDeleted: all)
        let found = try await store.list(prefix: prefix, after: after, limit: limit, includingDeleted: all)
        #expect(found.items.map(Self.plain) == expected.items.map(Self.plain), "step \(step)")
        #expect(found.next == expected.next, "step \(step)")
      case 22: try await flush(document, store, &generator)
      default:
        let mine = model.revision(of: document)
        let theirs = try await store.revision(of: document)
        #expect(theirs.map(Self.plain) == mine.map(Self.plain))
        if let mine, !mine.isDeleted {
          let expected = try model.body(of: document).data
          let found = try await store.body(of: document).data
          #expect(found == expected)
        }
      }
    }

    private static let scenes = ["left", "right"]

    /// One turn of a consumer: reads on from its place, here or in another client, and acknowledges.
    private mutating func consume(_ store: DocumentStore, _ generator: inout SeededGenerator) async throws {
      let name = ["index", "widget"].randomElement(using: &generator)!
      let expected = try model.history(for: name, limit: 4)
      let found = try await store.history(after: nil, for: name, limit: 4)
      #expect(Self.plain(found) == Self.plain(expected))
      switch found {
      case .changes(_, let token), .startFromSnapshot(let token):
        try await store.acknowledge(token, for: name)
        model.acknowledge(token, for: name)
      }
    }

    /// What a keeper holds is a draft after a flush with time enough; a flush without time saves nothing.
    private mutating func flush(
      _ document: DocumentID, _ store: DocumentStore, _ generator: inout SeededGenerator
    ) async throws {
      let scene = Self.scenes.randomElement(using: &generator)!
      let base = model.revision(of: document)?.version ?? 0
      let keeper = store.draftKeeper(scene: scene, document: document, base: base, count: 1_000)
      let body = text(&generator)
      keeper.edited(body)
      let item = FlushItem(document: document, change: keeper.change, scene: scene)
      let hasTime = Bool.random(using: &generator)
      let report = await store.flush(until: hasTime ? store.system.clock.monotonic + 60_000_000_000 : 0)
      #expect(
        report == FlushReport(saved: hasTime ? [item] : [], unsaved: hasTime ? [] : [item], inDoubt: []))
      guard hasTime else { return }
      try model.checkpoint(
        Draft(scene: scene, document: document, change: keeper.change, base: base, body: body))
    }

    private mutating func commit(_ edit: Edit, _ store: DocumentStore) async throws {
      edits.append(edit)
      let mine: Result<CommitResult, any Error>
      do { mine = .success(try model.commit(edit)) } catch { mine = .failure(error) }
      let theirs: Result<CommitResult, any Error>
      do { theirs = .success(try await store.commit(edit)) } catch { theirs = .failure(error) }
      compare(mine.map(Self.plain), theirs.map(Self.plain), "\(edit)", edits.count)
    }

    private func edit(_ document: DocumentID, _ generator: inout SeededGenerator) -> Edit {
      let current = model.revision(of: document)?.version ?? 0
      let expected = Int.random(in: 0..<4, using: &generator) == 0 ? max(0, current - 1) : current
      return Edit(of: document, expecting: expected, body: body(&generator))
    }

    private func body(_ generator: inout SeededGenerator) -> Body {
      Int.random(in: 0..<6, using: &generator) == 0 ? .deleted : .data(text(&generator))
    }

    /// On both sides of the inline limit.
    private func text(_ generator: inout SeededGenerator) -> Data {
      Data(
        (0..<Int.random(in: 0...40, using: &generator)).map { _ in
          UInt8.random(in: 97...99, using: &generator)
        })
    }

    private func compare(
      _ mine: Result<String, any Error>, _ theirs: Result<String, any Error>, _ what: String, _ step: Int
    ) {
      switch (mine, theirs) {
      case (.success(let one), .success(let other)): #expect(one == other, "step \(step): \(what)")
      case (.failure(let one), .failure(let other)): #expect("\(one)" == "\(other)", "step \(step): \(what)")
      default: Issue.record("step \(step): \(what): model \(mine), store \(theirs)")
      }
    }

    /// What both must agree on: all but who wrote it when.
    private static func plain(_ revision: Revision) -> String {
      "\(revision.document)@\(revision.version) \(revision.change) on \(revision.base) \(revision.digest) "
        + "\(revision.size) \(revision.isDeleted) #\(revision.sequence) \(revision.batch?.description ?? "-")"
    }

    private static func plain(_ result: CommitResult) -> String {
      switch result {
      case .committed(let revision): "committed \(plain(revision))"
      case .alreadyCommitted(let recorded, let current): "already \(plain(recorded)) now \(plain(current))"
      case .conflict(let current): "conflict \(current.map(plain) ?? "nothing")"
      }
    }

    private static func plain(_ result: BatchResult) -> String {
      switch result {
      case .committed(let revisions): "committed \(revisions.map(plain))"
      case .alreadyCommitted(let recorded, let current):
        "already \(recorded.map(plain)) now \(current.map(plain))"
      case .conflict(let conflicts):
        "conflict "
          + conflicts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.map(plain) ?? "nothing")" }
          .joined()
      }
    }

    private static func plain(_ result: HistoryResult) -> String {
      switch result {
      case .changes(let changes, let next): "changes \(changes.map(plain)) \(next)"
      case .startFromSnapshot(let token): "snapshot \(token)"
      }
    }

    private static func plain(_ outcome: ChangeOutcome) -> String {
      switch outcome {
      case .committed(let revision): plain(revision)
      case .notCommitted: "not committed"
      }
    }
  }
}
