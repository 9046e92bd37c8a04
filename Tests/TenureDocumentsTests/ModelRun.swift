import TenureState
import TenureSystem
import TenureTesting
import Testing

@testable import TenureDocuments

/// One run of random commands, each done to a store and to the model.
struct ModelRun {
  private enum Command: String, CaseIterable {
    case commit, resend, reuse, batch, checkpoint, commitDraft, damage, recover, discard, flush, merge,
      observe
    case unobserve, purge, history, consume, outcome, list, read

    /// How often it comes, compared with the others.
    var weight: Int {
      switch self {
      case .commit: 8
      case .merge, .read: 3
      case .resend, .batch, .observe, .checkpoint: 2
      default: 1
      }
    }

    static let weighted = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
  }

  private static let scenes = ["left", "right"]
  private static let documents: [DocumentID] = ["a.md", "b/c.md", "é"]

  private let seed: Int
  private var model: DocumentModel
  private var random: SeededGenerator
  private var edits: [Edit] = []
  private var observations: [Observation] = []
  /// Every command so far, for whoever has to find out.
  private var trail: [String] = []

  init(seed: Int, epoch: String) {
    self.seed = seed
    random = SeededGenerator(seed: UInt64(seed))
    model = DocumentModel(epoch: epoch)
  }

  /// One command, by one of the clients.
  mutating func step(_ clients: [DocumentStore]) async throws {
    let client = Int.random(in: 0..<clients.count, using: &random)
    let document = pick(Self.documents)
    let command = pick(Command.weighted)
    trail.append("\(command.rawValue) \(document) by \(client)")
    try await perform(command, document, clients[client])
  }

  private mutating func perform(
    _ command: Command, _ document: DocumentID, _ store: DocumentStore
  ) async throws {
    switch command {
    case .commit: try await commit(edit(document), store)
    case .resend: if let old = edits.randomElement(using: &random) { try await commit(old, store) }
    case .reuse:
      guard let old = edits.randomElement(using: &random) else { return }
      let other = Edit(of: document, expecting: old.expected, body: body(), change: old.change)
      try await commit(other, store)
    case .batch:
      let batch = [edit("a.md"), edit("b/c.md")]
      let expected = Result { try model.commit(batch) }
      let found = await Self.result { try await store.commit(batch) }
      same(found.map(Self.plain), expected.map(Self.plain))
    case .checkpoint:
      let draft = Draft(
        scene: pick(Self.scenes), document: document, change: ChangeID(), base: current(document),
        body: text())
      try model.checkpoint(draft)
      try await store.checkpoint(draft)
    case .commitDraft:
      if let draft = model.allDrafts().randomElement(using: &random) { try await commit(draft.edit, store) }
    case .damage: try await damage(store)
    case .recover:
      same(try await store.drafts(), model.allDrafts())
      let (found, expected) = (try await store.recover(), model.recover())
      same(found.map(\.draft), expected.map(\.draft))
      same(found.map(\.standing.name), expected.map(\.standing.name))
    case .discard:
      let scene = pick(Self.scenes)
      try await store.discardDraft(scene: scene, document: document)
      model.discardDraft(scene: scene, document: document)
    case .flush: try await flush(document, store)
    case .merge: try await merge(document, store)
    case .observe: try await observe(document, store)
    case .unobserve:
      guard let index = observations.indices.randomElement(using: &random) else { return }
      check(observations.remove(at: index))
    case .purge:
      let count = Int.random(in: 1...3, using: &random)
      same(try await store.purge(keepingVersions: count).removed, Int64(model.purge(keepingVersions: count)))
    case .history:
      let last = Int64(model.history.count) + 2
      let after = HistoryToken(epoch: model.epoch, sequence: Int64.random(in: 0...last, using: &random))
      let expected = Self.plain(try model.history(after: after, limit: 5))
      same(Self.plain(try await store.history(after: after, limit: 5)), expected)
    case .consume: try await consume(store)
    case .outcome:
      guard let old = edits.randomElement(using: &random) else { return }
      same(Self.plain(try await store.outcome(of: old.change)), Self.plain(model.outcome(of: old.change)))
    case .list: try await list(store)
    case .read:
      let expected = model.revision(of: document)
      same(try await store.revision(of: document).map(Self.plain), expected.map(Self.plain))
      if let expected, !expected.isDeleted {
        same(try await store.body(of: document).data, try model.body(of: document).data)
      }
    }
  }

