import TenureSystem
import Testing

@Suite("SystemClock")
struct SystemClockTests {
  @Test("Monotonic time never goes back, and wall time is of this century")
  func times() {
    let clock = LiveClock()
    var last = clock.monotonic
    for _ in 0..<1_000 {
      let now = clock.monotonic
      #expect(now >= last)
      last = now
    }
    #expect(clock.wall > 1_600_000_000_000_000_000)
  }

  @Test("A sleep ends after its deadline; one in the past does not wait; a cancelled one throws")
  func sleeping() async throws {
    let clock = LiveClock()
    let deadline = clock.monotonic + 2_000_000
    try await clock.sleep(until: deadline)
    #expect(clock.monotonic >= deadline)
    try await clock.sleep(until: 0)
    let sleeper = Task { try await clock.sleep(for: .seconds(3_600)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test(
    "Lengths of time in nanoseconds",
    arguments: [
      (Duration.seconds(2), UInt64(2_000_000_000)), (.milliseconds(-1), 0), (.seconds(-5), 0),
      (.nanoseconds(7), 7),
      (.seconds(Int64.max), .max), (.zero, 0),
    ])
  func nanoseconds(duration: Duration, expected: UInt64) { #expect(duration.nanoseconds == expected) }
}
