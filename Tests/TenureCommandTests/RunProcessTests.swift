import Notebook
import Tenure
import TenureState
import TenureSystem
import Testing

@testable import TenureCommand

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("tenure run, as a process") struct RunProcessTests {
  struct Summary: Decodable, Equatable {
    var documents: Int
    var versions: Int
    var edits: Int
    var conflicts: Int
    var drafts: Int
    var recovered: Int
    var elapsedMs: Int
  }

  func once(_ notes: TemporaryNotes) async throws -> Summary {
    let result = try await BuiltTenure().run("run", notes.path, "--once", "--json")
    #expect(result.ending == .exited(0), "\(result.errors)")
    return try JSONDecoder().decode(Summary.self, from: Data(result.output.utf8))
  }

  @Test(
    "--once imports each file once, counts what there is and writes nothing into the folder but the container"
  )
  func onePass() async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: "a.md")
      try notes.write("b", to: "deep/b.md")
      var summary = try await once(notes)
      #expect([summary.documents, summary.versions, summary.edits] == [2, 2, 2])
      #expect([summary.conflicts, summary.drafts, summary.recovered] == [0, 0, 0])
      summary = try await once(notes)
      #expect([summary.documents, summary.versions, summary.edits] == [2, 2, 0])
      try notes.write("a again", to: "a.md")
      summary = try await once(notes)
      #expect([summary.documents, summary.versions, summary.edits] == [2, 3, 1])
      #expect(try System.live.list(notes.path) == [".tenure", "a.md", "deep"])
      #expect(try System.live.list(notes.path + "/deep") == ["b.md"])
    }
  }

  /// Does something to a process that stands still in the middle of its import: it has committed something, and
  /// cannot commit more. One that is through already fails the test that needs it.
  private func inside(
    _ child: ChildProcess, _ watching: Workspace, after before: Int64, _ act: () -> Void
  ) async throws {
    while child.endingNow == nil {
      let held = try await HeldCommitLock.take(in: watching.container)
      defer { held.letGo() }
      if try await watching.documents.counts().documents > before {
        act()
        return
      }
    }
  }

  @Test("Killed three times in the middle of an import and started again, every file is there exactly once")
  func killedMidImport() async throws {
    try await TemporaryNotes.with { notes in
      let count = 3_000
      for number in 0..<count { try notes.write("note \(number)", to: "d\(number % 20)/n\(number).md") }
      let tenure = try BuiltTenure()
      let watching = try await Notebook.open(Notebook.container(of: notes.path), role: "test", trace: .off)
      var killed = 0
      for _ in 0..<3 {
        let before = try await watching.documents.counts().documents
        let child = try tenure.start("run", notes.path, "--once")
        try await inside(child, watching, after: before) { child.killGroup() }
        if await child.ending() == .killed(signal: 9) { killed += 1 }
      }
      let between = try await watching.documents.counts().documents
      await watching.close()
      #expect(killed == 3)
      #expect(between > 0 && between < count)

      let summary = try await once(notes)
      #expect(summary.documents == count)
      #expect(summary.versions == count)
      // A commit that was killed between its sync and the log's index is a ghost: not there for the watcher, there
      // for the next that opens. It counts once all the same.
      #expect(summary.edits > 0 && summary.edits <= count - Int(between))
      let check = try await tenure.run("store", "check", notes.path)
      #expect(check.ending == .exited(0), "\(check.output)")
    }
  }

  @Test("A scene that is killed is started again; Ctrl-C ends all processes and says what was saved")
  func killedScene() async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: "a.md")
      let child = try BuiltTenure().start("run", notes.path)
      let started = try #require(try await child.outputLines.line(with: "left is process"))
      let pid = try #require(started.split(whereSeparator: { !$0.isNumber }).last.flatMap { Int32($0) })
      #expect(kill(pid, SIGKILL) == 0)
      let ended = try await child.outputLines.line(with: "ended with signal 9")
      #expect(ended?.contains("left (process \(pid))") == true)
      #expect(try await child.outputLines.line(with: "left is process") != nil)
      #expect(child.signal(SIGINT))
      #expect(try await child.outputLines.line(with: "app: saved none; unsaved none; in doubt none") != nil)
      #expect(try await child.outputLines.line(with: "1 documents") != nil)
      #expect(await child.ending() == .exited(0))
    }
  }

  @Test("--once, interrupted, ends in order with a summary; the next pass goes on from there")
  func interruptedPass() async throws {
    try await TemporaryNotes.with { notes in
      let count = 3_000
      for number in 0..<count { try notes.write("note \(number)", to: "n\(number).md") }
      let watching = try await Notebook.open(Notebook.container(of: notes.path), role: "test", trace: .off)
      let child = try BuiltTenure().start("run", notes.path, "--once", "--json")
      try await inside(child, watching, after: 0) { #expect(child.signal(SIGTERM)) }
      let output = try await child.outputLines.wholeText()
      #expect(await child.ending() == .exited(143))
      await watching.close()
      let part = try JSONDecoder().decode(Summary.self, from: Data(output.utf8))
      #expect(part.edits > 0 && part.edits < count)
      let rest = try await once(notes)
      #expect(rest.documents == count && rest.versions == count)
      #expect(rest.edits == count - part.edits)
    }
  }

  @Test("A container that holds the folder itself is refused, however it is spelled")
  func containerAround() async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: "deep/a.md")
      let folder = notes.path + "/deep"
      for container in [folder, folder + "/../deep/", notes.path] {
        let result = try await BuiltTenure().run("run", folder, "--once", "--container", container)
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("Choose a --container"))
      }
      #expect(try System.live.list(folder) == ["a.md"])
    }
  }

  @Test("Members end when the app is killed")
  func orphans() async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: "a.md")
      let child = try BuiltTenure().start("run", notes.path)
      _ = try await child.outputLines.line(with: "service is process")
      child.killNow()
      #expect(await child.ending() == .killed(signal: 9))
      // The members hold the other ends of these pipes: the text ends when the last of them has ended.
      _ = try await child.errorLines.wholeText()
      #expect(try await once(notes).documents == 1)
    }
  }

  @Test("A scene at a pipe edits, saves and meets conflicts; a killed one's draft is offered to the next")
  func sceneAtAPipe() async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("list\n", to: "a.md")
      _ = try await once(notes)
      let tenure = try BuiltTenure()
      let saved = try await tenure.run(
        "scene", notes.path, input: ["edit a.md - tea", "save", "show", "quit"])
      #expect(saved.ending == .exited(0))
      #expect(saved.output.contains("Saved a.md as version 2."))
      #expect(saved.output.contains("list\n- tea\n"))

      let scene = try tenure.start("scene", notes.path, input: .pipe)
      try scene.write(line: "edit a.md - milk")
      #expect(try await scene.outputLines.line(with: "Kept as a draft.") != nil)
      scene.killNow()
      _ = await scene.ending()
      let summary = try await once(notes)
      #expect(summary.drafts == 1)
      #expect(summary.recovered == 1)
      #expect(summary.versions == 2)

      let next = try await tenure.run("scene", notes.path, input: ["save"])
      #expect(next.output.contains("Recovered: prompt's draft of a.md on version 2"))
      #expect(next.output.contains("Saved a.md as version 3."))
      let shown = try await tenure.run("store", "show", "a.md", notes.path)
      #expect(shown.output == "list\n- tea\n- milk\n")
    }
  }

  @Test("A conflict between a file and a scene is counted, listed and settled")
  func conflict() async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("one\ntwo\nthree\n", to: "a.md")
      _ = try await once(notes)
      let tenure = try BuiltTenure()
      _ = try await tenure.run("scene", notes.path, input: ["edit a.md four", "save"])
      try notes.write("ONE\ntwo\nthree\n", to: "a.md")
      #expect(try await once(notes).conflicts == 1)
      let drafts = try await tenure.run("store", "drafts", notes.path, "--json")
      #expect(drafts.ending == .exited(1))
      #expect(drafts.output.contains("\"scene\" : \"import\""))
      let settled = try await tenure.run("store", "settle", "a.md", "merge", notes.path)
      #expect(settled.ending == .exited(0), "\(settled.errors)")
      #expect(try await tenure.run("store", "show", "a.md", notes.path).output == "ONE\ntwo\nthree\nfour\n")
      #expect(try await once(notes).conflicts == 0)
      let difference = try await tenure.run("store", "diff", "a.md", "1", "2", notes.path)
      #expect(difference.ending == .exited(1))
      #expect(difference.output.contains("@@ -1,3 +1,4 @@\n one\n two\n three\n+four\n"))
    }
  }

  @Test(
    "A damaged draft is listed and found by a check, holds up no scene, is not merged, and can be removed")
  func damagedDraft() async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("one", to: "a.md")
      try notes.write("two", to: "b.md")
      _ = try await once(notes)
      let tenure = try BuiltTenure()
      _ = try await tenure.run(
        "scene", notes.path, input: ["edit a.md four", "save"])
      try notes.write(String(repeating: "long ", count: 50_000), to: "a.md")
      #expect(try await once(notes).conflicts == 1)
      // The only body that has a file.
      let bodies = Notebook.container(of: notes.path).appendingPath("bodies")
      let file = bodies.appendingPath(try #require(try System.live.list(bodies).first))
      try System.live.open(file, .write).writeAll([0, 0, 0], at: 7)

      let listed = try await tenure.run("store", "drafts", notes.path)
      #expect(listed.ending == .exited(1))
      #expect(listed.output.contains("import  a.md on v1  250000 bytes  damaged: bodies/"))
      let json = try await tenure.run("store", "drafts", notes.path, "--json")
      #expect(json.output.components(separatedBy: "\"damage\"").count == 2, "\(json.output)")
      let checked = try await tenure.run("store", "check", notes.path, "--json")
      #expect(checked.ending == .exited(1))
      #expect(checked.output.contains("The draft of a.md in scene import is damaged"))
      #expect(try await tenure.run("scene", notes.path, input: ["show"]).ending == .exited(0))
      let merged = try await tenure.run("store", "settle", "a.md", "merge", notes.path)
      #expect(merged.ending == .exited(2))
      #expect(merged.errors.contains("is damaged"), "\(merged.errors)")
      #expect(try await tenure.run("store", "settle", "a.md", "theirs", notes.path).ending == .exited(0))
      #expect(try await tenure.run("store", "drafts", notes.path).output == "No drafts.\n")
      #expect(try await tenure.run("store", "check", notes.path).ending == .exited(0))
    }
  }

  @Test("What is exported is what is stored, and the folder itself is refused as a target")
  func export() async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: "notes/a.md")
      try notes.write(String(repeating: "long ", count: 50_000), to: "notes/deep/b.txt")
      let tenure = try BuiltTenure()
      let (folder, target) = (notes.path + "/notes", notes.path + "/copy")
      _ = try await tenure.run("run", folder, "--once")
      #expect(try await tenure.run("store", "export", target, folder).ending == .exited(0))
      #expect(try System.live.contents(of: target + "/deep/b.txt", limit: 1 << 20).count == 250_000)
      #expect(try await tenure.run("store", "export", target, folder).output.contains("2 were there already"))
      try notes.write("other", to: "copy/a.md")
      #expect(try await tenure.run("store", "export", target, folder).ending == .exited(1))
      #expect(try System.live.contents(of: target + "/a.md", limit: 100) == Array("other".utf8))
      #expect(try await tenure.run("store", "export", folder + "/deep", folder).ending == .exited(2))
      #expect(try await tenure.run("store", "export", target, folder, "--replace").ending == .exited(0))
      #expect(try System.live.contents(of: target + "/a.md", limit: 100) == Array("a".utf8))
    }
  }

  @Test("A reader that goes away ends the command quietly")
  func closedPipe() async throws {
    try await TemporaryNotes.with { notes in
      for number in 0..<50 { try notes.write("\(number)", to: "n\(number).md") }
      _ = try await once(notes)
      let (reading, writing) = try System.live.pipe()
      let child = try ChildProcess.start(
        try BuiltTenure().path, arguments: ["store", "list", notes.path],
        output: .descriptor(writing.descriptor), errors: .pipe)
      withExtendedLifetime(reading) {}
      _ = consume reading
      withExtendedLifetime(writing) {}
      #expect(try await child.errorLines.wholeText() == "")
      #expect(await child.ending() == .exited(0))
    }
  }

  @Test(
    "Bad input ends with 2 and one sentence",
    arguments: [
      ["run", "/nonexistent/folder", "--once"], ["run", "/etc/hostname", "--once"],
      ["store", "list", "/tmp"],
      ["scene", "/nonexistent"], ["run", "--container", "/tmp/nowhere-to-import"],
      ["store", "diff", "a.md", "one", "2"], ["store", "export", "", "/tmp"], ["scene", "--name", ""],
      ["bench", "--only", "zzz"], ["bench", "--quick", "--directory", "/nonexistent/place"],
    ])
  func badInput(words: [String]) async throws {
    let child = try ChildProcess.start(
      try BuiltTenure().path, arguments: words, output: .pipe, errors: .pipe, ownGroup: true)
    async let output = child.outputLines.wholeText()
    let errors = try await child.errorLines.wholeText()
    #expect(await child.ending() == .exited(2))
    #expect(errors.hasPrefix("tenure: "))
    #expect(try await output == "")
  }
}
