import TenureGroup
import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureStorage

/// Protocol point 12: looking at a container without touching it.
@Suite("Inspection") struct InspectionTests {
  /// A container with two committed notes in its log, a body and no opener, and a place for copies beside it.
  private final class Evidence: Sendable {
    let box: Box
    let body: BodyFile
    let place: String

    init(system: System = .live, notes: Int = 2) async throws {
      box = try Box(system: system)
      place = box.path + "-place"
      try System.live.makeDirectories(place)
      let database = try await box.open()
      for number in 0..<notes { try await database.add("note \(number)") }
      body = try await database.bodies.write(Array(repeating: 7, count: 100_000))
      await database.close()
    }

    deinit { Box.removeTree(place) }

    func inspect(
      _ components: [Component] = [Box.notes], system: System? = nil
    ) async throws -> GroupDatabase {
      try await GroupDatabase.inspect(
        box.path, components: components, options: Box.small, temporaryFolder: place,
        system: system ?? box.container.system)
    }

    var copies: [String] { get throws { try System.live.list(place) } }

    /// Everything there is to know of the container without reading a body twice.
    func everything() throws -> [String: [String]] {
      var found: [String: [String]] = [:]
      var folders = [box.path]
      while let folder = folders.popLast() {
        for name in try System.live.list(folder) {
          let path = folder.appendingPath(name)
          guard let status = try System.live.status(path) else { continue }
          if status.kind == .directory { folders.append(path) }
          let bytes = status.kind == .file ? try System.live.contents(of: path, limit: 1 << 24) : []
          found[path] = ["\(status)", Digest(of: bytes).description]
        }
      }
      return found
    }
  }

  @Test("Shows what was acknowledged and is still in the log, and changes no byte, name, time or link")
  func showsTheLog() async throws {
    let evidence = try await Evidence()
    #expect(try System.live.status(evidence.box.container.databasePath + "-wal")?.size ?? 0 > 0)
    let before = try evidence.everything()
    let database = try await evidence.inspect()
    #expect(database.inspectedContainer == evidence.box.path)
    #expect(try await database.titles == ["note 0", "note 1"])
    let file = try #require(try database.bodies.open(evidence.body.name))
    #expect(try database.bodies.contents(of: evidence.body, in: file).count == 100_000)
    let lent = try #require(try database.bodies.link(evidence.body.name, as: "lent"))
    #expect(try System.live.status(lent)?.links == 1)
    #expect(try evidence.copies.count == 1)
    #expect(try System.live.status(evidence.place.appendingPath(evidence.copies[0]))?.permissions == 0o700)
    await database.close()
    #expect(try evidence.copies == [])
    #expect(try evidence.everything() == before)
  }

