import TenureSystem
import Testing

@Suite("Lock, Monitor and SystemThread")
struct LockTests {
  /// A reference to a lock, which itself stays in one place.
  private final class Counter: Sendable {
    let lock = Lock(0)
    let monitor = Monitor(0)
  }

  @Test("Changes of many threads all count")
  func counting() async throws {
    let counter = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await SystemThread.run(name: "count") {
            for _ in 0..<1_000 {
              counter.lock.withLock { $0 += 1 }
              counter.monitor.change { $0 += 1 }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(counter.lock.withLock { $0 } == 4_000)
    #expect(counter.monitor.withLock { $0 } == 4_000)
  }

  @Test("An error thrown inside gives the lock back")
  func throwing() {
    struct Refusal: Error {}
    let counter = Counter()
    #expect(throws: Refusal.self) { try counter.lock.withLock { _ in throw Refusal() } }
    #expect(throws: Refusal.self) { try counter.monitor.change { _ in throw Refusal() } }
    #expect(counter.lock.withLock { $0 } == 0)
    #expect(counter.monitor.withLock { $0 } == 0)
  }

  @Test("A waiting thread goes on when the state is as it wants it, and no earlier")
  func waiting() async throws {
    let monitor = Monitor(0)
    async let seen = SystemThread.run(name: "wait") { monitor.wait { $0 >= 3 ? $0 : nil } }
    for _ in 0..<3 { monitor.change { $0 += 1 } }
    #expect(try await seen == 3)
  }

  @Test("A wait ends with its time, also of none and of more than can be said")
  func timeout() {
    let monitor = Monitor(0)
    #expect(monitor.wait(timeout: 0) { _ in nil as Int? } == nil)
    #expect(monitor.wait(timeout: 1_000_000) { _ in nil as Int? } == nil)
    #expect(monitor.wait(timeout: .max) { $0 } == 0)
  }

  @Test("A thread's answer, or its error, comes back")
  func thread() async throws {
    struct Refusal: Error {}
    #expect(try await SystemThread.run(name: "a name of more than fifteen bytes") { 7 } == 7)
    await #expect(throws: Refusal.self) { try await SystemThread.run(name: "no") { throw Refusal() } }
  }
}
