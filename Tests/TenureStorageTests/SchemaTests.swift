import TenureSystem
import TenureTrace
import Testing

@testable import TenureStorage

/// D12, D14 and G4.
@Suite("Schema and epoch") struct SchemaTests {
  private static let wider = Component(name: "notes", version: 2) { connection, from in
    if from < 1 { try Box.notes.migrate(connection, 0) }
    try connection.script("ALTER TABLE note ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0")
  }

  @Test("D12: an older process that is already open notices in its next transaction, and writes nothing")
  func olderProcess() async throws {
    let box = try Box()
    let old = try await box.open()
    try await old.add("before")
    let new = try await box.open([Self.wider])
    for _ in 0..<2 {
      let error = await failure { try await old.add("from old code") }
      guard case .newerSchema("notes", found: 2, known: 1) = error else {
        Issue.record("noticed: \(String(describing: error))")
        return
      }
      #expect(error?.isRetryable == false)
    }
    #expect(try await new.titles == ["before"])
    #expect(box.ring.events(SchemaFound.self).last?.wrote == false)
    guard case .newerSchema = await failure({ try await box.open() }) else {
      Issue.record("opening with old code is refused, too")
      return
    }
    try await new.add("from new code")
    await old.close()
    await new.close()
  }

  @Test("D12: without its guard old code writes into new tables")
  func guardD12() async throws {
    let box = try Box()
    let old = try await box.open(guards: StorageGuards(d12: false))
    let new = try await box.open([Self.wider])
    try await old.add("from old code")
    #expect(try await new.titles == ["from old code"])
    await old.close()
    await new.close()
  }

  @Test("G4: many that open at once migrate once")
  func migratesOnce() async throws {
    let box = try Box()
    let runs = Monitor(0)
    let component = Component(name: "once", version: 1) { connection, from in
      runs.change { $0 += 1 }
      try connection.script("CREATE TABLE once(x)")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { try await box.open([component]).close() }
      }
      try await group.waitForAll()
    }
    #expect(runs.withLock { $0 } == 1)
  }

  @Test("G4: a migration that throws leaves the tables and their version as they were")
  func migrationFails() async throws {
    struct Broken: Error {}
    let box = try Box()
    try await box.open().close()
    let broken = Component(name: "notes", version: 2) { connection, _ in
      try connection.script("DROP TABLE note")
      throw Broken()
    }
    guard case .migrationFailed("notes", from: 1, to: 2, _) = await failure({ try await box.open([broken]) })
    else {
      Issue.record("named")
      return
    }
    let again = try await box.open()
    #expect(try await again.titles.isEmpty)
    await again.close()
  }

  @Test("D14: a process that has the container from before a restore writes nothing")
  func epoch() async throws {
    let box = try Box()
    let database = try await box.open()
    try box.outside().run("UPDATE tenure_state SET epoch = 'restored', generation = generation + 1")
    guard case .epochChanged(_, found: "restored") = await failure({ try await database.add("stale") }) else {
      Issue.record("noticed")
      return
    }
    #expect(try await database.titles.isEmpty)
    #expect(try await database.epoch == "restored")
    await database.close()
  }
}
