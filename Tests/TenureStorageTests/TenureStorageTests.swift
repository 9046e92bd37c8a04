import TenureGroup
import TenureSystem
import TenureTrace
import Testing

@testable import TenureStorage

@Suite struct Smoke {
  @Test func works() async throws {
    let path = "/tmp/tenure-smoke-\(UInt64.random(in: 0...(.max)))"
    let container = try GroupContainer.open(at: path, trace: .off)
    let c = Component(name: "t", version: 1) { connection, from in
      try connection.script("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)")
    }
    let db = try await GroupDatabase.open(container, components: [c])
    let s = try await db.write("w") { t in
      try t.connection.run("INSERT INTO t(v) VALUES (?)", "x")
      return try t.nextSequence()
    }
    #expect(s == 1)
    try await withThrowingTaskGroup(of: Void.self) { g in
      for i in Int64(0)..<100 {
        g.addTask {
          try await db.write("w") { try $0.connection.run("INSERT INTO t(v) VALUES (?)", .integer(i)) }
        }
      }
      try await g.waitForAll()
    }
    #expect(try await db.read { try $0.integer("SELECT count(*) FROM t") } == 101)
    await db.suspend()
    db.resume()
    #expect(try await db.sequence == 1)
    await db.close()
  }
}