  /// What is left when all is done: nobody missed the last commit, and nothing is wrong but what was damaged here.
  mutating func end(_ store: DocumentStore) async throws {
    trail.append("end")
    for observation in observations {
      let last = current(observation.document)
      let isSeen = try await observation.waits(for: last)
      if !isSeen { fail("an observer of \(observation.document) never heard of version \(last)") }
      check(observation)
    }
    for item in model.recover() where item.damage != nil {
      try await store.discardDraft(scene: item.draft.scene, document: item.draft.document)
    }
    same(try await store.check(), [])
  }

  // MARK: Commands

  private mutating func commit(_ edit: Edit, _ store: DocumentStore) async throws {
    edits.append(edit)
    let expected = Result { try model.commit(edit) }
    let found = await Self.result { try await store.commit(edit) }
    same(found.map(Self.plain), expected.map(Self.plain))
  }

  /// Other bytes of the same length in the row or file of a draft.
  private mutating func damage(_ store: DocumentStore) async throws {
    guard let draft = model.allDrafts().filter({ !$0.body.isEmpty }).randomElement(using: &random) else {
      return
    }
    let bytes = [UInt8](repeating: 0, count: draft.body.count)
    let file = try await store.database.write("test") { transaction -> String? in
      let row = try DraftTable.find(transaction.connection, scene: draft.scene, document: draft.document)
      if let file = row?.body.file { return file }
      try transaction.connection.run(
        "UPDATE drafts SET inline = ? WHERE scene = ? AND document = ?", .blob(bytes), .text(draft.scene),
        .text(draft.document.rawValue))
      return nil
    }
    if let file {
      let path = store.database.container.bodiesPath.appendingPath(file)
      try System.live.open(path, .write).writeAll(bytes, at: 0)
    }
    model.damageDraft(
      scene: draft.scene, document: draft.document, leaving: Data(bytes), reason: "other bytes")
  }

  /// One turn of a consumer: reads on from its place, here or in another client, and acknowledges.
  private mutating func consume(_ store: DocumentStore) async throws {
    let name = pick(["index", "widget"])
    let expected = try model.history(for: name, limit: 4)
    let found = try await store.history(after: nil, for: name, limit: 4)
    same(Self.plain(found), Self.plain(expected))
    switch found {
    case .changes(_, let token), .startFromSnapshot(let token):
      try await store.acknowledge(token, for: name)
      model.acknowledge(token, for: name)
    }
  }

  /// What a keeper holds is a draft after a flush with time enough; a flush without time saves nothing.
  private mutating func flush(_ document: DocumentID, _ store: DocumentStore) async throws {
    let (scene, base, body) = (pick(Self.scenes), current(document), text())
    let keeper = store.draftKeeper(scene: scene, document: document, base: base, count: 1_000)
    keeper.edited(body)
    let item = FlushItem(document: document, change: keeper.change, scene: scene)
    let hasTime = Bool.random(using: &random)
    let report = await store.flush(until: hasTime ? store.system.clock.monotonic + 60_000_000_000 : 0)
    same(report, FlushReport(saved: hasTime ? [item] : [], unsaved: hasTime ? [] : [item], inDoubt: []))
    guard hasTime else { return }
    try model.checkpoint(
      Draft(scene: scene, document: document, change: keeper.change, base: base, body: body))
  }

