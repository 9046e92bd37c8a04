import TenureSystem
import TenureTesting
import Testing

/// Writes a file and says how much of it was made durable.
private func write(
  _ text: String, to path: String, on system: System, sync: Bool = true, syncDirectory: Bool = true
) throws {
  let file = try system.open(path, [.write, .create, .truncate])
  try Array(text.utf8).withUnsafeBytes { bytes in
    Result { () throws(SystemError) in try file.writeAll(bytes) }
  }.get()
  if sync { try file.sync() }
  if syncDirectory { try system.syncDirectory(path.parentPath) }
}

private func text(_ path: String, on system: System) throws -> String? {
  if try system.status(path) == nil { return nil }
  return String(decoding: try system.contents(of: path, limit: 1 << 20), as: UTF8.self)
}

/// Everything that could be found under a path after any cut of a recording.
private func outcomes(
  _ path: String, _ disk: CrashFileSystem, _ plan: CutPlan = CutPlan(at: .changes)
) throws -> Set<String?> {
  var seen: Set<String?> = []
  try CrashFileSystem.everyCut(of: disk.recording, plan) { cut in
    seen.insert(try text(path, on: cut.survivor.system))
  }
  return seen
}

/// Everything that could be found at the end.
private func endings(
  _ path: String, _ disk: CrashFileSystem, names: CutPlan.Names = .perDirectory, seeds: Int = 40
) throws -> Set<String?> {
  let plan = CutPlan(
    from: disk.position, policies: CutPolicy.standard(seeds: seeds), names: names)
  return try outcomes(path, disk, plan)
}

@Suite("A file system that forgets what was not synced")
struct CrashFileSystemTests {
  let disk = CrashFileSystem()
  var system: System { disk.system }

  @Test("What was synced, data and directory, is there after every cut")
  func synced() throws {
    try write("whole", to: "/a", on: system)
    #expect(try endings("/a", disk) == ["whole"])
  }

  @Test("A name whose directory was not synced can vanish, with and without its data being durable")
  func nameVanishes() throws {
    try write("whole", to: "/a", on: system, syncDirectory: false)
    #expect(try endings("/a", disk) == ["whole", nil])
  }

  @Test("Data that was not synced can vanish under a name that stays: empty, zeros or whole")
  func dataVanishes() throws {
    try write("whole", to: "/a", on: system, sync: false)
    #expect(try endings("/a", disk) == ["whole", "", "\0\0\0\0\0"])
  }

  @Test("A rename without a sync of the directory leaves the old file or the new one")
  func rename() throws {
    try write("old", to: "/a", on: system)
    try write("new", to: "/b", on: system)
    try system.rename("/b", to: "/a")
    #expect(try endings("/a", disk) == ["old", "new"])
    #expect(try endings("/b", disk) == ["new", nil])
    try system.syncDirectory("/")
    #expect(try endings("/a", disk) == ["new"])
    #expect(try endings("/b", disk) == [nil])
  }

  @Test("A rename can be durable before the data of the file it moved")
  func renameWithoutData() throws {
    try write("old", to: "/a", on: system)
    try write("new", to: "/b", on: system, sync: false)
    try system.rename("/b", to: "/a")
    #expect(try endings("/a", disk) == ["old", "new", "", "\0\0\0"])
  }

  @Test("A file that was taken away and not synced can come back, with its content")
  func unlinkComesBack() throws {
    try write("whole", to: "/a", on: system)
    try system.remove("/a")
    #expect(try endings("/a", disk) == ["whole", nil])
    try system.syncDirectory("/")
    #expect(try endings("/a", disk) == [nil])
  }

