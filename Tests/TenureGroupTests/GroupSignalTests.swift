import TenureSystem
import TenureTesting
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

  /// Waits until `count` calls came.
  func wait(count: Int) -> Bool {
    sources.wait(timeout: 20_000_000_000) { $0.count >= count ? true : nil } ?? false
  }

  var all: [SignalSource] { sources.withLock { $0 } }
}

@Suite("GroupSignal")
struct GroupSignalTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func container(
    calls: any SystemCalls = PlatformCalls(), clock: any SystemClock = ManualClock(), trace: Trace = .off
  ) throws -> GroupContainer {
    try GroupContainer.open(at: folder.path, system: System(calls: calls, clock: clock), trace: trace)
  }

  private func waiting(_ heard: Heard, for source: SignalSource) async throws -> Bool {
    try await SystemThread.run(name: "wait") { heard.wait(for: source) }
  }

  @Test("G5: a ring is heard, and the trace says for which sequence")
  func ring() async throws {
    let ring = TraceRing()
    let heard = Heard()
    let watch = try GroupSignal(
      container: try container(trace: Trace(to: ring, as: .current(role: "listener")))
    ).watch(pollEvery: .seconds(1)) { heard.add($0) }
    #expect(watch.isWatching)
    let ringer = TraceRing()
    let signal = GroupSignal(container: try container(trace: Trace(to: ringer, as: .current(role: "ringer"))))
    signal.ring(sequence: 42)
    #expect(try await waiting(heard, for: .bell))
    #expect(ring.events() == [SignalSeen(signal: "bell", sequence: 42, by: .bell)])
    #expect(ringer.events() == [SignalRung(signal: "bell", sequence: 42)])
    watch.end()
    // Told by the thread that listened, when it ends.
    while ring.events(SignalWatchEnded.self).isEmpty { await Task.yield() }
    #expect(ring.events(SignalWatchEnded.self) == [SignalWatchEnded(signal: "bell")])
  }

  @Test("G5: a writer that ends between commit and ring is noticed by its lock file being closed")
  func lockClosed() async throws {
    let heard = Heard()
    let here = try container()
    let watch = try GroupSignal(container: here).watch(pollEvery: .seconds(1)) { heard.add($0) }
    var writer: GroupLock? = GroupLock(path: here.commitLockPath, system: here.system, trace: .off)
    try writer?.withLock(for: "commit") {}
    // Another process that opens the container is not taken for one that ends.
    _ = try container()
    GroupSignal(container: here).ring(sequence: 1)
    #expect(try await waiting(heard, for: .bell))
    #expect(!heard.all.contains(.lockClosed))
    writer = nil
    #expect(try await waiting(heard, for: .lockClosed))
    watch.end()
  }

  @Test("G5: what nothing tells is found by the poll, on the container's clock")
  func poll() async throws {
    let clock = ManualClock()
    let ring = TraceRing()
    let heard = Heard()
    let here = try container(clock: clock, trace: Trace(to: ring, as: .current(role: "test")))
    let watch = try GroupSignal(container: here).watch(pollEvery: .seconds(1)) { heard.add($0) }
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(999))
    #expect(heard.all == [])
    clock.advance(by: .milliseconds(1))
    #expect(try await waiting(heard, for: .poll))
    #expect(heard.all == [.poll])
    #expect(ring.events(SignalSeen.self).isEmpty, "a poll that finds nothing new has seen nothing")
    watch.end()
  }

  @Test(
    "G5: where the machine has no watch left, the poll alone finds the ring",
    arguments: [Errno.tooManyFiles, .noSpace])
  func noWatches(code: Errno) async throws {
    let clock = ManualClock()
    let ring = TraceRing()
    let heard = Heard()
    let calls = InterceptedCalls(PlatformCalls()) { $0.call == .inotify ? .fail(code) : .proceed }
    let here = try container(calls: calls, clock: clock, trace: Trace(to: ring, as: .current(role: "test")))
    let signal = GroupSignal(container: here)
    let watch = try signal.watch(pollEvery: .seconds(1)) { heard.add($0) }
    #expect(!watch.isWatching)
    await clock.sleepers(1)
    signal.ring(sequence: 9)
    clock.advance(by: .seconds(1))
    #expect(try await waiting(heard, for: .poll))
    #expect(ring.events() == [SignalSeen(signal: "bell", sequence: 9, by: .poll)])
    watch.end()
  }

  @Test("Rings that come while a call runs are one call afterwards")
  func coalescing() async throws {
    let heard = Heard()
    let isOpen = Monitor(false)
    let here = try container()
    let signal = GroupSignal(container: here)
    let watch = try signal.watch(pollEvery: .seconds(1)) { source in
      heard.add(source)
      _ = isOpen.wait { $0 ? true : nil }
    }
    signal.ring(sequence: 1)
    #expect(try await waiting(heard, for: .bell))
    for sequence in 2...100 { signal.ring(sequence: Int64(sequence)) }
    isOpen.change { $0 = true }
    _ = try await SystemThread.run(name: "wait") { heard.wait(count: 2) }
    #expect(heard.all == [.bell, .bell])
    watch.end()
  }

  @Test("After the end nothing is called, and the thread, its descriptors and the closure are let go")
  func end() async throws {
    final class Token: Sendable {}
    let clock = ManualClock()
    let here = try container(clock: clock)
    weak var kept: Token?
    do {
      let token = Token()
      kept = token
      let heard = Heard()
      let watch = try GroupSignal(container: here).watch(pollEvery: .seconds(1)) { [token] source in
        withExtendedLifetime(token) { heard.add(source) }
      }
      await clock.sleepers(1)
      watch.end()
      watch.end()
      GroupSignal(container: here).ring(sequence: 1)
      #expect(heard.all == [])
    }
    #expect(clock.sleeperCount == 0)
    while kept != nil { await Task.yield() }
  }

  @Test("A ring that cannot be written harms nobody, and the next one is heard")
  func failingRing() async throws {
    let calls = InterceptedCalls(PlatformCalls()) { site in
      site.call == .pwrite && site.number == 1 ? .fail(.noSpace) : .proceed
    }
    let ring = TraceRing()
    let heard = Heard()
    let here = try container(calls: calls, trace: Trace(to: ring, as: .current(role: "test")))
    let signal = GroupSignal(container: here)
    let watch = try signal.watch(pollEvery: .seconds(1)) { heard.add($0) }
    signal.ring(sequence: 1)
    #expect(ring.events(SignalRung.self).isEmpty)
    signal.ring(sequence: 2)
    #expect(try await waiting(heard, for: .bell))
    #expect(ring.events() == [SignalRung(signal: "bell", sequence: 2)])
    watch.end()
  }

  @Test("D13: the bell file does not grow, and its mark is read back", arguments: [0, 1, 42, Int64.max])
  func mark(sequence: Int64) throws {
    let here = try container()
    let file = try System.live.open(here.bellPath, [.read, .write])
    #expect(BellMark.read(from: file) == nil)
    for _ in 0..<3 { GroupSignal(container: here).ring(sequence: sequence) }
    #expect(BellMark.read(from: file) == BellMark(sequence: sequence))
    #expect(try file.status().size == Int64(BellMark.length))
  }
}
