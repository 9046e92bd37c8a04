import Tenure
import TenureSystem
import Testing

@testable import TenureCommand

@Suite("tenure store export") struct ExportTests {
  /// A folder of notes that a workspace was made of, and a place beside it for copies.
  private func imported(
    _ notes: TemporaryNotes, _ files: [String: String]
  ) async throws -> (folder: String, target: String) {
    for (name, text) in files { try notes.write(text, to: "notes/" + name) }
    let folder = notes.path + "/notes"
    let run = try await BuiltTenure().run("run", folder, "--once")
    #expect(run.ending == .exited(0), "\(run.errors)")
    return (folder, notes.path + "/copy")
  }

  @Test(
    "A target inside the folder is refused before anything is made", arguments: ["x", "x/y", "deep/../x"])
  func targetInside(place: String) async throws {
    try await TemporaryNotes.with { notes in
      let (folder, _) = try await imported(notes, ["deep/a.md": "a"])
      let result = try await BuiltTenure().run("store", "export", folder + "/" + place, folder)
      #expect(result.ending == .exited(2), "\(result.errors)")
      #expect(try Set(System.live.list(folder)) == [".tenure", "deep"])
    }
  }

  @Test("A link in the target does not lead a document into the folder")
  func linkIntoFolder() async throws {
    try await TemporaryNotes.with { notes in
      let (folder, target) = try await imported(notes, ["sub/n.md": "n", "other.md": "other"])
      try System.live.makeDirectories(target)
      let link = try ChildProcess.start("/bin/ln", arguments: ["-s", "../notes", target + "/sub"])
      #expect(await link.ending() == .exited(0))
      let result = try await BuiltTenure().run("store", "export", target, folder)
      #expect(result.ending == .exited(1))
      #expect(result.errors.contains("Not written: sub/n.md, its folder lies in \(folder)"))
      #expect(try System.live.contents(of: target + "/other.md", limit: 100) == Array("other".utf8))
      #expect(try Set(System.live.list(folder)) == [".tenure", "other.md", "sub"])
    }
  }

  @Test("A document that cannot be written is named, and the others still are")
  func oneBadDocument() async throws {
    try await TemporaryNotes.with { notes in
      let long = String(repeating: "n", count: 255)
      let (folder, target) = try await imported(
        notes, [long: "long", "damaged.md": String(repeating: "body ", count: 50_000), "z.md": "z"])
      let bodies = folder + "/.tenure/bodies"
      for name in try System.live.list(bodies) {
        try System.live.calls.changeMode(bodies + "/" + name, permissions: 0o600)
        let file = try System.live.open(bodies + "/" + name, [.write])
        try Array("spoilt".utf8).withUnsafeBytes { bytes in
          try Result { () throws(SystemError) in try file.writeAll(bytes, at: 0) }.get()
        }
      }
      // A folder where a document is to go, and a file where a document's folder is to go.
      try notes.write("in the way", to: "copy/z.md/inside")
      let result = try await BuiltTenure().run("store", "export", target, folder)
      #expect(result.ending == .exited(1), "\(result.errors)")
      #expect(result.errors.contains("Not written: damaged.md, The body of damaged.md version 1 is damaged"))
      #expect(result.errors.contains("Not written: z.md, something that is not a file has that name"))
      #expect(result.output.hasPrefix("1 files written, 4 bytes"))
      #expect(try System.live.contents(of: target + "/" + long, limit: 100) == Array("long".utf8))
      #expect(try Set(System.live.list(target)) == [long, "z.md"])
    }
  }

  @Test("A file in the place of a document's folder stops that document alone")
  func fileForFolder() async throws {
    try await TemporaryNotes.with { notes in
      let (folder, target) = try await imported(notes, ["b.bin/i": "inside", "c.md": "c"])
      try notes.write("a file", to: "copy/b.bin")
      let result = try await BuiltTenure().run("store", "export", target, folder)
      #expect(result.ending == .exited(1), "\(result.errors)")
      #expect(result.errors.hasPrefix("Not written: b.bin/i, "))
      #expect(try System.live.contents(of: target + "/c.md", limit: 100) == Array("c".utf8))
    }
  }

  @Test("A full disk or a missing standard output is not success", arguments: [">/dev/full", ">&-"])
  func failedOutput(redirection: String) async throws {
    try await TemporaryNotes.with { notes in
      let (folder, _) = try await imported(notes, ["a.md": "text"])
      let shell = try ChildProcess.start(
        "/bin/sh",
        arguments: [
          "-c", "\"$1\" store show a.md \"$2\" \(redirection)", "sh", try BuiltTenure().path, folder,
        ], errors: .pipe)
      let errors = try await shell.errorLines.wholeText()
      #expect(await shell.ending() == .exited(2))
      #expect(errors.hasPrefix("tenure: standard output cannot be written: "))
    }
  }

  @Test("A reference that is neither a document nor a version says so")
  func badVersion() async throws {
    try await TemporaryNotes.with { notes in
      let (folder, _) = try await imported(notes, ["a.md": "text"])
      let shown = try await BuiltTenure().run("store", "show", "a.md@abc", folder)
      #expect(shown.ending == .exited(2))
      #expect(shown.errors.contains("\u{201C}abc\u{201D} is not the number of a version"))
    }
  }
}