  /// Onto the current version or an earlier one; the merged body is then committed like any other. Now and then
  /// one side is what the base was: then the other side comes out.
  private mutating func merge(_ document: DocumentID, _ store: DocumentStore) async throws {
    let theirs = max(0, current(document) - Int64(pick([0, 0, 0, 1])))
    let expected = max(0, theirs - Int64.random(in: 0...2, using: &random))
    let base = try? model.body(of: document, version: expected).data
    var mine = Edit(of: document, expecting: expected, body: body())
    let isUnchanged = base != nil && Int.random(in: 0..<3, using: &random) == 0
    if isUnchanged, let base { mine = Edit(of: document, expecting: expected, body: .data(base)) }

    let rule: (any MergeRule)? = document.kind == "md" ? LineMerge() : nil
    let wanted = Result { try model.merge(mine, onto: theirs, by: rule) }
    let found = await Self.result { [mine] in try await store.merge(mine, onto: theirs) }
    same(found.map(Self.plain), wanted.map(Self.plain))
    guard case .success(.merged(let merged)) = found else { return }
    let other = try model.body(of: document, version: theirs).data
    if isUnchanged { same(merged, other) }
    if other == base ?? Data(), case .data(let own) = mine.body { same(merged, own) }
    if theirs == current(document) {
      try await commit(Edit(of: document, expecting: theirs, body: .data(merged)), store)
    }
  }

  private mutating func observe(_ document: DocumentID, _ store: DocumentStore) async throws {
    let observation = try await Observation(of: document, in: store)
    same(observation.first.value.map(Self.plain), model.revision(of: document).map(Self.plain))
    same(observation.first.version, current(document))
    observations.append(observation)
  }

  /// Whatever it heard of, and when, was newer each time.
  private func check(_ observation: Observation) {
    let versions = observation.versions
    if versions != Set(versions).sorted() {
      fail("an observer of \(observation.document) heard of versions \(versions)")
    }
  }

  private mutating func list(_ store: DocumentStore) async throws {
    let prefix = pick(["", "b/", "a.md", "\u{e9}", "none"])
    let after = pick([nil, "a.md", "b/c.md"]).map { DocumentID($0) }
    let limit = Int.random(in: 1...3, using: &random)
    let all = Bool.random(using: &random)
    let expected = model.list(prefix: prefix, after: after, limit: limit, includingDeleted: all)
    let found = try await store.list(prefix: prefix, after: after, limit: limit, includingDeleted: all)
    same(found.items.map(Self.plain), expected.items.map(Self.plain))
    same(found.next, expected.next)
  }

  // MARK: Choices

  private mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  private func current(_ document: DocumentID) -> Int64 { model.revision(of: document)?.version ?? 0 }

  private mutating func edit(_ document: DocumentID) -> Edit {
    let isStale = Int.random(in: 0..<4, using: &random) == 0
    return Edit(of: document, expecting: max(0, current(document) - (isStale ? 1 : 0)), body: body())
  }

  private mutating func body() -> Body {
    Int.random(in: 0..<6, using: &random) == 0 ? .deleted : .data(text())
  }

  /// Short lines, on both sides of the inline limit.
  private mutating func text() -> Data {
    Data((0..<Int.random(in: 0...40, using: &random)).map { _ in pick([97, 98, 10]) })
  }

  // MARK: Comparing

  private static func result<Value>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }

  private func same<Value: Equatable>(_ found: Value, _ expected: Value) {
    if found != expected { fail("the store said \(found), the model \(expected)") }
  }

  private func same(_ found: Result<String, any Error>, _ expected: Result<String, any Error>) {
    func text(_ result: Result<String, any Error>) -> String {
      switch result {
      case .success(let text): text
      case .failure(let error): "error: \(error)"
      }
    }
    same(text(found), text(expected))
  }

  private func fail(_ what: String) {
    Issue.record("seed \(seed), command \(trail.count): \(what)\nafter \(trail.joined(separator: "; "))")
  }
}
