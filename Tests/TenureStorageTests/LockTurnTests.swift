import TenureTesting
import Testing

@testable import TenureStorage

/// How long one process keeps the commit lock, and when it gives it back.
@Suite("Turns at the commit lock") struct LockTurnTests {
  @Test(
    "A process that never stops writing lets another one in",
    .timeLimit(.minutes(1)), arguments: [Duration.zero, .milliseconds(10)])
  func othersComeIn(turn: Duration) async throws {
    let box = try Box()
    var options = GroupDatabase.Options()
    options.lockTurn = turn
    let busy = try await box.open(options: options)
    let other = try await box.open(options: options)
    let writing = Task {
      var count = 0
      while !Task.isCancelled {
        count += 1
        try await busy.add("busy \(count)")
      }
      return count
    }
    for number in 0..<5 { try await other.add("other \(number)") }
    writing.cancel()
    let count = try await writing.value
    #expect(try await other.titles.count == count + 5)
    await busy.close()
    await other.close()
  }

  @Test("A transaction begun for a caller that stays away is given up: others write at once")
  func givenUp() async throws {
    let box = try Box()
    let first = try await box.open()
    let second = try await box.open()
    for number in 0..<20 {
      try await first.add("first \(number)")
      try await second.add("second \(number)")
    }
    #expect(try await first.titles.count == 40)
    await first.close()
    await second.close()
  }

  @Test("Callers that stay away are not waited for, until a look shows that they are back")
  func habit() {
    var habit = ReturnHabit()
    func waits() -> Bool { habit.waits }
    for _ in 0..<4 {
      #expect(waits())
      habit.note(false)
    }
    #expect((0..<15).allSatisfy { _ in !waits() })
    #expect(waits(), "every sixteenth time it looks again")
    habit.note(true)
    #expect(waits())
  }
}
