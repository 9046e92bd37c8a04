import TenureSystem
import TenureTesting
import Testing

@testable import TenureStorage

/// Points 5 and 11 of the storage protocol.
@Suite("In doubt and full") struct InDoubtTests {
  @Test("Point 5: a failed sync leaves the commit in doubt; nothing is written until the barrier succeeds")
  func failedSync() async throws {
    let faults = try Faults()
    let box = try Box(system: faults.system)
    let database = try await box.open()
    try await database.add("before")
    faults.start {
      $0.call == .databaseSync && $0.path?.hasSuffix("-wal") == true ? .fail(.inputOutput) : .proceed
    }
    guard case .inDoubt = await failure({ try await database.add("doubtful") }) else {
      Issue.record("a failed sync is neither success nor failure")
      return
    }
    guard case .halted = await failure({ try await database.add("not tried") }) else {
      Issue.record("the barrier fails too, so nothing is tried")
      return
    }
    guard case .halted = await failure({ try await database.resolveDoubt() }) else {
      Issue.record("the doubt is not settled while syncs fail")
      return
    }
    #expect(await failure { try await database.add("not tried either") }?.isRetryable == true)
    faults.stop()
    try await database.resolveDoubt()
    #expect(try await database.titles == ["before"], "settled: the barrier was written over it")
    try await database.add("after")
    await database.close()
    let again = try await box.open()
    #expect(try await again.titles == ["before", "after"], "the same answer for the next to open")
    await again.close()
  }

  @Test("A full disk seen only by the sync is a doubt, too")
  func fullAtSync() async throws {
    let faults = try Faults()
    let box = try Box(system: faults.system)
    let database = try await box.open()
    faults.start {
      $0.call == .databaseSync && $0.path?.hasSuffix("-wal") == true ? .fail(.noSpace) : .proceed
    }
    guard case .inDoubt = await failure({ try await database.add("doubtful") }) else {
      Issue.record("delayed allocation tells of the full disk after the write")
      return
    }
    faults.stop()
    try await database.add("after")
    #expect(try await database.titles == ["after"], "the next write settled it by itself")
    await database.close()
  }

  @Test("The whole group is in doubt when its one COMMIT fails")
  func groupInDoubt() async throws {
    let faults = try Faults()
    let box = try Box(system: faults.system)
    let database = try await box.open()
    let gate = ThreadGate()
    let first = Task { await failure { try await database.write("first") { _ in gate.pass() } } }
    try await gate.arrival()
    let second = Task { await failure { try await database.add("second") } }
    while database.queue.count < 1 { await Task.yield() }
    faults.start { $0.call == .databaseSync ? .fail(.inputOutput) : .proceed }
    gate.open()
    for task in [first, second] {
      guard case .inDoubt = await task.value else {
        Issue.record("each member is told")
        continue
      }
    }
    faults.stop()
    await database.close()
  }

  @Test("Point 11: when the disk is full the reserve is given back, deletes run, and it is taken again")
  func fullDisk() async throws {
    let faults = try Faults()
    let box = try Box(system: faults.system)
    let database = try await box.open()
    let reserve = box.container.reservePath
    #expect(try System.live.status(reserve)?.size == Box.small.reserve)
    try await database.add("before")
    faults.start { site in
      let isLog = site.call == .databaseWrite && site.path?.hasSuffix("-wal") == true
      return isLog || site.call == .fallocate ? .fail(.noSpace) : .proceed
    }
    guard case .full = await failure({ try await database.add("too much") }) else {
      Issue.record("a full disk is a clean, retryable failure")
      return
    }
    #expect(try System.live.status(reserve)?.size == 0)
    // Room for a little, as the reserve leaves it, but not for the reserve.
    faults.start { $0.call == .fallocate ? .fail(.noSpace) : .proceed }
    guard case .full = await failure({ try await database.add("still too much") }) else {
      Issue.record("ordinary writes must not eat what deletes need")
      return
    }
    try await database.write("delete", freesSpace: true) { try $0.connection.run("DELETE FROM note") }
    faults.stop()
    try await database.add("after")
    #expect(try System.live.status(reserve)?.size == Box.small.reserve)
    #expect(try await database.titles == ["after"])
    await database.close()
  }
}
