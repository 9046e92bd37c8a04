import TenureStorage
import TenureSystem

extension DocumentStore {
  /// Looks at everything there is: the database's own integrity check, every body against its digest, every
  /// draft, every current version, and files that belong to nothing. Changes nothing. An empty list is a clean store.
  ///
  /// Pages through the versions, so that no read is long; versions purged meanwhile are passed over.
  public func check() async throws -> [StoreProblem] {
    var problems = try await reading("integrity check") { connection in
      try connection.query("PRAGMA integrity_check") { $0.text(0) }
    }.filter { $0 != "ok" }.map(StoreProblem.database)
    problems += try await reading("check") { try CheckTables.currentWithoutChange($0) }
    problems += try await reading("check") { try CheckTables.impossibleNumbers($0) }
    problems += try await checkBodies()
    problems += try await checkDrafts()
    problems += try await orphans()
    return problems
  }

  private func checkDrafts() async throws -> [StoreProblem] {
    try await damagedDrafts().compactMap { found in
      found.damage.map { .draftDamaged(found.draft.document, scene: found.draft.scene, detail: $0) }
    }
  }

  private func checkBodies() async throws -> [StoreProblem] {
    var problems: [StoreProblem] = []
    var cursor: Int64 = 0
    while true {
      try Task.checkCancellation()
      let start = cursor
      let page = try await reading("check") { try HistoryTables.changes($0, after: start, limit: 100) }
      guard let last = page.last else { return problems }
      cursor = last.sequence
      for revision in page where !revision.isDeleted {
        if let problem = try await problem(with: revision) { problems.append(problem) }
      }
    }
  }

  private func problem(with revision: Revision) async throws -> StoreProblem? {
    let place = try await reading("check") { try DocumentTables.place($0, sequence: revision.sequence) }
    guard let place else { return nil }
    do {
      if let bytes = place.inline {
        try Self.verify(bytes, revision)
        return nil
      }
      guard let name = place.file else {
        return .bodyDamaged(
          revision.document, version: revision.version, detail: "the row has neither bytes nor a file")
      }
      let bodies = database.bodies
      let isThere = try await files.run { () throws -> Bool in
        guard let file = try bodies.open(name) else { return false }
        try bodies.verify(revision.bodyFile, in: file)
        return true
      }
      if isThere { return nil }
      let isKept = try await reading("check") {
        try DocumentTables.place($0, sequence: revision.sequence) != nil
      }
      return isKept ? .bodyMissing(revision.document, version: revision.version, file: name) : nil
    } catch DocumentError.bodyDamaged(let document, let version, let detail) {
      return .bodyDamaged(document, version: version, detail: detail)
    } catch StorageError.bodyDamaged(let path, let detail) {
      return .bodyDamaged(revision.document, version: revision.version, detail: "\(path): \(detail)")
    } catch let error as StorageError {
      // The file's own failure; the database's come as a DocumentError. The others may still be whole.
      return .bodyUnreadable(revision.document, version: revision.version, detail: error.description)
    }
  }

  private func orphans() async throws -> [StoreProblem] {
    let (system, directory) = (system, database.bodies.directory)
    let held: Set<String>
    let names: [String]
    do {
      (names, held) = try await files.run { [container = database.container] in
        // In this order: a maker that begins after the look at the leases has no file in the list yet.
        let names = try system.status(directory) == nil ? [] : try system.list(directory)
        return (names, try BodyMakers.alive(in: container))
      }
    } catch let error as SystemError {
      throw DocumentError.bodyUnreadable(error)
    }
    let candidates = names.filter { !BodyMakers.isMade($0, byAnyOf: held) }
    return try await reading("check") { connection in
      try candidates.filter { try !DocumentTables.isReferenced(connection, file: $0) }
        .map { StoreProblem.orphan(file: $0) }
    }
  }
}

/// The statements of a check.
enum CheckTables {
  /// Numbers that nothing here ever writes: history and versions are counted by ones, from 1.
  static func impossibleNumbers(_ connection: SQLiteConnection) throws -> [StoreProblem] {
    let versions = try connection.query(
      "SELECT document, version, sequence FROM changes WHERE version < 1 OR sequence < 1 LIMIT 100"
    ) {
      StoreProblem.database(
        "\($0.text(0)) has version \($0.integer(1)) at place \($0.integer(2)) of the history")
    }
    let extent = try HistoryTables.storedExtent(connection)
    let purged =
      extent.isPossible
      ? [] : [StoreProblem.database("the history is said to be purged up to \(extent.purged)")]
    let state = try connection.query(
      """
      SELECT sequence FROM tenure_state WHERE sequence < 0 OR sequence = 9223372036854775807
      OR sequence < (SELECT max(sequence) FROM changes)
      """
    ) { StoreProblem.database("the last number of the history is said to be \($0.integer(0))") }
    return versions + purged + state
  }

  static func currentWithoutChange(_ connection: SQLiteConnection) throws -> [StoreProblem] {
    try connection.query(
      """
      SELECT d.id, d.version FROM documents d LEFT JOIN changes c ON c.sequence = d.sequence
      WHERE c.version IS NULL OR c.document <> d.id OR c.version <> d.version
      """
    ) { .currentMissing(DocumentID($0.text(0)), version: $0.integer(1)) }
  }
}
