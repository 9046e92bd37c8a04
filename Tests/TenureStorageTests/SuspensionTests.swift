import TenureGroup
import TenureSystem
import TenureTesting
import Testing

@testable import TenureStorage

/// Point 10 of the storage protocol, G2.
@Suite("Suspension") struct SuspensionTests {
  static let endless =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"

  private func held(_ box: Box) -> [HeldLock] { GroupLock.heldNow.filter { $0.path.hasPrefix(box.path) } }

  @Test("A write in the middle of a statement is stopped and undone; nothing is held; it fails as retryable")
  func failing() async throws {
    let box = try Box()
    let database = try await box.open()
    _ = try database.lease.taken()
    let started = ThreadGate()
    started.open()
    let write = Task {
      await failure {
        try await database.write("endless") { transaction in
          try transaction.connection.run("INSERT INTO note(title) VALUES ('half')")
          started.pass()
          try transaction.connection.run(Self.endless)
        }
      }
    }
    try await started.arrival()
    let waiting = Task { await failure { try await database.add("waits") } }
    while database.queue.count < 1 { await Task.yield() }
    await database.suspend()
    #expect(held(box).isEmpty)
    for task in [write, waiting] {
      guard case .suspended = await task.value else {
        Issue.record("waiting writes fail as retryable")
        continue
      }
    }
    #expect(await failure { try await database.add("now") }?.isRetryable == true)
    #expect(await failure { _ = try await database.titles }?.isRetryable == true)
    let other = try await box.open()
    try await other.add("from elsewhere")
    await other.close()
    database.resume()
    #expect(try await database.titles == ["from elsewhere"])
    try await database.add("mine")
    await database.close()
  }

  @Test("As asked, writes and reads wait for resume instead, and then happen once")
  func waiting() async throws {
    let box = try Box()
    let database = try await box.open()
    let started = ThreadGate()
    started.open()
    let attempts = Lock(0)
    let write = Task {
      try await database.write("endless at first") { transaction in
        let attempt = attempts.withLock { number in
          number += 1
          return number
        }
        try transaction.connection.run("INSERT INTO note(title) VALUES ('once')")
        if attempt == 1 {
          started.pass()
          try transaction.connection.run(Self.endless)
        }
      }
    }
    try await started.arrival()
    await database.suspend(.wait)
    #expect(held(box).isEmpty)
    let late = Task { try await database.titles }
    database.resume()
    try await write.value
    _ = try await late.value
    #expect(try await database.titles == ["once"])
    #expect(attempts.withLock { $0 } == 2)
    await database.close()
  }

  @Test("An endless read is stopped, too, and its connection closed")
  func reads() async throws {
    let box = try Box()
    let database = try await box.open()
    let started = ThreadGate()
    started.open()
    let read = Task {
      await failure {
        try await database.read { connection in
          started.pass()
          return try connection.integer(Self.endless)
        }
      }
    }
    try await started.arrival()
    await database.suspend()
    guard case .suspended = await read.value else {
      Issue.record("a stopped read may be tried again")
      return
    }
    database.resume()
    #expect(try await database.titles.isEmpty)
    await database.close()
  }

  @Test("A wait for another process's lock ends, too")
  func whileWaitingForTheLock() async throws {
    let box = try Box()
    let database = try await box.open()
    let other = GroupLock(path: box.container.commitLockPath, system: .live, trace: .off)
    let gate = ThreadGate()
    let done = Gate()
    try SystemThread.start(name: "holder") {
      try? other.withLock(for: "test") { gate.pass() }
      done.open()
    }
    try await gate.arrival()
    let write = Task { await failure { try await database.add("waits") } }
    while database.queue.count < 1 { await Task.yield() }
    await database.suspend()
    guard case .suspended = await write.value else {
      Issue.record("fails as retryable")
      return
    }
    gate.open()
    await done.pass()
    database.resume()
    try await database.add("goes on")
    await database.close()
  }

  @Test("Closing refuses what waits and what comes")
  func closing() async throws {
    let box = try Box()
    let database = try await box.open()
    await database.suspend(.wait)
    let held = Task { await failure { try await database.add("held") } }
    while database.queue.count < 1 { await Task.yield() }
    await database.close()
    for error in [await held.value, await failure { try await database.add("late") }] {
      guard case .closed = error else {
        Issue.record("closed: \(String(describing: error))")
        continue
      }
    }
  }
}
