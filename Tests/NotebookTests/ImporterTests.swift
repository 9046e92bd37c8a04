import Tenure
import TenureSystem
import Testing

@testable import Notebook

@Suite("Importing a folder") struct ImporterTests {
  @Test("Every file becomes one document with one version; importing again changes nothing")
  func exactlyOnce() async throws {
    try await NotesFolder.with { folder in
      try folder.write("a", to: "a.md")
      try folder.write("b", to: "Trips/b.md")
      try folder.write([UInt8](repeating: 7, count: 200_000), to: "large.bin")
      try folder.write("", to: "empty.txt")
      let first = try await folder.importAll()
      #expect(
        first.committed.map(\.document.rawValue).sorted() == ["Trips/b.md", "a.md", "empty.txt", "large.bin"])
      #expect(try await folder.text("Trips/b.md") == "b")
      #expect(try await folder.workspace.documents.revision(of: "large.bin")?.size == 200_000)
      let second = try await folder.importAll()
      #expect(second.committed.isEmpty)
      #expect(second.unchanged == 4)
      #expect(try await folder.workspace.documents.counts().versions == 4)
    }
  }

  @Test("A file that goes from A to B and back to A arrives as three versions")
  func thereAndBack() async throws {
    try await NotesFolder.with { folder in
      for text in ["A", "B", "A"] {
        try folder.write(text, to: "note.md")
        try await folder.importAll()
      }
      let versions = try await folder.workspace.documents.versions(of: "note.md")
      #expect(versions.map(\.version) == [3, 2, 1])
      #expect(Set(versions.map(\.change)).count == 3)
      #expect(try await folder.text("note.md") == "A")
      #expect(try await folder.text("note.md", version: 2) == "B")
    }
  }

  @Test("D3: a file that changed outside and in a scene is a conflict; nothing is overwritten, both are kept")
  func conflict() async throws {
    try await NotesFolder.with { folder in
      try folder.write("base\n", to: "note.md")
      try await folder.importAll()
      try await folder.commit("note.md", expecting: 1, "by a scene\n")
      try folder.write("outside\n", to: "note.md")
      for _ in 0..<2 {
        let report = try await folder.importAll()
        #expect(report.committed.isEmpty)
        #expect(report.conflicts.map(\.document) == ["note.md"])
        #expect(report.conflicts.first?.base == 1)
        #expect(report.conflicts.first?.current?.version == 2)
      }
      #expect(try await folder.text("note.md") == "by a scene\n")
      let drafts = try await folder.workspace.documents.drafts()
      #expect(drafts.map(\.body) == [Data("outside\n".utf8)])
      #expect(drafts.map(\.base) == [1])
    }
  }

  @Test("A conflict is settled once: the same file is not asked about again", arguments: Settlement.allCases)
  func settled(choice: Settlement) async throws {
    try await NotesFolder.with { folder in
      try folder.write("one\ntwo\nthree\n", to: "note.md")
      try await folder.importAll()
      try await folder.commit("note.md", expecting: 1, "ONE\ntwo\nthree\n")
      try folder.write("one\ntwo\nTHREE\n", to: "note.md")
      try await folder.importAll()
      let draft = try #require(try await folder.workspace.documents.drafts().first)
      let result = try await Notebook.settle(draft, choice, in: folder.workspace)
      let expected: [Settlement: String] = [
        .mine: "one\ntwo\nTHREE\n", .theirs: "ONE\ntwo\nthree\n", .merge: "ONE\ntwo\nTHREE\n",
      ]
      switch result {
      case .saved(let revision): #expect(revision.version == 3)
      case .dropped: #expect(choice == .theirs)
      case .cannotMerge, .noRule, .movedOnAgain: Issue.record("not settled: \(result)")
      }
      #expect(try await folder.text("note.md") == expected[choice])
      #expect(try await folder.workspace.documents.drafts().isEmpty)

      let again = try await folder.importAll()
      #expect(again.conflicts.isEmpty)
      #expect(again.committed.isEmpty)

      try folder.write("later\n", to: "note.md")
      #expect(try await folder.importAll().committed.count == 1)
      #expect(try await folder.text("note.md") == "later\n")
    }
  }

  @Test("When the document came to hold the same content by another way there is nothing to settle")
  func sameContent() async throws {
    try await NotesFolder.with { folder in
      try folder.write("old", to: "note.md")
      try await folder.importAll()
      try await folder.commit("note.md", expecting: 1, "new")
      try folder.write("new", to: "note.md")
      let report = try await folder.importAll()
      #expect(report.conflicts.isEmpty && report.committed.isEmpty)
      try folder.write("newer", to: "note.md")
      #expect(try await folder.importAll().committed.map(\.version) == [3])
    }
  }

  @Test("A file changed back ends its conflict by itself")
  func changedBack() async throws {
    try await NotesFolder.with { folder in
      try folder.write("old", to: "note.md")
      try await folder.importAll()
      try await folder.commit("note.md", expecting: 1, "scene")
      try folder.write("outside", to: "note.md")
      try await folder.importAll()
      #expect(try await folder.workspace.documents.drafts().count == 1)
      try folder.write("old", to: "note.md")
      #expect(try await folder.importAll().conflicts.isEmpty)
      #expect(try await folder.workspace.documents.drafts().isEmpty)
      #expect(try await folder.text("note.md") == "scene")
    }
  }

  @Test("A file that went away is reported, and its document kept; a deleted document stays deleted")
  func gone() async throws {
    try await NotesFolder.with { folder in
      try folder.write("a", to: "a.md")
      try folder.write("b", to: "b.md")
      try await folder.importAll()
      try folder.remove("a.md")
      let documents = folder.workspace.documents
      _ = try await documents.commit(Edit(of: "b.md", expecting: 1, body: .deleted))
      let report = try await folder.importAll()
      #expect(report.missing == ["a.md"])
      #expect(report.committed.isEmpty)
      #expect(try await folder.text("a.md") == "a")
      #expect(try await documents.revision(of: "b.md")?.isDeleted == true)
    }
  }

  @Test("An import killed after any number of commits goes on without repeating one")
  func interrupted() async throws {
    try await NotesFolder.with { folder in
      for number in 0..<40 { try folder.write("note \(number)", to: "n\(number).md") }
      // What a kill leaves: some files committed with their rows, the others untouched.
      for kept in [0, 7, 23] {
        let partial = "\(folder.path)/part"
        try System.live.makeDirectories(partial)
        for number in 0..<kept { try folder.write("note \(number)", to: "part/n\(number).md") }
        _ = try await Importer(folder: partial, workspace: folder.workspace).run()
        try System.live.removeTree(partial)
      }
      let report = try await folder.importAll()
      #expect(report.committed.count + report.unchanged == 40)
      #expect(try await folder.workspace.documents.counts().versions == 40)
      #expect(try await folder.text("n39.md") == "note 39")
    }
  }

  @Test("Two imports of one folder at the same time make each version once")
  func concurrently() async throws {
    try await NotesFolder.with { folder in
      for number in 0..<300 { try folder.write("note \(number)", to: "n\(number).md") }
      async let first = folder.importAll()
      async let second = folder.importAll()
      let committed = try await first.committed.count + second.committed.count
      #expect(committed == 300)
      #expect(try await folder.workspace.documents.counts().versions == 300)
    }
  }

  @Test("Progress is told to the end")
  func progress() async throws {
    try await NotesFolder.with { folder in
      for number in 0..<5 { try folder.write("\(number)", to: "n\(number).md") }
      let seen = Lock<[Importer.Progress]>([])
      _ = try await Importer(folder: folder.path, workspace: folder.workspace).run { progress in
        seen.withLock { $0.append(progress) }
      }
      #expect(seen.withLock { $0 }.first == Importer.Progress(done: 0, total: 5))
      #expect(seen.withLock { $0 }.last == Importer.Progress(done: 5, total: 5))
    }
  }

  @Test("A cancelled pass ends early, says so, and the next goes on from there")
  func cancelled() async throws {
    try await NotesFolder.with { folder in
      let count = Importer.inFlight * 4
      for number in 0..<count { try folder.write("note \(number)", to: "n\(number).md") }
      let (steps, step) = AsyncStream.makeStream(of: Int.self)
      let pass = Task {
        try await Importer(folder: folder.path, workspace: folder.workspace).run { progress in
          // Cancels itself after the first batch, so that there is no race.
          if progress.done > 0 { withUnsafeCurrentTask { $0?.cancel() } }
          step.yield(progress.done)
        }
      }
      let report = try await pass.value
      step.finish()
      var seen: [Int] = []
      for await done in steps { seen.append(done) }
      #expect(report.isInterrupted)
      #expect(report.committed.count >= Importer.inFlight && report.committed.count < count)
      #expect(seen.last != count)
      let rest = try await folder.importAll()
      #expect(!rest.isInterrupted)
      #expect(rest.committed.count + report.committed.count == count)
      #expect(try await folder.workspace.documents.counts().versions == Int64(count))
    }
  }

  @Test(
    "D5: a large file in conflict that changes between its two readings is reported, not kept as something else"
  )
  func changedWhileRead() async throws {
    let opens = Lock<Int?>(nil)
    let (path, grown) = ("/large.bin", [UInt8](repeating: 9, count: 200_000))
    let calls = InterceptedCalls(PlatformCalls()) { site in
      guard site.call == .open, let opened = site.path, opened.hasSuffix(path) else { return .proceed }
      let count = opens.withLock { count in
        count? += 1
        return count
      }
      // Opened for its digest, twice as a body, and now again as a draft.
      if count == 4 { try? Self.overwrite(opened, grown) }
      return .proceed
    }
    try await NotesFolder.with(machine: System(calls: calls)) { folder in
      try folder.write([UInt8](repeating: 7, count: 200_000), to: "large.bin")
      try await folder.importAll()
      try await folder.commit("large.bin", expecting: 1, "by a scene")
      try folder.write([UInt8](repeating: 8, count: 200_000), to: "large.bin")
      opens.withLock { $0 = 0 }
      let report = try await folder.importAll()
      #expect(report.problems.map(\.reason) == [.changed])
      #expect(report.conflicts.isEmpty)
      #expect(try await folder.workspace.documents.drafts().isEmpty)
      let next = try await folder.importAll()
      #expect(next.conflicts.map(\.document) == ["large.bin"])
      #expect(try await folder.workspace.documents.drafts().map(\.body) == [Data(grown)])
    }
  }

  private static func overwrite(_ path: String, _ bytes: [UInt8]) throws {
    let file = try System.live.open(path, [.write, .truncate])
    try bytes.withUnsafeBytes { bytes in
      try Result { () throws(SystemError) in try file.writeAll(bytes) }.get()
    }
  }
}
