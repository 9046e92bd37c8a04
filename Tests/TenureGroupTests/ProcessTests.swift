import TenureSystem
import TenureTrace
import Testing

@testable import TenureGroup

@Suite("The G laws among processes that are killed")
struct ProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func contents(_ path: String) throws -> String {
    String(decoding: try System.live.contents(of: path, limit: 1_000), as: UTF8.self)
  }

  @Test(
    "G2: a killed holder frees the lock; the customary lock file is left behind by it",
    arguments: [true, false])
  func killedHolder(guarded: Bool) async throws {
    let path = folder.path.appendingPath("a.lock")
    let probe = try guarded ? Probe("hold", path) : Probe("hold", path, "marker")
    #expect(try await probe.line() == "held")
    let lock = GroupLock(
      path: path, system: .live, trace: .off, guards: GroupGuards(g2: guarded))
    #expect {
      try lock.withLock(for: "try", timeout: .zero) {}
    } throws: { error in
      guard case GroupError.lockTimedOut(_, let holder?) = error else { return false }
      return holder.hasPrefix("probe, process \(probe.child.pid) ")
    }
    #expect(await probe.kill() == .killed(signal: 9))
    if guarded {
      #expect(try lock.withLock(for: "after", timeout: .zero) { true })
    } else {
      #expect(throws: GroupError.self) { try lock.withLock(for: "after", timeout: .zero) {} }
    }
  }

  @Test("G2: who waits for a killed holder is let in by its death")
  func waitingForTheDead() async throws {
    let path = folder.path.appendingPath("a.lock")
    let probe = try Probe("hold", path)
    #expect(try await probe.line() == "held")
    let waits = CallCounter()
    let system = intercepting { site in
      if site.call == .lock { waits.add() }
      return .proceed
    }
    async let got = SystemThread.run(name: "wait") {
      try GroupLock(path: path, system: system, trace: .off)
        .withLock(for: "wait", timeout: .seconds(60)) { true }
    }
    try await SystemThread.run(name: "count") { waits.wait(for: 2) }
    _ = await probe.kill()
    #expect(try await got)
  }

  @Test("G2: the lease of a killed process is free, and is cleared with what it linked")
  func killedLease() async throws {
    let container = try GroupContainer.open(at: folder.path.appendingPath("box"), trace: .off)
    let probe = try Probe("lease", container.path, "scene")
    #expect(try await probe.line() == "taken")
    #expect(try Lease.all(in: container).map(\.isHeld) == [true])
    #expect(try Lease.reap(in: container) == [])
    #expect(try System.live.status(container.bellPath)?.links == 2)
    _ = await probe.kill()
    #expect(try Lease.all(in: container).map(\.isHeld) == [false])
    #expect(try Lease.reap(in: container) == ["scene"])
    #expect(try System.live.status(container.bellPath)?.links == 1)
  }

  @Test("G5: a writer killed while it holds the commit lock wakes the watchers")
  func killedWriter() async throws {
    let container = try GroupContainer.open(at: folder.path.appendingPath("box"), trace: .off)
    let heard = Heard()
    let watch = try GroupSignal(container: container).watch(pollEvery: .seconds(3_600)) { heard.add($0) }
    let probe = try Probe("hold", container.commitLockPath)
    #expect(try await probe.line() == "held")
    #expect(heard.all == [])
    _ = await probe.kill()
    #expect(try await SystemThread.run(name: "wait") { heard.wait(for: .lockClosed) })
    watch.end()
  }

  @Test("G3: processes that change one file at once lose nothing")
  func counting() async throws {
    let path = folder.path.appendingPath("count")
    let probes = try (0..<3).map { _ in try Probe("count", path, "40") }
    for probe in probes { #expect(try await probe.line() == "counted") }
    #expect(try contents(path) == "120")
  }

  @Test(
    "G3: a writer killed before any of its calls leaves the old content or the new, and no one in the way")
  func killedReplacement() async throws {
    let path = folder.path.appendingPath("file")
    var kills = 0
    var outcomes: Set<String> = []
    while true {
      try AtomicFile.replace(path, with: Array("old".utf8), trace: .off, timeout: .zero)
      #expect(try System.live.list(folder.path) == [".file.lock", "file"])
      let probe = try Probe("replace", path, "new", "\(kills + 1)")
      if try await probe.line() == "replaced" { break }
      #expect(await probe.child.ending() == .killed(signal: 9))
      kills += 1
      outcomes.insert(try contents(path))
    }
    #expect(kills >= 10)
    #expect(outcomes == ["old", "new"])
  }
}
