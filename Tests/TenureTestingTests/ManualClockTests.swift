import TenureSystem
import TenureTesting
import Testing

@Suite("ManualClock")
struct ManualClockTests {
  @Test("sleepers wake in the order of their deadlines, and only when their time has come")
  func order() async throws {
    let clock = ManualClock(monotonic: 100)
    let woken = Monitor<[UInt64]>([])
    let tasks = [300, 200, 400].map { (deadline: UInt64) in
      Task {
        try await clock.sleep(until: deadline)
        woken.withLock { $0.append(deadline) }
      }
    }
    await clock.sleepers(3)
    #expect(clock.nextDeadline == 200)
    clock.advance(by: .nanoseconds(50))
    #expect(clock.sleeperCount == 3)
    #expect(clock.advanceToNextSleeper())
    try await tasks[1].value
    #expect(clock.monotonic == 200)
    #expect(woken.withLock { $0 } == [200])
    clock.advance(by: .nanoseconds(250))
    try await tasks[0].value
    try await tasks[2].value
    #expect(Set(woken.withLock { $0 }) == [200, 300, 400])
    #expect(!clock.advanceToNextSleeper())
  }

  @Test("a cancelled sleeper throws, whether it was cancelled before or while it slept")
  func cancellation() async throws {
    let clock = ManualClock()
    let asleep = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.sleepers(1)
    asleep.cancel()
    await #expect(throws: CancellationError.self) { try await asleep.value }
    let gate = Gate()
    let early = Task {
      await gate.pass()
      try await clock.sleep(for: .seconds(1))
    }
    early.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test("a deadline that has passed does not sleep")
  func passed() async throws {
    let clock = ManualClock(monotonic: 10, wall: 20)
    try await clock.sleep(until: 10)
    clock.advance(by: .nanoseconds(5))
    #expect(clock.monotonic == 15)
    #expect(clock.wall == 25)
    clock.setWall(3)
    #expect(clock.wall == 3)
    #expect(clock.monotonic == 15)
  }
}
