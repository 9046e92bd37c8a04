import TenureSystem
import TenureTrace
import Testing

@testable import TenureGroup

/// What a watch was told, for a test to wait for.
final class Heard: Sendable {
  private let sources = Monitor([SignalSource]())

  func add(_ source: SignalSource) { sources.change { $0.append(source) } }

  /// Waits until one of `wanted` came; the limit only ends a test that has failed.
  func wait(for wanted: SignalSource) -> Bool {
    sources.wait(timeout: 20_000_000_000) { $0.contains(wanted) ? true : nil } ?? false
  }

  var all: [SignalSource] { sources.withLock { $0 } }
}

/// A clock that stands still until it is told to go on, so that no poll comes by itself.
final class StillClock: SystemClock {
  private struct State {
    var now: UInt64 = 1
    var sleepers: [(deadline: UInt64, id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    var cancelled: Set<UInt64> = []
    var next: UInt64 = 0
  }

  private let state = Monitor(State())

  var monotonic: UInt64 { state.withLock { $0.now } }
  var wall: Int64 { Int64(monotonic) }

  func sleep(until deadline: UInt64) async throws {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.change { state in
          if state.cancelled.contains(id) || state.now >= deadline { return true }
          state.sleepers.append((deadline, id, continuation))
          return false
        }
        if isOver { continuation.resume(with: Result { try Task.checkCancellation() }) }
      }
    } onCancel: {
      let sleeper = state.change { state in
        state.cancelled.insert(id)
        return state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Waits until somebody sleeps, then lets time pass.
  func advance(by nanoseconds: UInt64) {
    let due = state.wait { state -> [CheckedContinuation<Void, any Error>]? in
      if state.sleepers.isEmpty { return nil }
      state.now += nanoseconds
      let due = state.sleepers.filter { $0.deadline <= state.now }.map(\.continuation)
      state.sleepers.removeAll { $0.deadline <= state.now }
      return due
    }
    for continuation in due ?? [] { continuation.resume() }
  }
}

@Suite("GroupSignal")
struct GroupSignalTests {
  private func container(
    _ folder: TemporaryFolder, clock: any SystemClock = StillClock(), trace: Trace = .off
  ) throws -> GroupContainer {
    try GroupContainer.open(
      at: folder.path, system: System(calls: PlatformCalls(), clock: clock), trace: trace)
  }

  @Test("G5: a ring is heard, and the trace says for which sequence")
  func ring() throws {
    let folder = try TemporaryFolder()
    let ring = TraceRing()
    let listener = try container(folder, trace: Trace(to: ring, as: .current(role: "listener")))
    let heard = Heard()
    let watch = try GroupSignal(container: listener).watch(pollEvery: .seconds(1)) { heard.add($0) }
    #expect(watch.isWatching)
    GroupSignal(container: try container(folder)).ring(sequence: 42)
    #expect(heard.wait(for: .bell))
    #expect(ring.events(SignalSeen.self).first == SignalSeen(signal: "bell", sequence: 42, by: .bell))
    watch.end()
  }

  @Test("G5: a writer that ends between commit and ring is noticed by its lock file being closed")
  func lockClosed() throws {
    let folder = try TemporaryFolder()
    let heard = Heard()
    let here = try container(folder)
    let watch = try GroupSignal(container: here).watch(pollEvery: .seconds(1)) { heard.add($0) }
    var writer: GroupLock? = GroupLock(path: here.commitLockPath, system: here.system, trace: .off)
    try writer?.withLock(for: "commit") {}
    #expect(!heard.all.contains(.lockClosed))
    writer = nil
    #expect(heard.wait(for: .lockClosed))
    watch.end()
  }

  @Test("G5: what nothing tells is found by the poll, on the container's clock")
  func poll() throws {
    let folder = try TemporaryFolder()
    let clock = StillClock()
    let heard = Heard()
    let watch = try GroupSignal(container: try container(folder, clock: clock))
      .watch(pollEvery: .seconds(1)) { heard.add($0) }
    clock.advance(by: 1_000_000_000)
    #expect(heard.wait(for: .poll))
    #expect(heard.all == [.poll])
    watch.end()
  }
}
