import TenureGroup
import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureStorage

/// Points 1, 2, 4 and 9 of the storage protocol, D11 and G6.
@Suite("Group commit") struct GroupCommitTests {
  @Test("Point 1: every setting durability rests on is in force, and no checkpoint runs behind our back")
  func settings() async throws {
    let box = try Box()
    let database = try await box.open()
    let found = try await database.errand { writer -> [String] in
      let connection = try writer.opened()
      return try ["journal_mode", "synchronous", "wal_autocheckpoint", "application_id"].map {
        try connection.text("PRAGMA \($0)") ?? ""
      }
    }
    #expect(found == ["wal", "2", "0", "\(DatabaseFile.applicationID)"])
    try await database.add("kept in the log")
    await database.close()
    let log = try #require(try System.live.status(box.container.databasePath + "-wal"))
    #expect(log.size > 0, "the last connection to close left the log as it was")
  }

  @Test("D1: without its guard commits are not synced")
  func guardD1() async throws {
    let box = try Box()
    let database = try await box.open(guards: StorageGuards(d1: false))
    let found = try await database.errand { try $0.opened().text("PRAGMA synchronous") }
    #expect(found == "0")
    await database.close()
  }

  @Test("Point 4: writes that wait share one transaction and one sync, each with its own result")
  func sharedTransaction() async throws {
    let faults = try Faults()
    let box = try Box(system: faults.system)
    let database = try await box.open()
    let syncs = { faults.calls.counts[.databaseSync] ?? 0 }
    let (gate, before) = (ThreadGate(), syncs())
    async let first: Void = database.write("first") { transaction in
      gate.pass()
      try transaction.connection.run("INSERT INTO note(title) VALUES ('first')")
    }
    try await gate.arrival()
    let rest = (0..<5).map { number in Task { try await database.add("note \(number)") } }
    let duplicate = Task { await failure { try await database.add("first") } }
    try await queued(6, in: database)
    gate.open()
    try await first
    for task in rest { try await task.value }
    guard case .constraint = await duplicate.value else {
      Issue.record("the duplicate alone is refused, with its own error")
      return
    }
    #expect(syncs() - before == 1)
    #expect(try await database.titles.count == 6)
    #expect(box.ring.events(DatabaseCommitted.self).last?.edits == 6)
    await database.close()
  }

  @Test("Point 4: a member that takes the whole transaction down is rerun alone, and so are the others")
  func rerun() async throws {
    let box = try Box()
    let database = try await box.open()
    try await database.add("taken")
    let gate = ThreadGate()
    let runs = Lock(0)
    async let first: Int64 = database.write("first") { transaction in
      runs.withLock { $0 += 1 }
      gate.pass()
      try transaction.connection.run("INSERT INTO note(title) VALUES ('first')")
      return try transaction.nextSequence()
    }
    try await gate.arrival()
    let breaker = Task {
      await failure {
        try await database.write("break") {
          // SQLite's own way to undo everything, like an I/O error inside a savepoint.
          try $0.connection.run("INSERT OR ROLLBACK INTO note(title) VALUES ('taken')")
        }
      }
    }
    try await queued(1, in: database)
    gate.open()
    #expect(try await first == 1)
    guard case .constraint = await breaker.value else {
      Issue.record("the breaker gets its own error")
      return
    }
    #expect(runs.withLock { $0 } == 2, "once in the group, once alone")
    #expect(try await database.titles == ["taken", "first"])
    #expect(try await database.sequence == 1)
    await database.close()
  }

  @Test("Point 4: one that fails is undone alone, wherever it stands in its group", arguments: 0..<4)
  func oneFails(at place: Int) async throws {
    let box = try Box()
    let database = try await box.open()
    try await database.add("taken")
    let gate = ThreadGate()
    async let first: Void = database.write("first") { _ in gate.pass() }
    try await gate.arrival()
    var members: [Task<(any Error)?, Never>] = []
    for number in 0..<4 {
      let title = number == place ? "taken" : "note \(number)"
      members.append(
        Task {
          await failure {
            try await database.write("member") { transaction in
              // Half of it is done before it fails.
              _ = try transaction.nextSequence()
              try transaction.connection.run("INSERT INTO note(title) VALUES (?)", .text("half of " + title))
              try transaction.connection.run("INSERT INTO note(title) VALUES (?)", .text(title))
            }
          }
        })
      try await queued(number + 1, in: database)
    }
    gate.open()
    try await first
    for (number, member) in members.enumerated() { #expect((await member.value == nil) == (number != place)) }
    let kept = (0..<4).filter { $0 != place }.flatMap { ["half of note \($0)", "note \($0)"] }
    #expect(Set(try await database.titles) == Set(["taken"] + kept))
    #expect(try await database.sequence == 3, "numbers without gaps")
    await database.close()
  }

  @Test("A body that throws gives its sequence numbers back")
  func sequenceWithoutGaps() async throws {
    struct Refused: Error {}
    let box = try Box()
    let database = try await box.open()
    #expect(try await database.write("one") { try $0.nextSequence() } == 1)
    await #expect(throws: Refused.self) {
      try await database.write("none") { transaction in
        _ = try transaction.nextSequence()
        throw Refused()
      }
    }
    #expect(try await database.write("two") { try $0.nextSequence() } == 2)
    #expect(try await database.sequence == 2)
    await database.close()
  }

