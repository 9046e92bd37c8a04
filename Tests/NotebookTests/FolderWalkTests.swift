import Tenure
import TenureSystem
import Testing

@testable import Notebook

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Looking through a folder") struct FolderWalkTests {
  func walk(_ folder: NotesFolder) throws -> FolderWalk {
    try FolderWalk(folder.path, leavingOut: folder.workspace.container.path, system: .live)
  }

  @Test("Hidden files and the container are left out, wherever it lies")
  func leftOut() async throws {
    try await NotesFolder.with { folder in
      try folder.write("a", to: "a.md")
      try folder.write("h", to: ".hidden")
      try folder.write("h", to: ".git/config")
      try folder.write("x", to: "box/tenure.sqlite")
      let found = try FolderWalk(folder.path, leavingOut: folder.path + "/box", system: .live)
      #expect(found.files.map(\.document) == ["a.md"])
      #expect(found.problems.isEmpty)
    }
  }

  @Test("Links are followed, loops are not; each folder is entered once")
  func links() async throws {
    try await NotesFolder.with { folder in
      try folder.write("a", to: "real/a.md")
      #expect(symlink(folder.path, folder.path + "/real/loop") == 0)
      #expect(symlink("real/a.md", folder.path + "/b.md") == 0)
      #expect(symlink("nowhere", folder.path + "/broken") == 0)
      let found = try walk(folder)
      #expect(found.files.map(\.document).sorted() == ["b.md", "real/a.md"])
      #expect(found.problems.map(\.reason) == [.seenAlready])
    }
  }

  @Test("Names that cannot be document IDs and things that are no files are reported, the others imported")
  func oddNames() async throws {
    try await NotesFolder.with { folder in
      try folder.write("a", to: "a.md")
      try folder.write("b", to: "back\\slash.md")
      try folder.write("c", to: "line\nbreak.md")
      #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
      let report = try await folder.importAll()
      #expect(report.committed.map(\.document) == ["a.md"])
      #expect(Set(report.problems.map(\.path)) == ["back\\slash.md", "line\nbreak.md", "pipe"])
    }
  }

  #if os(Linux)
    @Test("Names that differ only in their Unicode form are two documents")
    func twins() async throws {
      try await NotesFolder.with { folder in
        try folder.write("composed", to: "caf\u{E9}.md")
        try folder.write("decomposed", to: "cafe\u{301}.md")
        let report = try await folder.importAll()
        #expect(report.problems.isEmpty)
        #expect(try await folder.text("caf\u{E9}.md") == "composed")
        #expect(try await folder.text("cafe\u{301}.md") == "decomposed")
        #expect(try await folder.importAll().unchanged == 2)
      }
    }
  #endif

  #if os(Linux)
    @Test("A name that is not UTF-8 is reported, and never taken for another file")
    func notUTF8() async throws {
      try await NotesFolder.with { folder in
        try folder.write("good", to: "a.md")
        var name =
          Array("\(folder.path)/caf".utf8) + [
            0xE9, UInt8(ascii: "."), UInt8(ascii: "m"), UInt8(ascii: "d"), 0,
          ]
        let descriptor = name.withUnsafeMutableBytes { bytes in
          bytes.bindMemory(to: CChar.self).baseAddress.map { creat($0, 0o600) } ?? -1
        }
        #expect(descriptor >= 0)
        close(descriptor)
        let report = try await folder.importAll()
        #expect(report.committed.map(\.document) == ["a.md"])
        #expect(report.problems.map(\.reason) == [.notUTF8])
        name.withUnsafeMutableBytes { bytes in
          _ = bytes.bindMemory(to: CChar.self).baseAddress.map { unlink($0) }
        }
      }
    }
  #endif

  @Test("What cannot be read is reported, the rest imported, and nothing taken for gone")
  func unreadable() async throws {
    let isFailing = Lock(false)
    let calls = InterceptedCalls(PlatformCalls()) { site in
      guard isFailing.withLock({ $0 }), let path = site.path else { return .proceed }
      let isHit =
        site.call == .open && path.hasSuffix("/a.md") || site.call == .readdir && path.hasSuffix("/sub")
      return isHit ? .fail(.accessDenied) : .proceed
    }
    try await NotesFolder.with(machine: System(calls: calls)) { folder in
      for name in ["a.md", "sub/b.md", "c.md"] { try folder.write("old", to: name) }
      try await folder.importAll()
      for name in ["a.md", "sub/b.md", "c.md"] { try folder.write("new", to: name) }
      isFailing.withLock { $0 = true }
      let report = try await folder.importAll()
      #expect(report.problems.map(\.path).sorted() == ["a.md", "sub"])
      #expect(report.committed.map(\.document) == ["c.md"])
      #expect(report.missing.isEmpty)
      isFailing.withLock { $0 = false }
      #expect(try await folder.importAll().committed.count == 2)
    }
  }

  @Test("A folder that is not there is an error")
  func missing() async throws {
    #expect(throws: SystemError.self) {
      try FolderWalk("/tmp/tenure-nowhere-\(ChangeID())", leavingOut: "/tmp/x", system: .live)
    }
  }

  @Test("A walk that is told to stop looks at no further name", arguments: [0, 1, 7])
  func stopped(after limit: Int) async throws {
    try await NotesFolder.with { folder in
      for number in 0..<20 { try folder.write("\(number)", to: "d\(number % 4)/n\(number).md") }
      let looked = Lock(0)
      let found = try FolderWalk(
        folder.path, leavingOut: folder.workspace.container.path, system: .live,
        until: {
          looked.withLock { looked in
            looked += 1
            return looked > limit
          }
        })
      #expect(found.files.count <= limit)
    }
  }
}
