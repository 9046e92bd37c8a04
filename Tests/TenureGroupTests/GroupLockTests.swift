import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureGroup

/// Counts calls of one kind, and lets a test wait for the next.
final class CallCounter: Sendable {
  private let count = Monitor(0)

  func add() { count.change { $0 += 1 } }

  /// The limit only ends a test that has failed.
  func wait(for number: Int) {
    let came: Void? = count.wait(timeout: 20_000_000_000) { $0 >= number ? () : nil }
    if came == nil { Issue.record("\(value) calls of \(number) came") }
  }

  var value: Int { count.withLock { $0 } }
}

/// The real calls, told to a closure first.
func intercepting(
  _ decide: @escaping @Sendable (InterceptedCalls.Site) -> InterceptedCalls.Effect
) -> System {
  System(calls: InterceptedCalls(PlatformCalls(), decide: decide))
}

/// Runs `body` on a thread of its own, as somebody else's would, and waits for it.
func elsewhere<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
  let answer = Monitor<Result<Value, any Error>?>(nil)
  try SystemThread.start(name: "elsewhere") {
    let result = Result { try body() }
    answer.change { $0 = result }
  }
  return try #require(answer.wait { $0 }).get()
}

@Suite("GroupLock")
struct GroupLockTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path.appendingPath("a.lock") }

  init() throws { folder = try TemporaryFolder() }

  private func lock(_ system: System = .live, trace: Trace = .off, guards: GroupGuards = GroupGuards())
    -> GroupLock
  {
    GroupLock(path: path, system: system, trace: trace, guards: guards)
  }

  @Test("G2: a lock that is given back can be taken again, also after the body threw")
  func again() throws {
    struct Refusal: Error {}
    let lock = lock()
    #expect(try lock.withLock(for: "one") { 1 } == 1)
    #expect(throws: Refusal.self) { try lock.withLock(for: "two") { throw Refusal() } }
    #expect(try lock.withLock(for: "three", timeout: .zero) { 3 } == 3)
    #expect(try self.lock().withLock(for: "four", timeout: .zero) { 4 } == 4)
  }

  @Test("One holder at a time, among threads of one lock and among locks on one file")
  func exclusion() async throws {
    let locks = [lock(), lock(), lock()]
    let inside = Monitor((now: 0, most: 0, total: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        let lock = locks[worker % locks.count]
        group.addTask {
          try await SystemThread.run(name: "worker") {
            for _ in 0..<200 {
              try lock.withLock(for: "work") {
                inside.withLock { state in
                  state.now += 1
                  state.most = max(state.most, state.now)
                }
                inside.withLock { state in
                  state.now -= 1
                  state.total += 1
                }
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let (now, most, total) = inside.withLock { $0 }
    #expect(now == 0)
    #expect(most == 1)
    #expect(total == 1_200)
  }

  @Test("Threads of one process are served in the order they came, and those that gave up are skipped")
  func order() async throws {
    let queue = LockQueue()
    let tickets = (0..<6).map { _ in queue.draw() }
    let served = Monitor([UInt64]())
    #expect(queue.wait(for: tickets[0], timeout: 0))
    #expect(!queue.wait(for: tickets[2], timeout: 0))
    #expect(!queue.wait(for: tickets[3], timeout: 0))
    for ticket in [tickets[5], tickets[4], tickets[1]] {
      try SystemThread.start(name: "queue") {
        _ = queue.wait(for: ticket, timeout: nil)
        served.change { $0.append(ticket) }
        queue.leave()
      }
    }
    #expect(served.withLock { $0.isEmpty })
    queue.leave()
    let order = try await SystemThread.run(name: "wait") { served.wait { $0.count == 3 ? $0 : nil } ?? [] }
    #expect(order == [tickets[1], tickets[4], tickets[5]])
  }

  @Test("A wait that runs out names the holder, as the holder wrote it", arguments: [0, 20])
  func timeout(milliseconds: Int) async throws {
    let ring = TraceRing()
    let process = ProcessIdentity(
      pid: 77, name: "notebook", bundleIdentifier: "b", bundlePath: "p", role: "scene left", appVersion: "1")
    let holder = lock(trace: .off(as: process))
    let other = lock(trace: Trace(to: ring, as: .current(role: "test")))
    let path = path
    try await SystemThread.run(name: "test") {
      try holder.withLock(for: "save") {
        #expect(throws: GroupError.lockTimedOut(lock: path, holder: "scene left, process 77 (notebook)")) {
          try elsewhere { try other.withLock(for: "read", timeout: .milliseconds(milliseconds)) {} }
        }
      }
    }
    let abandoned = try #require(ring.events(LockAbandoned.self).first)
    #expect(abandoned.lock == "a.lock")
    #expect(abandoned.holder == "scene left, process 77 (notebook)")
    #expect(abandoned.waited >= UInt64(milliseconds) * 1_000_000)
    #expect(ring.events(LockTaken.self).isEmpty)
  }

  @Test(
    "The thread parked for a wait that was given up unlocks at once, and one is parked however many give up")
  func abandoned() async throws {
    let waits = CallCounter()
    let unlocks = CallCounter()
    let system = intercepting { site in
      if site.call == .lock { waits.add() }
      if site.call == .unlock { unlocks.add() }
      return .proceed
    }
    let holder = lock()
    let impatient = lock(system)
    let third = lock()
    try await SystemThread.run(name: "test") {
      try holder.withLock(for: "long") {
        for _ in 0..<5 {
          #expect(throws: GroupError.self) {
            try elsewhere { try impatient.withLock(for: "short", timeout: .milliseconds(1)) {} }
          }
        }
        // One try and one blocking call, by the one parked thread.
        waits.wait(for: 2)
        #expect(waits.value == 2)
      }
      unlocks.wait(for: 1)
      #expect(try third.withLock(for: "next", timeout: .seconds(20)) { true })
      #expect(try impatient.withLock(for: "after all", timeout: .seconds(20)) { true })
    }
  }

  @Test("A caller that comes while a thread is still parked takes its place over")
  func takenOver() async throws {
    let waits = CallCounter()
    let system = intercepting { site in
      if site.call == .lock { waits.add() }
      return .proceed
    }
    let holder = lock()
    let waiter = lock(system)
    try await SystemThread.run(name: "test") {
      let done = Monitor(false)
      try holder.withLock(for: "long") {
        #expect(throws: GroupError.self) {
          try elsewhere { try waiter.withLock(for: "short", timeout: .milliseconds(1)) {} }
        }
        waits.wait(for: 2)
        try SystemThread.start(name: "patient") {
          try? waiter.withLock(for: "patient") { done.change { $0 = true } }
        }
      }
      #expect(done.wait(timeout: 20_000_000_000) { $0 ? true : nil } == true)
    }
  }

  @Test(
    "A thread that asks again for a lock it holds is told at once, whichever object it asks and however long it would wait",
    arguments: [true, false], [Duration?.none, .zero, .seconds(3_600)])
  func reentrant(isSameObject: Bool, timeout: Duration?) throws {
    let path = path
    let ring = TraceRing()
    let outer = lock(trace: Trace(to: ring, as: .current(role: "test")))
    let inner = isSameObject ? outer : lock()
    let another = GroupLock(path: path + ".b", system: .live, trace: .off)
    try outer.withLock(for: "save") {
      #expect(throws: GroupError.lockHeldByCaller(lock: path, purpose: "save")) {
        try inner.withLock(for: "again", timeout: timeout) { Issue.record("two are inside") }
      }
      // The lock is still held, and nobody else was shut out of the queue for it.
      #expect(throws: GroupError.self) {
        try elsewhere { try inner.withLock(for: "else", timeout: .zero) {} }
      }
      try another.withLock(for: "b") {}
    }
    #expect(try inner.withLock(for: "after", timeout: .zero) { true })
    #expect(try elsewhere { try outer.withLock(for: "after", timeout: .seconds(20)) { true } })
  }

  @Test("What happens is in the trace, in order, with waiting and holding times")
  func trace() throws {
    let ring = TraceRing()
    let clock = ManualClock()
    let system = System(calls: PlatformCalls(), clock: clock)
    try lock(system, trace: Trace(to: ring, as: .current(role: "test"), clock: clock)).withLock(for: "save") {
      clock.advance(by: .milliseconds(3))
    }
    #expect(ring.records.map(\.kind) == ["lock.wanted", "lock.taken", "lock.released"])
    #expect(ring.events(LockTaken.self) == [LockTaken(lock: "a.lock", purpose: "save", waited: 0)])
    #expect(
      ring.events(LockReleased.self) == [LockReleased(lock: "a.lock", purpose: "save", held: 3_000_000)])
  }

  @Test("G2: what the process holds is known while it holds it")
  func heldNow() throws {
    let path = path
    func here() -> [String] { GroupLock.heldNow.filter { $0.path == path }.map(\.purpose) }
    try lock().withLock(for: "save") { #expect(here() == ["save"]) }
    #expect(here() == [])
  }

  @Test("An interrupted call is made again; a failing one is reported and the next caller gets the lock")
  func failures() throws {
    let interrupted = lock(
      intercepting { $0.call == .lock && $0.number == 1 ? .fail(.interrupted) : .proceed })
    #expect(try interrupted.withLock(for: "one") { 1 } == 1)
    let failing = lock(intercepting { $0.call == .lock && $0.number == 1 ? .fail(.inputOutput) : .proceed })
    #expect(throws: GroupError.system(SystemError(.lock, .inputOutput, path: path))) {
      try failing.withLock(for: "one") {}
    }
    #expect(try failing.withLock(for: "two", timeout: .zero) { 2 } == 2)
  }

  @Test("G2: a lock whose unlock fails is freed by closing it")
  func unlockFails() throws {
    let failing = lock(intercepting { $0.call == .unlock ? .fail(.inputOutput) : .proceed })
    #expect(try failing.withLock(for: "one") { 1 } == 1)
    #expect(try lock().withLock(for: "two", timeout: .zero) { 2 } == 2)
    #expect(try failing.withLock(for: "three", timeout: .zero) { 3 } == 3)
  }

  @Test("A holder that cannot write its name holds the lock all the same")
  func nameless() throws {
    let full = lock(intercepting { $0.call == .pwrite ? .fail(.noSpace) : .proceed })
    #expect(try full.withLock(for: "one") { 1 } == 1)
  }

  @Test("A lock in a folder that is not there, or is none, or cannot be written, says so")
  func badPaths() throws {
    func error(_ path: String, _ system: System = .live) -> GroupError? {
      do {
        try GroupLock(path: path, system: system, trace: .off).withLock(for: "x") {}
        return nil
      } catch {
        return error as? GroupError
      }
    }
    let file = folder.path.appendingPath("file")
    try System.live.open(file, [.write, .create]).sync()
    #expect(error(folder.path + "/none/a.lock") == .missingDirectory(path: folder.path + "/none"))
    #expect(error(file + "/a.lock") == .notADirectory(path: file))
    #expect(error(path, intercepting { _ in .fail(.accessDenied) }) == .readOnly(path: path))
    #expect(error(path, intercepting { _ in .fail(.notPermitted) }) == .unreadableNow(path: path))
  }

  @Test("The same holder does not write its name again")
  func holderNote() throws {
    let calls = InterceptedCalls(PlatformCalls()) { _ in .proceed }
    let lock = lock(System(calls: calls))
    for _ in 0..<10 { try lock.withLock(for: "x") {} }
    #expect(calls.counts[.pwrite] == 1)
    #expect(calls.counts[.open] == 1)
    #expect(calls.counts[.lock] == 10)
  }
}