  @Test("A write over old bytes is torn between sectors, never inside one")
  func torn() throws {
    let old = String(repeating: "o", count: 2048)
    try write(old, to: "/a", on: system)
    let file = try system.open("/a", [.write])
    let bytes = [UInt8](repeating: 110, count: 1024)
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try file.writeAll(bytes, at: 256) }
    }.get()
    let seen = try endings("/a", disk, seeds: 100)
    // The write covers half of the first sector, the second, and half of the third.
    func pattern(_ text: String) -> String {
      [256, 512, 1024].map { text[text.index(text.startIndex, offsetBy: $0)] }.map(String.init).joined()
    }
    let patterns = Set(seen.compactMap { $0.map(pattern) })
    #expect(patterns == ["ooo", "noo", "ono", "oon", "nno", "non", "onn", "nnn"])
    #expect(seen.count == 8)
  }

  @Test("Truncating without a sync can be undone by a cut")
  func truncation() throws {
    try write("whole", to: "/a", on: system)
    try system.open("/a", [.write]).truncate(to: 2)
    #expect(try endings("/a", disk) == ["whole", "wh"])
    #expect(try text("/a", on: system) == "wh")
  }

  @Test("A move between directories is one step with a journal and two without")
  func moveAcross() throws {
    try system.makeDirectories("/from")
    try system.makeDirectories("/to")
    try write("whole", to: "/from/a", on: system)
    try system.rename("/from/a", to: "/to/a")
    var seen: [CutPlan.Names: Set<[Bool]>] = [:]
    for names in [CutPlan.Names.perDirectory, .journalled] {
      let plan = CutPlan(from: disk.position, policies: CutPolicy.standard(seeds: 40), names: names)
      try CrashFileSystem.everyCut(of: disk.recording, plan) { cut in
        let system = cut.survivor.system
        seen[names, default: []].insert(
          [try system.status("/from/a") != nil, try system.status("/to/a") != nil])
      }
    }
    #expect(seen[.journalled] == [[true, false], [false, true]])
    #expect(seen[.perDirectory] == [[true, false], [false, true], [true, true], [false, false]])
  }

  @Test("With a journal, syncing one directory makes the names made before in others durable")
  func journal() throws {
    try system.makeDirectories("/x")
    try write("whole", to: "/a", on: system, syncDirectory: false)
    try system.syncDirectory("/x")
    #expect(try endings("/a", disk, names: .journalled) == ["whole"])
    #expect(try endings("/a", disk, names: .perDirectory) == ["whole", nil])
  }

  @Test("A disk that ignores the syncs of directories, or of files, loses what it promised")
  func ignoring() throws {
    try write("whole", to: "/a", on: system)
    disk.acknowledge("a")
    var lost: [CutPlan.Ignored.RawValue: Int] = [:]
    for ignored in [CutPlan.Ignored(), .files, .directories] {
      try CrashFileSystem.everyCut(of: disk.recording, CutPlan(ignoring: ignored)) { cut in
        if cut.acknowledged == ["a"], try text("/a", on: cut.survivor.system) != "whole" {
          lost[ignored.rawValue, default: 0] += 1
        }
      }
    }
    #expect(lost[CutPlan.Ignored().rawValue] == nil)
    #expect(lost[CutPlan.Ignored.files.rawValue, default: 0] > 0)
    #expect(lost[CutPlan.Ignored.directories.rawValue, default: 0] > 0)
  }

  @Test("The same cut is the same disk, and a cut of a cut keeps what the first one kept")
  func deterministic() throws {
    try write(String(repeating: "x", count: 5000), to: "/a", on: system, sync: false)
    let recording = disk.recording
    let policy = CutPolicy(data: .scattered, names: .kept, seed: 11)
    let first = CrashFileSystem.cut(recording, at: recording.count, policy: policy)
    let again = CrashFileSystem.cut(recording, at: recording.count, policy: policy)
    let found = try text("/a", on: first.survivor.system)
    #expect(try text("/a", on: again.survivor.system) == found)
    #expect(first.description == "cut at \(recording.count) (data scattered, names kept, seed 11)")
    // What came through the first cut is on the disk; only what is new can be lost by the second.
    try write("new", to: "/b", on: first.survivor.system, sync: false, syncDirectory: false)
    #expect(try outcomes("/a", first.survivor) == [found])
  }

  @Test("Positions are cut at syncs and acknowledgements, or between any two changes")
  func points() throws {
    try write("1", to: "/a", on: system)
    disk.acknowledge("a")
    let recording = disk.recording
    var positions: [CutPlan.Points: [Int]] = [:]
    for points in [CutPlan.Points.syncs, .changes] {
      let plan = CutPlan(at: points, policies: [CutPolicy(data: .lost, names: .lost)])
      CrashFileSystem.everyCut(of: recording, plan) { positions[points, default: []].append($0.position) }
    }
    // make, name, write, sync, sync of the directory, acknowledgement; the file was new, so no truncation
    #expect(recording.count == 6)
    #expect(recording.syncs == 2)
    #expect(positions[.syncs] == [3, 4, 5, 6])
    #expect(positions[.changes] == Array(0...6))
  }
}

@Suite("A file system in memory behaves as the real one")
struct CrashFileSystemCallsTests {
  let disk = CrashFileSystem()
  var system: System { disk.system }

