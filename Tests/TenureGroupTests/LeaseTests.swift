import TenureSystem
import TenureTrace
import Testing

@testable import TenureGroup

@Suite("Lease")
struct LeaseTests {
  private let folder: TemporaryFolder
  private let ring = TraceRing()
  private let container: GroupContainer

  init() throws {
    folder = try TemporaryFolder()
    container = try GroupContainer.open(
      at: folder.path.appendingPath("box"), trace: Trace(to: ring, as: .current(role: "scene")))
  }

  /// What a killed process leaves: the file, unlocked, and the directory with a link.
  private func leaveBehind(_ name: String) throws {
    let system = container.system
    try system.makeDirectories(container.leaseDirectory(name).appendingPath("inner"))
    try system.link(container.bellPath, to: container.leaseDirectory(name).appendingPath("inner/link"))
    HolderNote(container.trace.process).write(
      to: try system.open(container.leasePath(name), [.read, .write, .create]))
  }

  private var leftovers: [String] { get throws { try container.system.list(container.leasesPath) } }

  @Test("G2: a lease is held from its taking to its end, and leaves nothing")
  func life() throws {
    let lease = try Lease.take(in: container)
    let note = HolderNote(container.trace.process).text
    #expect(try Lease.all(in: container) == [LeaseStatus(name: lease.name, holder: note, isHeld: true)])
    #expect(try container.system.status(lease.directory)?.kind == .directory)
    try container.system.link(container.bellPath, to: lease.directory.appendingPath("bell"))
    #expect(try Lease.reap(in: container) == [])
    lease.end()
    lease.end()
    #expect(try leftovers == [])
    #expect(ring.events() == [LeaseTaken(lease: lease.name, holder: note)])
  }

  @Test("A lease ends with its last reference")
  func released() throws {
    var lease: Lease? = try Lease.take(in: container, name: "a")
    #expect(lease?.name == "a")
    lease = nil
    #expect(try leftovers == [])
  }

  @Test("A name is held by one at a time, and free again after the end")
  func named() throws {
    let lease = try Lease.take(in: container, name: "scene-1")
    let note = HolderNote(container.trace.process).text
    #expect(throws: GroupError.leaseHeld(name: "scene-1", holder: note)) {
      try Lease.take(in: container, name: "scene-1")
    }
    lease.end()
    #expect(try Lease.take(in: container, name: "scene-1").name == "scene-1")
  }

  @Test("G2: the lease of an ended holder is seen as such, and cleared with its directory")
  func reaped() throws {
    try leaveBehind("dead")
    let lease = try Lease.take(in: container, name: "live")
    #expect(try Lease.all(in: container).map(\.isHeld) == [false, true])
    #expect(try Lease.reap(in: container) == ["dead"])
    #expect(try leftovers == ["live.lease", "live.links"])
    let note = HolderNote(container.trace.process).text
    #expect(ring.events(LeaseReaped.self) == [LeaseReaped(lease: "dead", holder: note)])
    lease.end()
  }

  @Test("Taking the name of an ended holder clears what that one left")
  func inherited() throws {
    try leaveBehind("again")
    let lease = try Lease.take(in: container, name: "again")
    #expect(try container.system.list(lease.directory) == [])
    lease.end()
  }

  @Test("A holder that opened the file before it was cleared away does not hold a name that leads nowhere")
  func unlinkedBetween() throws {
    try leaveBehind("race")
    let path = container.leasePath("race")
    let container = container
    // Between the opening and the locking somebody else reaps.
    let system = intercepting { site in
      if site.call == .lock, site.path == path, site.number == 1 { _ = try? Lease.reap(in: container) }
      return .proceed
    }
    let late = try GroupContainer.open(at: container.path, system: system, trace: .off)
    let lease = try Lease.take(in: late, name: "race")
    #expect(try Lease.all(in: container).map(\.isHeld) == [true])
    #expect(throws: GroupError.self) { try Lease.take(in: container, name: "race") }
    lease.end()
  }

  @Test("A holder that opened the file of before does not hold the name that another has taken since")
  func takenBetween() throws {
    try leaveBehind("race")
    let path = container.leasePath("race")
    let container = container
    let other = Monitor(Lease?.none)
    let system = intercepting { site in
      if site.call == .lock, site.path == path, site.number == 1 {
        _ = try? Lease.reap(in: container)
        let lease = try? Lease.take(in: container, name: "race")
        other.change { $0 = lease }
      }
      return .proceed
    }
    let late = try GroupContainer.open(at: container.path, system: system, trace: .off)
    #expect(throws: GroupError.self) { try Lease.take(in: late, name: "race") }
    #expect(try Lease.all(in: container).map(\.isHeld) == [true])
    other.withLock { $0 }?.end()
  }

  @Test("Takers and reapers at once: every lease is held by its taker until its end, and none is left")
  func storm() async throws {
    let container = container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          try await SystemThread.run(name: "lease") {
            for _ in 0..<50 {
              if worker == 0 {
                try Lease.reap(in: container)
                _ = try Lease.all(in: container)
              } else {
                let lease = try Lease.take(in: container)
                let link = lease.directory.appendingPath("bell")
                try container.system.link(container.bellPath, to: link)
                #expect(try container.system.status(link) != nil)
                #expect(try container.system.status(lease.path) != nil)
                lease.end()
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try leftovers == [])
  }

  @Test("D13: leases of killed processes do not pile up past the stated number")
  func bound() throws {
    for number in 0...Lease.tolerated { try leaveBehind("dead-\(number)") }
    let lease = try Lease.take(in: container)
    #expect(try leftovers.count == 2)
    lease.end()
  }

  @Test(
    "A name that could lead elsewhere is refused",
    arguments: [
      "", ".", "..", ".a", "a/b", "/", "a\u{7F}b", "a\nb", String(repeating: "x", count: 201),
    ])
  func badNames(name: String) {
    #expect(throws: GroupError.invalidName(name)) { try Lease.take(in: container, name: name) }
  }

  @Test(
    "Whichever call fails: a typed error or a lease, and what is left is cleared by the next reaping",
    arguments: [
      Errno.noSpace, .inputOutput, .tooManyFiles, .interrupted,
    ])
  func faults(code: Errno) throws {
    let counting = CallCounter()
    let quiet = try GroupContainer.open(
      at: container.path,
      system: intercepting { _ in
        counting.add()
        return .proceed
      }, trace: .off)
    let opened = counting.value
    try Lease.take(in: quiet, name: "count").end()
    for fatal in 1...(counting.value - opened) {
      let count = CallCounter()
      let armed = Lock(false)
      let system = intercepting { site in
        guard armed.withLock({ $0 }) else { return .proceed }
        count.add()
        return count.value == fatal && site.call != .close ? .fail(code) : .proceed
      }
      let faulty = try GroupContainer.open(at: container.path, system: system, trace: .off)
      armed.withLock { $0 = true }
      do throws(GroupError) {
        try Lease.take(in: faulty, name: "x").end()
      } catch {
        #expect(code != .interrupted)
        #expect(error.description.contains(code.description), "\(error)")
      }
      armed.withLock { $0 = false }
      try Lease.reap(in: container)
      #expect(try leftovers == [])
      #expect(GroupLock.heldNow.allSatisfy { $0.path != container.leasePath("x") })
    }
  }
}