  @Test("Every write is refused, says why, and reaches neither the container nor its bodies")
  func writesAreRefused() async throws {
    let evidence = try await Evidence()
    let before = try evidence.everything()
    let database = try await evidence.inspect()
    let refused = StorageError.inspectedOnly(original: evidence.box.path)
    #expect(await failure { try await database.add("no") } == refused)
    #expect(await failure { try await database.bodies.write([1]) } == refused)
    #expect(
      await failure { try await database.bodies.write(copying: evidence.box.container.bellPath) } == refused)
    #expect(await failure { try await database.sweep { _, _ in [] } } == refused)
    database.bodies.discard(evidence.body)
    #expect(refused.description.contains("Open the container itself"))
    await database.close()
    #expect(try evidence.everything() == before)
  }

  @Test("An older schema is migrated in the copy alone, a newer one refused, and nothing is left behind")
  func schemas() async throws {
    let evidence = try await Evidence()
    let before = try evidence.everything()
    let later = Component(name: "notes", version: 2) { connection, _ in
      try connection.script("ALTER TABLE note ADD COLUMN pinned INTEGER")
    }
    let database = try await evidence.inspect([later])
    #expect(
      try await database.read { try $0.query("SELECT pinned FROM note") { $0.isNull(0) } } == [true, true])
    await database.close()
    let newer = await failure {
      try await evidence.inspect([Component(name: "notes", version: 0) { _, _ in }])
    }
    #expect(newer == .newerSchema(component: "notes", found: 1, known: 0))
    #expect(try evidence.copies == [])
    #expect(try evidence.everything() == before)
  }

  @Test(
    "A container without a database is an error, and stays as it is",
    arguments: ["", "lost", "foreign", "gone"])
  func noDatabase(state: String) async throws {
    let evidence = try await Evidence()
    let path = evidence.box.container.databasePath
    for end in ["", "-wal", "-shm"] { try System.live.remove(path + end) }
    if state == "" {
      for name in try System.live.list(evidence.box.container.bodiesPath) {
        try System.live.remove(evidence.box.container.bodiesPath.appendingPath(name))
      }
      try System.live.remove(evidence.box.container.reservePath)
    }
    if state == "foreign" { try SQLiteConnection(path, .create).script("CREATE TABLE theirs(x)") }
    if state == "gone" { Box.removeTree(evidence.box.path) }
    let before = state == "gone" ? [:] : try evidence.everything()
    let error = await failure { try await evidence.inspect() }
    switch (state, error) {
    case ("", .missing), ("lost", .databaseLost), ("foreign", .foreignDatabase), ("gone", .group(.missing)):
      break
    default: Issue.record("\(state): \(String(describing: error))")
    }
    #expect(try evidence.copies == [])
    if state != "gone" { #expect(try evidence.everything() == before) }
    #expect(try (System.live.status(evidence.box.path) == nil) == (state == "gone"))
  }

  /// A call that fails once, each time it is made on the way into an inspection and out of it.
  static let faults: [(SystemCall, InterceptedCalls.Effect)] = [
    (.databaseOpen, .fail(.inputOutput)), (.databaseRead, .fail(.inputOutput)),
    (.databaseRead, .short(7)), (.databaseSharedMap, .fail(.noSpace)), (.open, .fail(.tooManyFiles)),
    (.open, .fail(.interrupted)),
    (.open, .fail(.noSpace)), (.stat, .fail(.inputOutput)), (.stat, .fail(.interrupted)),
    (.pread, .fail(.inputOutput)), (.pread, .short(1)), (.pread, .fail(.interrupted)),
    (.pwrite, .fail(.noSpace)), (.pwrite, .fail(.inputOutput)), (.pwrite, .short(1)), (.pwrite, .short(0)),
    (.pwrite, .fail(.interrupted)), (.pwrite, .failAfter(.noSpace)), (.mkdir, .fail(.noSpace)),
    (.mkdir, .failAfter(.inputOutput)), (.lock, .fail(.inputOutput)), (.readdir, .fail(.inputOutput)),
    (.unlink, .fail(.inputOutput)), (.rmdir, .fail(.inputOutput)),
  ]

  @Test("A failing call is an error or makes no difference, and leaves nothing behind", arguments: faults)
  func failing(call: SystemCall, effect: InterceptedCalls.Effect) async throws {
    let faults = try Faults()
    let evidence = try await Evidence(system: faults.system)
    let before = try evidence.everything()
    var number = 0
    var isReached = true
    while isReached {
      number += 1
      let wanted = number
      let seen = Lock(0)
      faults.start { site in
        guard site.call == call else { return .proceed }
        return seen.withLock { seen in
          seen += 1
          return seen == wanted
        } ? effect : .proceed
      }
      do {
        let database = try await evidence.inspect()
        #expect(try await database.titles == ["note 0", "note 1"])
        await database.close()
      } catch is StorageError {
        if effect == .fail(.interrupted) || effect == .short(1) {
          Issue.record("call \(number) was not gone on with")
        }
      }
      faults.stop()
      isReached = seen.withLock { $0 } >= wanted
      if call != .unlink && call != .rmdir && call != .readdir {
        #expect(try evidence.copies == [], "after call \(number)")
      }
      #expect(try evidence.everything() == before, "after call \(number)")
    }
    #expect(number > 1, "the call is made")
    // What could not be removed goes with the next.
    await (try await evidence.inspect()).close()
    #expect(try evidence.copies == [])
  }

  @Test("A place without room is named with what is needed")
  func noRoom() async throws {
    let faults = try Faults()
    let evidence = try await Evidence(system: faults.system)
    let place = evidence.place
    faults.start { $0.call == .pwrite && $0.path?.hasPrefix(place) == true ? .fail(.noSpace) : .proceed }
    let error = await failure { try await evidence.inspect() }
    guard case .noRoomForCopy(evidence.box.path, place, let bytes) = error else {
      Issue.record("no room: \(String(describing: error))")
      return
    }
    #expect(bytes > 4096)
    #expect("\(error!)".contains("TMPDIR"))
    #expect(error?.isRetryable == true)
  }

  @Test(
    "A log that starts anew, or goes, while it is copied does not mix two states",
    arguments: [1, 3, Int.max],
    [true, false])
  func startsAnew(times: Int, keepsLog: Bool) async throws {
    let faults = try Faults()
    let evidence = try await Evidence(system: faults.system, notes: 60)
    let path = evidence.box.container.databasePath
    let left = Lock(times)
    // The last connection to close takes the log away, where it is no connection of this library.
    let survivor = keepsLog ? try evidence.box.outside() : nil
    _ = try survivor?.integer("SELECT count(*) FROM note")
    defer { withExtendedLifetime(survivor) {} }
    faults.start { site in
      // The first read of each try is of the head; by the second the database's beginning is copied.
      guard site.call == .databaseRead, site.path == path, site.bytes > 100 else { return .proceed }
      let isDue = left.withLock { left in
        left -= 1
        return left >= 0
      }
      if isDue { Self.startAnew(path) }
      return .proceed
    }
    let error = await failure {
      let database = try await evidence.inspect()
      faults.stop()
      let titles = try await database.titles
      #expect(Set(titles).count == titles.count && titles.count >= 60)
      #expect(try await database.read { try $0.text("PRAGMA integrity_check") } == "ok")
      await database.close()
    }
    if times == .max {
      guard case .busy = error else {
        Issue.record("busy: \(String(describing: error))")
        return
      }
    } else {
      #expect(error == nil)
    }
    #expect(try evidence.copies == [])
  }

  /// What others do meanwhile: copy the log back, and begin it again.
  private static func startAnew(_ path: String) {
    do {
      let other = try SQLiteConnection(path, .write)
      for _ in 0..<2 {
        _ = try other.query("PRAGMA wal_checkpoint(RESTART)") { $0.integer(0) }
        try other.run("INSERT INTO note(title) VALUES (hex(randomblob(3000)))")
      }
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test("Cancelling while it copies ends the copying and removes the copy")
  func cancelled() async throws {
    let faults = try Faults()
    let evidence = try await Evidence(system: faults.system)
    let gate = ThreadGate()
    let path = evidence.box.container.databasePath
    faults.start { site in
      if site.call == .databaseRead, site.path == path, site.bytes > 100 { gate.pass() }
      return .proceed
    }
    let task = Task { try await evidence.inspect() }
    try await gate.arrival()
    #expect(try evidence.copies.count == 1)
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try evidence.copies == [])
  }

  @Test("What a killed inspection left is removed by the next; what another holds, or is a link, is not")
  func leftovers() async throws {
    let evidence = try await Evidence()
    let other = try await evidence.inspect()
    let held = try evidence.copies
    let dead = evidence.place.appendingPath("tenure-inspection-dead")
    try System.live.makeDirectories(dead.appendingPath("leases/x.links"))
    for name in ["in-use", "tenure.sqlite", "leases/x"] {
      _ = try System.live.open(dead.appendingPath(name), [.write, .create])
    }
    let link = evidence.place.appendingPath("tenure-inspection-link")
    let linked = evidence.box.path.appendingPath("linked")
    try System.live.makeDirectories(linked)
    _ = try System.live.open(linked.appendingPath("in-use"), [.write, .create])
    #expect(
      await (try ChildProcess.start("/bin/ln", arguments: ["-s", linked, link])).ending() == .exited(0))
    let before = try evidence.everything()
    await (try await evidence.inspect()).close()
    #expect(try Set(evidence.copies) == Set(held + [link.lastPathPart]))
    #expect(try evidence.everything() == before)
    #expect(try await other.titles.count == 2)
    await other.close()
    try System.live.remove(link)
  }
}