  @Test("A file that was unlinked can still be read and written through its descriptor")
  func openAfterUnlink() throws {
    try write("whole", to: "/a", on: system)
    let file = try system.open("/a", [.read, .write])
    try system.remove("/a")
    var buffer = [UInt8](repeating: 0, count: 5)
    let count = buffer.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in try file.read(into: buffer, at: 0) }
    }
    #expect(try count.get() == 5)
    #expect(buffer == Array("whole".utf8))
    #expect(try file.status().links == 0)
    try write("other", to: "/a", on: system)
    #expect(try text("/a", on: system) == "other")
  }

  @Test("Links, exclusive creation, missing paths and directories answer with the errno of the call")
  func errors() throws {
    try system.makeDirectories("/d/e")
    try write("1", to: "/d/a", on: system)
    try system.link("/d/a", to: "/d/b")
    #expect(try #require(try system.status("/d/a")).links == 2)
    #expect(try system.list("/d") == ["a", "b", "e"])
    func code(_ body: () throws -> Void) -> Errno? {
      do { try body() } catch { return (error as? SystemError)?.code }
      return nil
    }
    #expect(code { try system.link("/d/a", to: "/d/b") } == .exists)
    #expect(code { _ = try system.open("/d/a", [.write, .create, .exclusive]) } == .exists)
    #expect(code { _ = try system.open("/none", .read) } == .noEntry)
    #expect(code { _ = try system.open("/none/a", [.write, .create]) } == .noEntry)
    #expect(code { _ = try system.open("/d/a/b", .read) } == .notDirectory)
    #expect(code { _ = try system.open("/d", .write) } == .isDirectory)
    #expect(code { try system.removeDirectory("/d") } == .notEmpty)
    #expect(code { try system.rename("/d/a", to: "/d/e") } == .isDirectory)
    #expect(code { try system.rename("/none", to: "/x") } == .noEntry)
    #expect(try system.status("/d/a/b") == nil)
    try system.removeDirectory("/d/e")
    #expect(try system.status("/d/e") == nil)
  }

  @Test("Appending writes at the end, holes read as zeros, and a cut file shows none of its old bytes")
  func content() throws {
    try write("ab", to: "/a", on: system)
    let file = try system.open("/a", [.write, .append])
    func append(_ text: String) throws {
      try Array(text.utf8).withUnsafeBytes { bytes in
        Result { () throws(SystemError) in try file.writeAll(bytes) }
      }.get()
    }
    try append("cd")
    try append("ef")
    #expect(try text("/a", on: system) == "abcdef")
    try file.truncate(to: 3)
    try file.truncate(to: 5)
    #expect(try text("/a", on: system) == "abc\0\0")
    try file.allocate(length: 6)
    #expect(try text("/a", on: system) == "abc\0\0\0")
  }

  @Test("A lock belongs to the open file description and ends with it; a waiting thread gets it then")
  func locks() throws {
    try write("", to: "/lock", on: system)
    let waiting = Monitor(0)
    var first: OpenFile? = try system.open("/lock", [.read, .write])
    let second = try system.open("/lock", [.read, .write])
    try first?.lock()
    #expect(try second.tryLock() == false)
    try first?.unlock()
    #expect(try second.tryLock(exclusive: false))
    #expect(try first?.tryLock(exclusive: false) == true)
    #expect(try first?.tryLock(exclusive: true) == false)
    try second.unlock()
    try first?.lock()
    try SystemThread.start(name: "waiter") {
      try? second.lock()
      waiting.change { $0 = 1 }
    }
    #expect(waiting.withLock { $0 } == 0)
    first = nil
    #expect(waiting.wait(until: { $0 == 1 ? true : nil }) == true)
  }

  @Test("A killed process loses its locks at once, fails from then on and changes nothing more")
  func kill() throws {
    let app = disk.process("app") { $0.call == .pwrite && $0.number == 2 && !$0.isAfter }
    try write("", to: "/lock", on: system)
    let lock = try app.system.open("/lock", [.read, .write])
    let file = try app.system.open("/a", [.write, .create])
    try lock.lock()
    let bytes = [UInt8](repeating: 97, count: 3)
    func overwrite() throws {
      try bytes.withUnsafeBytes { bytes in
        Result { () throws(SystemError) in try file.writeAll(bytes, at: 0) }
      }.get()
    }
    try overwrite()
    #expect(app.isDead == false)
    #expect(throws: SystemError(.pwrite, .inputOutput, path: "/a")) { try overwrite() }
    #expect(app.isDead)
    #expect(throws: SystemError.self) { try app.system.open("/b", [.write, .create]) }
    #expect(try system.open("/lock", [.read, .write]).tryLock())
    #expect(try text("/a", on: system) == "aaa")
    #expect(try system.list("/") == ["a", "lock"])
  }
}
