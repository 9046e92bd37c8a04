import TenureSystem
import Testing

@testable import TenureStorage

@Suite("D11: a write's outcome reaches the task that waits for it, however the two meet")
struct HandoverTests {
  /// What the other side does, in order, on a thread of its own or before the caller sleeps.
  enum Step: CaseIterable { case keep, near, nearAgain }

  @Test(
    "Settled at once, after being near, after being near twice, with and without being awaited",
    arguments: [[], [Step.near], [.keep, .near], [.near, .nearAgain, .keep]], [false, true])
  func reaches(_ steps: [Step], isAwaited: Bool) async throws {
    let handover = Handover<Int>()
    let value = try await handover.outcome(isAwaited: isAwaited) {
      do {
        try SystemThread.start(name: "handover") {
          for step in steps {
            switch step {
            case .keep: handover.keep(1)
            case .near, .nearAgain: handover.near()
            }
          }
          handover.keep(7)
          handover.succeed()
        }
      } catch {
        handover.fail(error)
      }
    }
    #expect(value == 7)
  }

  @Test("An outcome that is there before the caller sleeps is not waited for", arguments: [false, true])
  func isThere(isAwaited: Bool) async throws {
    let handover = Handover<Int>()
    let value = try await handover.outcome(isAwaited: isAwaited) {
      handover.near()
      handover.keep(3)
      handover.succeed()
    }
    #expect(value == 3)
  }

  @Test("A caller that looked in vain sleeps until the outcome is there")
  func looksInVain() async throws {
    let handover = Handover<Int>()
    let value = try await handover.outcome(isAwaited: true) {
      do {
        try SystemThread.start(name: "handover") {
          while !handover.isWaitedFor { SystemThread.yield() }
          handover.keep(5)
          handover.succeed()
        }
      } catch {
        handover.fail(error)
      }
    }
    #expect(value == 5)
  }

  @Test("A failure is thrown, also after something was kept", arguments: [false, true])
  func fails(isAwaited: Bool) async {
    let handover = Handover<Int>()
    await #expect(throws: StorageError.self) {
      try await handover.outcome(isAwaited: isAwaited) {
        handover.keep(1)
        handover.fail(StorageError.closed)
      }
    }
  }

  @Test("Only short commits are looked through: the mean of the last few decides")
  func pace() {
    var pace = CommitPace()
    #expect(!pace.isShort)
    pace.note(CommitPace.short / 2)
    #expect(pace.isShort)
    for _ in 0..<8 { pace.note(CommitPace.short * 20) }
    #expect(!pace.isShort)
    for _ in 0..<64 { pace.note(CommitPace.short / 2) }
    #expect(pace.isShort)
  }
}
