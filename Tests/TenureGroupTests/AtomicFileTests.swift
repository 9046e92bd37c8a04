import TenureSystem
import TenureTrace
import Testing

@testable import TenureGroup

@Suite("AtomicFile")
struct AtomicFileTests {
  private let folder: TemporaryFolder
  private let ring = TraceRing()
  private var trace: Trace { Trace(to: ring, as: .current(role: "test")) }
  private var path: String { folder.path.appendingPath("notes.json") }

  init() throws { folder = try TemporaryFolder() }

  private func text(_ path: String? = nil) throws -> String {
    String(decoding: try System.live.contents(of: path ?? self.path, limit: 1 << 20), as: UTF8.self)
  }

  private var names: [String] { get throws { try System.live.list(folder.path) } }

  @Test("G3: a file is made, replaced, changed and added to, and only the lock file stays beside it")
  func operations() throws {
    try AtomicFile.replace(path, with: Array("one".utf8), trace: trace)
    #expect(try text() == "one")
    try AtomicFile.replace(path, with: Array("two".utf8), trace: trace)
    try AtomicFile.update(path, trace: trace) { old in (old ?? []) + Array(" three".utf8) }
    try AtomicFile.append(Array(" four".utf8), to: path, trace: trace)
    #expect(try text() == "two three four")
    #expect(try names == [".notes.json.lock", "notes.json"])
    let replaced = ring.events(FileReplaced.self)
    #expect(replaced.map(\.operation) == [.replace, .replace, .update, .append])
    #expect(replaced.map(\.bytes) == [3, 3, 9, 14])
    #expect(replaced.allSatisfy { $0.verified && $0.synced && $0.locked && $0.file == "notes.json" })
    #expect(ring.events(LockTaken.self).map(\.purpose) == ["replace", "replace", "update", "append"])
    #expect(ring.events(LockReleased.self).count == 4)
  }

  @Test("An update of a file that is not there starts from nothing; an append makes the file")
  func missing() throws {
    try AtomicFile.update(path, trace: .off) { old in
      #expect(old == nil)
      return Array("new".utf8)
    }
    #expect(try text() == "new")
    let other = folder.path.appendingPath("log")
    try AtomicFile.append(Array("line\n".utf8), to: other, trace: .off)
    #expect(try text(other) == "line\n")
  }

  @Test("An update that throws, or answers nothing, leaves the file as it is and the lock free")
  func declined() throws {
    struct Refusal: Error {}
    try AtomicFile.replace(path, with: Array("old".utf8), trace: .off)
    let before = try System.live.status(path)
    #expect(throws: Refusal.self) { try AtomicFile.update(path, trace: trace) { _ in throw Refusal() } }
    try AtomicFile.update(path, trace: trace) { _ in nil }
    #expect(try System.live.status(path) == before)
    #expect(ring.events(FileReplaced.self).isEmpty)
    try AtomicFile.replace(path, with: [], trace: .off, timeout: .zero)
    #expect(try text() == "")
  }

  @Test("Appending keeps every byte of a file larger than one piece")
  func largeAppend() throws {
    var bytes = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try AtomicFile.replace(path, with: bytes, trace: .off)
    try AtomicFile.append([1, 2, 3], to: path, trace: .off)
    bytes += [1, 2, 3]
    #expect(try System.live.contents(of: path, limit: 1 << 20) == bytes)
  }

  @Test("Permissions of a replaced file stay; a new file is its user's only")
  func permissions() throws {
    try AtomicFile.replace(path, with: [1], trace: .off)
    #expect(try System.live.status(path)?.permissions == 0o600)
    try System.live.changeMode(path, permissions: 0o664)
    try AtomicFile.append([2], to: path, trace: .off)
    #expect(try System.live.status(path)?.permissions == 0o664)
  }