  @Test("D11: a cancelled task's write still happens, and its task is told so")
  func cancellation() async throws {
    let box = try Box()
    let database = try await box.open()
    let gate = ThreadGate()
    async let first: Void = database.write("first") { _ in gate.pass() }
    try await gate.arrival()
    let cancelled = Task { try await database.write("late") { try $0.nextSequence() } }
    try await queued(1, in: database)
    cancelled.cancel()
    gate.open()
    try await first
    #expect(try await cancelled.value == 1)
    await database.close()
  }

  @Test("A clock that stands still holds nothing up")
  func stillClock() async throws {
    let box = try Box(system: System(calls: PlatformCalls(), clock: ManualClock()))
    let database = try await box.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<10 { group.addTask { try await database.add("\(number)") } }
      try await group.waitForAll()
    }
    try await database.add("alone")
    await database.suspend()
    database.resume()
    #expect(try await database.titles.count == 11)
    await database.close()
  }

  @Test("Tasks that prefer the writer's executor commit, also after the database was closed under them")
  func executor() async throws {
    let box = try Box()
    let database = try await box.open()
    try await withTaskExecutorPreference(database.executor) {
      for number in 0..<10 { try await database.add("\(number)") }
    }
    #expect(try await database.titles.count == 10)
    let late = await Task(executorPreference: database.executor) { () -> StorageError? in
      await database.close()
      return await failure { try await database.add("late") }
    }.value
    guard case .closed = late else {
      Issue.record("a closed database refuses: \(String(describing: late))")
      return
    }
  }

  @Test("Point 2: a commit that does not get the lock in time says who holds it")
  func lockHeld() async throws {
    let box = try Box()
    var options = Box.small
    options.lockTimeout = .milliseconds(10)
    let database = try await box.open(options: options)
    let other = GroupLock(path: box.container.commitLockPath, system: .live, trace: box.container.trace)
    let gate = ThreadGate()
    let done = Gate()
    try SystemThread.start(name: "holder") {
      try? other.withLock(for: "test") { gate.pass() }
      done.open()
    }
    try await gate.arrival()
    let error = await failure { try await database.add("waits") }
    guard case .lockTimedOut(let holder) = error else {
      Issue.record("timed out: \(String(describing: error))")
      return
    }
    #expect(holder?.contains("test, process") == true)
    gate.open()
    await done.pass()
    let patient = try await box.open()
    try await patient.add("goes through")
    #expect(try await database.titles == ["goes through"], "and what was given up did not happen")
    await patient.close()
    await database.close()
  }

  @Test("Point 9 and G5: another process's commit is announced once, and nothing after cancelling")
  func announcements() async throws {
    let box = try Box()
    let (mine, theirs) = (try await box.open(), try await box.open())
    let calls = Monitor(0)
    let subscription = try mine.onChange { calls.change { $0 += 1 } }
    #expect(await reached(1, calls), "the first look always calls: nothing is missed while subscribing")
    let before = calls.withLock { $0 }
    try await theirs.add("from elsewhere")
    #expect(await reached(before + 1, calls))
    subscription.cancel()
    let after = calls.withLock { $0 }
    let second = Monitor(0)
    let other = try mine.onChange { second.change { $0 += 1 } }
    let heard = second.withLock { $0 }
    try await theirs.add("unheard")
    #expect(await reached(heard + 1, second))
    #expect(calls.withLock { $0 } == after)
    other.cancel()
    await mine.close()
    await theirs.close()
  }

  private func queued(_ count: Int, in database: GroupDatabase) async throws {
    while database.queue.count < count { await Task.yield() }
  }

  private func reached(_ count: Int, _ calls: Monitor<Int>) async -> Bool {
    await withCheckedContinuation { continuation in
      do {
        try SystemThread.start(name: "reached") {
          let there = calls.wait(timeout: 10_000_000_000) { $0 >= count ? true : nil }
          continuation.resume(returning: there == true)
        }
      } catch {
        continuation.resume(returning: false)
      }
    }
  }
}

extension Box {
  func open(options: GroupDatabase.Options) async throws -> GroupDatabase {
    try await open([Box.notes], options)
  }
}
