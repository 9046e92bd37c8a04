import TenureGroup
import TenureStorage
import TenureSystem
import TenureTesting
import TenureTrace

/// What one client of a group database does and is told: small rows, rows with a body file, rows committed as a
/// group, a body replaced, a sweep. Runs on a disk that can fail or be cut.
final class NoteSession: Sendable {
  static let path = "/box"
  static let notes = Component(name: "notes", version: 1) { connection, from in
    if from < 1 {
      try connection.script(
        "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT, body TEXT, digest TEXT, size INTEGER)")
    }
  }

  static var options: GroupDatabase.Options {
    var options = GroupDatabase.Options()
    options.reserve = 8192
    // Small, so that a short session sees checkpoints and the log starting anew.
    options.logSoftBound = 12 * 4096
    options.readers = 1
    return options
  }

  static func open(_ system: System, guards: StorageGuards = StorageGuards()) async throws -> GroupDatabase {
    let container = try GroupContainer.open(at: path, system: system, trace: .off)
    return try await GroupDatabase.open(
      container, components: [notes], options: options, guards: guards)
  }

  /// What the client knows of the note of each number.
  enum Answer: Sendable, Hashable { case committed, refused }

  private let told = Lock([Int64: Answer]())
  private let errors = Lock([String]())
  private let acknowledge: @Sendable (String) -> Void

  /// Says `acknowledge` with the note's number as soon as the client was told that it is committed.
  init(acknowledge: @escaping @Sendable (String) -> Void = { _ in }) { self.acknowledge = acknowledge }

  var answers: [Int64: Answer] { told.withLock { $0 } }

  /// Why notes were refused, in order, for messages.
  var refusals: [String] { errors.withLock { $0 } }

  /// The session. Errors of single steps are answers; only what makes going on impossible is thrown.
  func run(on database: GroupDatabase) async {
    for id in 1...3 { await add(Int64(id), to: database) }
    await addWithBody(4, bytes: 6000, to: database)
    await withTaskGroup(of: Void.self) { group in
      for id in 5...8 { group.addTask { await self.add(Int64(id), to: database) } }
    }
    await addWithBody(9, bytes: 700, to: database)
    await replaceBody(of: 4, bytes: 9000, in: database)
    _ = try? await Self.sweep(database)
    for id in 10...16 { await add(Int64(id), to: database) }
  }

  func add(_ id: Int64, to database: GroupDatabase) async {
    await settle(id, in: database) {
      try await database.write("add") {
        try $0.connection.run("INSERT INTO note(id, text) VALUES (?, ?)", .integer(id), .text(Self.text(id)))
      }
    }
  }

  private func addWithBody(_ id: Int64, bytes: Int, to database: GroupDatabase) async {
    await settle(id, in: database) {
      let body = try await database.bodies.write(Self.content(id, bytes))
      try await database.write("add with body") {
        try $0.connection.run(
          "INSERT INTO note(id, text, body, digest, size) VALUES (?, ?, ?, ?, ?)", .integer(id),
          .text(Self.text(id)), .text(body.name), .text(body.digest), .integer(body.size))
      }
    }
  }

  /// The note stays acknowledged whatever comes of this: it has the old body or the new one.
  private func replaceBody(of id: Int64, bytes: Int, in database: GroupDatabase) async {
    do {
      let body = try await database.bodies.write(Self.content(id, bytes))
      try await database.write("replace body") { transaction in
        let old = try transaction.connection.text("SELECT body FROM note WHERE id = ?", .integer(id))
        try transaction.connection.run(
          "UPDATE note SET body = ?, digest = ?, size = ? WHERE id = ?", .text(body.name),
          .text(body.digest), .integer(body.size), .integer(id))
        if let old { try transaction.sweep(old) }
      }
    } catch StorageError.inDoubt {
      try? await database.resolveDoubt()
    } catch {}
  }

  /// Finds the true answer of a write: a commit in doubt is asked for after the barrier.
  private func settle(
    _ id: Int64, in database: GroupDatabase, _ write: () async throws -> Void
  ) async {
    let answer: Answer
    do {
      try await write()
      answer = .committed
    } catch StorageError.inDoubt {
      guard (try? await database.resolveDoubt()) != nil,
        let ids = try? await Self.ids(database)
      else { return }
      answer = ids.contains(id) ? .committed : .refused
    } catch {
      answer = .refused
      errors.withLock { $0.append("note \(id): \(error)") }
    }
    told.withLock { $0[id] = answer }
    if answer == .committed { acknowledge("\(id)") }
  }

  static func text(_ id: Int64) -> String { String(repeating: "note \(id) ", count: 40) }

  private static let contents = Lock([Int64: [UInt8]]())

  /// The body of a note: the first bytes of an endless text of its own.
  static func content(_ id: Int64, _ count: Int) -> [UInt8] {
    let whole = contents.withLock { contents in
      if let known = contents[id] { return known }
      let made = (0..<10_000).map { UInt8(truncatingIfNeeded: Int(id) &* 31 &+ $0 &* 7 &+ $0 / 256) }
      contents[id] = made
      return made
    }
    return Array(whole.prefix(count))
  }

  static func ids(_ database: GroupDatabase) async throws -> Set<Int64> {
    Set(try await database.read { try $0.query("SELECT id FROM note") { $0.integer(0) } })
  }

  static func sweep(_ database: GroupDatabase) async throws -> GroupDatabase.SweepReport {
    try await database.sweep { connection, names in
      Set(try connection.query("SELECT body FROM note WHERE body IS NOT NULL") { $0.text(0) })
        .intersection(names)
    }
  }

  /// Looks at everything: the notes that are there, and what is wrong with any of them.
  static func inspect(_ database: GroupDatabase) async throws -> (ids: Set<Int64>, problems: [String]) {
    let bodies = database.bodies
    return try await database.read { connection in
      var problems: [String] = []
      if let check = try connection.text("PRAGMA integrity_check"), check != "ok" { problems.append(check) }
      let rows = try connection.query("SELECT id, text, body, digest, size FROM note") {
        (
          id: $0.integer(0), text: $0.text(1), body: $0.optionalText(2), digest: $0.optionalText(3) ?? "",
          size: $0.optionalInteger(4) ?? 0
        )
      }
      for row in rows {
        if row.text != text(row.id) { problems.append("note \(row.id) has another text") }
        guard let name = row.body else { continue }
        guard let file = try bodies.open(name) else {
          problems.append("note \(row.id) has no body")
          continue
        }
        do {
          let body = BodyFile(name: name, digest: row.digest, size: row.size)
          if try bodies.contents(of: body, in: file) != content(row.id, Int(row.size)) {
            problems.append("note \(row.id) has another body")
          }
        } catch { problems.append("note \(row.id): \(error)") }
      }
      return (Set(rows.map(\.id)), problems)
    }
  }
}
