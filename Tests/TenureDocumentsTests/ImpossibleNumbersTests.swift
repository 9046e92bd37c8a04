import TenureStorage
import TenureSystem
import Testing

@testable import TenureDocuments

/// What something else wrote into the tables: every number of every table, at its ends and of the wrong type.
@Suite("Impossible numbers") struct ImpossibleNumbersTests {
  static let columns = [
    "changes.sequence", "changes.version", "changes.base", "changes.size", "changes.wall", "changes.writer",
    "documents.version", "documents.sequence", "writers.id", "writers.pid", "drafts.id", "drafts.base",
    "drafts.size", "drafts.wall", "scene_state.wall", "consumers.sequence", "consumers.wall",
    "history.purged",
    "tenure_state.sequence", "tenure_state.generation", "tenure_state.barrier", "tenure_component.version",
  ]
  /// And where bytes or text belong.
  static let others = [
    "changes.change", "changes.digest", "changes.inline", "changes.file", "changes.batch", "changes.document",
    "documents.id", "writers.process", "drafts.change", "drafts.digest", "drafts.inline", "drafts.file",
    "drafts.document", "drafts.scene", "scene_state.state", "consumers.epoch", "consumers.name",
    "tenure_state.epoch", "tenure_component.name",
  ]
  static let values: [SQLiteValue] = [
    .integer(.min), .integer(.min + 1), .integer(-1), .integer(0), .integer(.max - 1), .integer(.max),
    .text("nonsense"), .blob([0xFF, 0xFE]), .real(.infinity), .null,
  ]
  static let otherValues: [SQLiteValue] = [.integer(.max), .text("nonsense"), .blob([0xFF, 0xFE]), .null]

  @Test(
    "A number that nobody here writes is an answer or an error in every call, and never a trap",
    arguments: columns.map { ($0, values) } + others.map { ($0, otherValues) })
  func everyCall(column: String, values: [SQLiteValue]) async throws {
    let written = Lock(0)
    for value in values {
      try await Fixture.run { fixture in
        try await fill(try await fixture.open())
        let parts = column.split(separator: ".")
        do {
          let outside = try SQLiteConnection(fixture.path + "/tenure.sqlite", .write)
          // One row is enough, and the others are then those it is compared with.
          try outside.run("PRAGMA ignore_check_constraints = ON")
          try outside.run(
            "UPDATE \(parts[0]) SET \(parts[1]) = ? WHERE \(parts[1]) = (SELECT max(\(parts[1])) FROM \(parts[0]))",
            value)
        } catch StorageError.constraint {
          return  // Refused by the table: it cannot get there.
        } catch StorageError.statement {
          return  // A row ID takes no other type.
        }
        written.withLock { $0 += 1 }
        await callEverything(of: fixture, "\(column) = \(value)")
      }
    }
    #expect(written.withLock { $0 } > 1, "some of the values get into the table")
  }

  private func fill(_ store: DocumentStore) async throws {
    for version in 0..<4 { try await store.write("text \(version)", to: "a.md", expecting: Int64(version)) }
    try await store.write("other", to: "b.md", expecting: 0)
    _ = try await store.commit([
      Edit(of: "c.md", expecting: 0, body: .data(Data(count: 200_000))),
      Edit(of: "d.md", expecting: 0, body: .data(data("d"))),
    ])
    try await store.checkpoint(
      Draft(scene: "s", document: "a.md", change: ChangeID(), base: 4, body: data("draft")))
    try await store.checkpoint(
      Draft(scene: "t", document: "c.md", change: ChangeID(), base: 1, body: Data(count: 200_000)))
    try await store.saveState(data("state"), ofScene: "s")
    _ = try await store.history(after: nil, for: "index")
  }

  /// Each call ends; what it answers or throws is its own affair, but a throw is one of ours.
  private func callEverything(of fixture: Fixture, _ what: String) async {
    await call("open", what) {
      let store = try await fixture.open()
      await callEverything(of: store, what)
    }
  }

  private func callEverything(of store: DocumentStore, _ what: String) async {
    let documents: [DocumentID] = ["a.md", "b.md", "c.md", "e.md"]
    await call("check", what) { for problem in try await store.check() { _ = problem.description } }
    await call("list", what) { _ = try await store.list(limit: 3, includingDeleted: true) }
    await call("drafts", what) { _ = try await store.drafts() }
    await call("draftEntries", what) { _ = try await store.draftEntries().map(\.isConflict) }
    await call("state", what) { _ = try await store.state(ofScene: "s") }
    await call("consumers", what) { _ = try await store.consumers().map(\.behind) }
    await call("history", what) { try await readHistory(of: store) }
    await call("sequence", what) { _ = try await store.database.sequence }
    for document in documents {
      await call("revision", what) { _ = try await store.revision(of: document) }
      await call("versions", what) { _ = try await store.versions(of: document) }
      await call("body", what) { _ = try await store.body(of: document) }
      await call("withBodyFile", what) { try await store.withBodyFile(of: document) { _, _ in } }
      await call("observe", what) { _ = try await store.observe(document) { _ in } }
    }
    await call("recover", what) { _ = try await store.recover() }
    await call("acknowledge", what) {
      let token = HistoryToken(epoch: try await store.database.epoch, sequence: 2)
      try await store.acknowledge(token, for: "index")
    }
    await call("purge", what) { _ = try await store.purge(keepingVersions: 1) }
    for document in documents {
      let current = (try? await store.revision(of: document))??.version ?? 0
      for expected in Set([current, 0, 1, 4, .max - 1]) {
        let edit = Edit(of: document, expecting: expected, body: .data(data("new")))
        await call("commit", what) { _ = try await store.commit(edit) }
        await call("outcome", what) { _ = try await store.outcome(of: edit.change) }
      }
    }
    await call("purge", what) { _ = try await store.purge(keepingVersions: 1) }
    await call("check", what) { _ = try await store.check() }
  }

  /// Goes to the end, which must come; consumers by what is kept for them.
  private func readHistory(of store: DocumentStore) async throws {
    for consumer in [nil, "index", "new"] {
      var token: HistoryToken?
      var isAtEnd = false
      for _ in 0..<20 where !isAtEnd {
        switch try await store.history(after: consumer == nil ? token : nil, for: consumer, limit: 3) {
        case .changes(let changes, let next):
          isAtEnd = changes.isEmpty
          token = next
        case .startFromSnapshot(let next): token = next
        }
        if let consumer, let token { try await store.acknowledge(token, for: consumer) }
      }
      #expect(isAtEnd, "the history goes in circles")
    }
  }

  private func call(_ name: String, _ what: String, _ body: () async throws -> Void) async {
    do { try await body() } catch is DocumentError {
    } catch is StorageError {
    } catch is CommitInDoubt {
    } catch {
      Issue.record("\(what): \(name) throws \(type(of: error)): \(error)")
    }
  }
}
