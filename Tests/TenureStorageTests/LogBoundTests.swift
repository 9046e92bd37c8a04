import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureStorage

/// Point 8 of the storage protocol: D13 for the write-ahead log.
@Suite("The log's bound") struct LogBoundTests {
  private func logSize(_ box: Box) throws -> Int64 {
    try System.live.status(box.container.databasePath + "-wal")?.size ?? 0
  }

  @Test("Without readers the log is copied back at its soft bound and starts anew")
  func soft() async throws {
    let box = try Box()
    let database = try await box.open()
    for number in 0..<100 { try await database.add("\(number)") }
    #expect(try logSize(box) <= 2 * Box.small.logSoftBound)
    #expect(!box.ring.events(CheckpointDone.self).isEmpty)
    await database.close()
  }

  @Test("Short reads that overlap without a gap do not let the log grow past its bound")
  func overlappingReaders() async throws {
    let box = try Box()
    let database = try await box.open()
    let isOver = Monitor(false)
    let readers = (0..<3).map { _ in
      Task {
        while !isOver.withLock({ $0 }) { _ = try await database.titles }
      }
    }
    for number in 0..<400 { try await database.add("\(number)") }
    isOver.withLock { $0 = true }
    for reader in readers { try await reader.value }
    #expect(try logSize(box) <= Box.small.logHardBound)
    await database.close()
  }

  @Test(
    "A read that does not end: commits are refused at the hard bound, naming it, and go on when it ends",
    arguments: [true, false])
  func longReader(inOtherProcess: Bool) async throws {
    let box = try Box()
    let database = try await box.open()
    let reading = inOtherProcess ? try await box.open() : database
    let gate = ThreadGate()
    let report = Task {
      try await reading.read("yearly report") { connection in
        let count = try connection.integer("SELECT count(*) FROM note")
        gate.pass()
        return count
      }
    }
    try await gate.arrival()
    while reading.notes.all().isEmpty || database.notes.all().isEmpty { await Task.yield() }
    var refusal: StorageError?
    var written = 0
    while refusal == nil, written < 1000 {
      refusal = await failure { try await database.add("\(written)") }
      if refusal == nil { written += 1 }
    }
    guard case .logFull(let bytes, let bound, let inTheWay) = refusal else {
      Issue.record("refused: \(String(describing: refusal))")
      gate.open()
      return
    }
    #expect(bound == Box.small.logHardBound && bytes >= bound)
    #expect(inTheWay.contains { $0.contains("yearly report") })
    #expect(refusal?.isRetryable == true)
    #expect(box.ring.events(BoundReached.self).last?.refused == true)
    // One transaction may end past the bound, none begins there.
    #expect(try logSize(box) < bound + (64 << 10))
    gate.open()
    #expect(try await report.value == 0, "the reader kept its snapshot to the end")
    try await database.add("goes on")
    #expect(try await database.titles.count == written + 1)
    #expect(reading.notes.all().isEmpty)
    await database.close()
    await reading.close()
  }

  @Test("Checkpoints run under the commit lock only")
  func underLock() async throws {
    let box = try Box()
    let database = try await box.open()
    for number in 0..<100 { try await database.add("\(number)") }
    var isHeld = false
    for record in box.ring.records {
      switch record.event {
      case is LockTaken: isHeld = true
      case is LockReleased: isHeld = false
      case is CheckpointDone, is DatabaseCommitted: #expect(isHeld)
      default: break
      }
    }
    await database.close()
  }
}