  @Test("G3: many writers at once lose nothing", arguments: ["update", "append"])
  func writers(operation: String) async throws {
    let path = path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await SystemThread.run(name: "writer") {
            for _ in 0..<25 {
              if operation == "append" {
                try AtomicFile.append([7], to: path, trace: .off)
              } else {
                try AtomicFile.update(path, trace: .off) { ($0 ?? []) + [7] }
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try System.live.contents(of: path, limit: 1_000).count == 100)
  }

  @Test("G3: a reader sees one writer's content whole; without the guard it sees the file empty")
  func reader() throws {
    let path = path
    try AtomicFile.replace(path, with: Array("old".utf8), trace: .off)
    let seen = Lock(Set<String>())
    // Somebody reads before each call of the writer.
    let system = intercepting { site in
      let bytes = (try? System.live.contents(of: path, limit: 100)) ?? []
      seen.withLock { _ = $0.insert(String(decoding: bytes, as: UTF8.self)) }
      return .proceed
    }
    try AtomicFile.replace(path, with: Array("new".utf8), system: system, trace: .off)
    #expect(seen.withLock { $0 } == ["old", "new"])
    seen.withLock { $0 = [] }
    try AtomicFile.replace(
      path, with: Array("now".utf8), system: system, trace: trace, guards: GroupGuards(g3: false))
    #expect(seen.withLock { $0.contains("") })
    #expect(ring.events() == [FileWritten(file: "notes.json", bytes: 3)])
    #expect(ring.events(FileReplaced.self).isEmpty)
  }

  @Test("G3: what a killed writer left is removed by the next one")
  func stale() throws {
    let left = folder.path.appendingPath(".notes.json.new")
    try System.live.open(left, [.write, .create]).writeAll(Array("half".utf8), at: 0)
    try AtomicFile.replace(path, with: Array("whole".utf8), trace: .off)
    #expect(try text() == "whole")
    #expect(try names == [".notes.json.lock", "notes.json"])
  }

  @Test("G3: a temporary file that reads back otherwise never becomes the file")
  func unverified() throws {
    try AtomicFile.replace(path, with: Array("old".utf8), trace: .off)
    // The device takes a byte and keeps another.
    let left = folder.path.appendingPath(".notes.json.new")
    let system = intercepting { site in
      if site.call == .fsync, site.path == left {
        try? System.live.open(left, .write).writeAll([UInt8(ascii: "X")], at: 0)
      }
      return .proceed
    }
    #expect(throws: GroupError.notVerified(path: path)) {
      try AtomicFile.replace(path, with: Array("new".utf8), system: system, trace: trace)
    }
    #expect(try text() == "old")
    #expect(try names == [".notes.json.lock", "notes.json"])
    #expect(ring.events(FileReplaced.self).isEmpty)
  }

  @Test("A name that could not be synced is told: the new content is there, the trace does not say synced")
  func notDurable() throws {
    let parent = folder.path
    let system = intercepting { $0.call == .fsync && $0.path == parent ? .fail(.inputOutput) : .proceed }
    let cause = SystemError(.fsync, .inputOutput, path: parent)
    #expect(throws: GroupError.notDurable(path: path, cause: cause)) {
      try AtomicFile.replace(path, with: Array("new".utf8), system: system, trace: trace)
    }
    #expect(try text() == "new")
    #expect(ring.events(FileReplaced.self).map(\.synced) == [false])
  }

  @Test("What cannot be read is not taken for empty")
  func unreadable() throws {
    try AtomicFile.replace(path, with: Array("old".utf8), trace: .off)
    let path = path
    for code in [Errno.accessDenied, .notPermitted] {
      let system = intercepting { $0.call == .open && $0.path == path ? .fail(code) : .proceed }
      #expect(throws: GroupError.unreadableNow(path: path)) {
        try AtomicFile.update(path, system: system, trace: .off) { _ in [] }
      }
    }
    #expect(throws: GroupError.fileTooLarge(path: path, limit: 2)) {
      try AtomicFile.update(path, limit: 2, trace: .off) { _ in [] }
    }
    #expect(try text() == "old")
  }

  @Test("A folder that is missing, or is none, and a path that is a folder, are named")
  func badPaths() throws {
    try AtomicFile.replace(path, with: [], trace: .off)
    #expect(throws: GroupError.missingDirectory(path: folder.path + "/none")) {
      try AtomicFile.replace(folder.path + "/none/a", with: [], trace: .off)
    }
    #expect(throws: GroupError.notADirectory(path: path)) {
      try AtomicFile.append([], to: path + "/a", trace: .off)
    }
    let inner = folder.path.appendingPath("inner")
    try System.live.makeDirectories(inner)
    #expect(throws: GroupError.system(SystemError(.open, .isDirectory, path: inner))) {
      try AtomicFile.replace(inner, with: [], trace: .off)
    }
    #expect(throws: GroupError.system(SystemError(.rename, .crossDevice, path: folder.path + "/.b.new"))) {
      try AtomicFile.replace(
        folder.path + "/b", with: [],
        system: intercepting { $0.call == .rename ? .fail(.crossDevice) : .proceed },
        trace: .off)
    }
  }

  @Test("A file that is changed from inside its own change is an error at once, and nothing is written")
  func nested() throws {
    let path = path
    try AtomicFile.replace(path, with: [1], trace: .off)
    #expect(
      throws: GroupError.lockHeldByCaller(
        lock: folder.path.appendingPath(".notes.json.lock"), purpose: "update")
    ) {
      try AtomicFile.update(path, trace: .off, timeout: nil) { old in
        try AtomicFile.append([2], to: path, trace: .off, timeout: nil)
        return old
      }
    }
    #expect(try System.live.contents(of: path, limit: 9) == [1])
  }

  @Test("A writer that cannot get its turn in time says who has it")
  func busy() throws {
    let lock = GroupLock(
      path: folder.path.appendingPath(".notes.json.lock"), system: .live, trace: .off(as: .current(role: "a"))
    )
    let path = path
    _ = try lock.withLock(for: "long") {
      #expect {
        try elsewhere { try AtomicFile.replace(path, with: [], trace: .off, timeout: .zero) }
      } throws: { error in
        guard case GroupError.lockTimedOut(_, let holder?) = error else { return false }
        return holder.hasPrefix("a, process ")
      }
    }
  }
}
