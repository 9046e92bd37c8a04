import Tenure
import TenureSystem
import Testing

@testable import TenureCommand

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The verbs that only look: into a copy where that is asked for, and never making anything.
@Suite("tenure store, looking") struct StoreInspectionTests {
  /// `tenure` with a folder of its own for temporary files.
  private struct Looking {
    let notes: TemporaryNotes
    let tenure: BuiltTenure
    var folder: String { notes.path + "/notes" }
    var place: String { notes.path + "/tmp" }
    var container: String { folder + "/.tenure" }

    init(_ notes: TemporaryNotes) async throws {
      self.notes = notes
      tenure = try BuiltTenure()
      let large = (0..<60_000).map { "line \($0) of a long note" }.joined(separator: "\n")
      for (name, text) in ["a.md": "first\n", "b.md": "b\n", "large.md": large] {
        try notes.write(text, to: "notes/" + name)
      }
      try notes.write("", to: "tmp/none")
      try System.live.remove(place + "/none")
      for text in ["first\n", "second\n"] {
        try notes.write(text, to: "notes/a.md")
        let run = try await tenure.run("run", folder, "--once")
        #expect(run.ending == .exited(0), "\(run.errors)")
      }
    }

    func start(_ words: [String], before: [String] = []) throws -> ChildProcess {
      try ChildProcess.start(
        "/usr/bin/env", arguments: ["TMPDIR=" + place] + before + [tenure.path] + words, output: .pipe,
        errors: .pipe, ownGroup: true)
    }

    func run(_ words: [String], before: [String] = []) async throws -> (
      output: String, errors: String, ending: ChildProcess.Ending
    ) {
      let child = try start(words, before: before)
      async let output = child.outputLines.wholeText()
      async let errors = child.errorLines.wholeText()
      return (try await output, try await errors, await child.ending())
    }

    var copies: [String] { get throws { try System.live.list(place) } }

    func everything() throws -> [String: String] { try StoreInspectionTests.everything(below: folder) }
  }

  private static func everything(below top: String) throws -> [String: String] {
    var found: [String: String] = [:]
    var paths = [top]
    while let path = paths.popLast() {
      guard let status = try System.live.status(path) else { continue }
      found[path] = "\(status)"
      if status.kind == .directory {
        paths += try System.live.list(path).map { path.appendingPath($0) }
      } else {
        found[path]! += Digest(of: try System.live.contents(of: path, limit: 1 << 26)).description
      }
    }
    return found
  }

  @Test(
    "Every verb that looks answers from a copy what it answers from the container, and touches nothing",
    arguments: [
      ["list"], ["show", "a.md@1"], ["show", "large.md"], ["history"], ["history", "a.md"],
      ["diff", "a.md", "1", "2"], ["drafts"], ["check"],
    ])
  func fromACopy(words: [String]) async throws {
    try await TemporaryNotes.with { notes in
      let looking = try await Looking(notes)
      for json in [[], ["--json"]] {
        let place = words == ["history"] ? ["--container", looking.container] : [looking.folder]
        let before = try looking.everything()
        let copied = try await looking.run(["store"] + words + place + ["--copy"] + json)
        #expect(copied.errors == "")
        #expect(try looking.copies == [])
        #expect(try looking.everything() == before)
        let itself = try await looking.run(["store"] + words + place + json)
        #expect(copied.output == itself.output)
        #expect(copied.ending == itself.ending)
        #expect(!copied.output.isEmpty)
      }
    }
  }

  @Test(
    "An export out of a copy writes every document, and a body that is missing or damaged is named by check")
  func damagedBodies() async throws {
    try await TemporaryNotes.with { notes in
      let looking = try await Looking(notes)
      let bodies = looking.container + "/bodies"
      let name = try #require(try System.live.list(bodies).first)
      let target = notes.path + "/out"
      let exported = try await looking.run(["store", "export", target, looking.folder, "--copy"])
      #expect(exported.ending == .exited(0), "\(exported.errors)")
      for file in ["a.md", "b.md", "large.md"] {
        let both = try [target, looking.folder].map {
          try System.live.contents(of: $0.appendingPath(file), limit: 1 << 26)
        }
        #expect(both[0] == both[1])
      }
      try notes.write("spoilt", to: "notes/.tenure/bodies/" + name)
      let damaged = try await looking.run(["store", "check", looking.folder, "--copy"])
      #expect(damaged.ending == .exited(1))
      #expect(damaged.output.contains("large.md version 1: the body is damaged"))
      try System.live.remove(bodies.appendingPath(name))
      try System.live.removeDirectory(bodies)
      let before = try looking.everything()
      let missing = try await looking.run(["store", "check", looking.folder, "--copy"])
      #expect(missing.ending == .exited(1))
      #expect(missing.output.contains("large.md version 1: the body file \(name) is missing"), "\(missing)")
      #expect(try looking.everything() == before)
    }
  }

  @Test(
    "A signal in the middle removes the copy, and after a kill the next look does",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL])
  func interrupted(signal: Int32) async throws {
    try await TemporaryNotes.with { notes in
      let looking = try await Looking(notes)
      let before = try looking.everything()
      // Its output is more than a pipe holds, and nobody reads on: it stands in the middle of its work.
      let child = try looking.start(["store", "show", "large.md", looking.folder, "--copy"])
      #expect(try await child.outputLines.line(with: "line 0 of") != nil)
      #expect(try looking.copies.count == 1)
      #expect(child.signal(signal))
      let ending = await child.ending()
      if signal == SIGKILL {
        #expect(ending == .killed(signal: SIGKILL))
        #expect(try looking.copies.count == 1)
        #expect(try await looking.run(["store", "list", looking.folder, "--copy"]).ending == .exited(0))
      } else {
        let asked = try #require(EndSignal(rawValue: signal))
        #expect(ending == .exited(asked.exitCode.rawValue))
        #expect(try await child.errorLines.wholeText() == "tenure: \(asked.reason)\n")
      }
      #expect(try looking.copies == [])
      #expect(try looking.everything() == before)
    }
  }

  @Test("A reader of the output that leaves ends it, and the copy with it")
  func readerLeaves() async throws {
    try await TemporaryNotes.with { notes in
      let looking = try await Looking(notes)
      let command = "\"$1\" store show large.md \"$2\" --copy | head -n 1; ls -A \"$TMPDIR\""
      let shell = try ChildProcess.start(
        "/usr/bin/env",
        arguments: [
          "TMPDIR=" + looking.place, "bash", "-o", "pipefail", "-c", command, "sh", looking.tenure.path,
          looking.folder,
        ], output: .pipe, errors: .pipe)
      #expect(try await shell.outputLines.wholeText() == "line 0 of a long note\n")
      #expect(await shell.ending() == .exited(0))
    }
  }

  @Test(
    "A read-only volume is looked into by a copy without being asked, and that is said on standard error",
    .enabled(if: geteuid() == 0 && canMount, "mounting needs root and unshare"))
  func readOnlyVolume() async throws {
    try await TemporaryNotes.with { notes in
      let looking = try await Looking(notes)
      let mount = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && exec \"$@\""
      let result = try await looking.run(
        ["store", "list", looking.folder, "--json"],
        before: ["unshare", "-m", "sh", "-c", mount, looking.folder])
      #expect(result.ending == .exited(0), "\(result.errors)")
      #expect(result.errors == "(\(looking.container) cannot be written: looking into a copy of it)\n")
      #expect(result.output == (try await looking.run(["store", "list", looking.folder, "--json"])).output)
      #expect(try looking.copies == [])
    }
  }

  private static var canMount: Bool {
    guard let child = try? ChildProcess.start("/usr/bin/unshare", arguments: ["-m", "true"]) else {
      return false
    }
    return child.waitForEnding() == .exited(0)
  }

  // MARK: Nothing is made

  /// What may be where a workspace is looked for, and the words that say so.
  enum Place: String, CaseIterable {
    case missing, empty, emptyContainer, containerIsAFile, emptyDatabase, halfMadeDatabase, lockIsAFolder,
      bellIsAFolder, bodiesIsAFile, lost

    func make(_ notes: TemporaryNotes) throws {
      if self == .missing { return }
      try notes.write("", to: "notes/x")
      try System.live.remove(notes.path + "/notes/x")
      let container = notes.path + "/notes/.tenure"
      switch self {
      case .missing, .empty: break
      case .emptyContainer: try System.live.makeDirectories(container)
      case .containerIsAFile: try notes.write("no folder", to: "notes/.tenure")
      case .emptyDatabase: try notes.write("", to: "notes/.tenure/tenure.sqlite")
      case .halfMadeDatabase:
        try System.live.makeDirectories(container)
        let made = try SQLiteConnection(container + "/tenure.sqlite", .create)
        try made.run("PRAGMA application_id = \(0x5465_6E75)")
      case .lockIsAFolder: try System.live.makeDirectories(container + "/commit.lock")
      case .bellIsAFolder: try System.live.makeDirectories(container + "/bell")
      case .bodiesIsAFile: try notes.write("no folder", to: "notes/.tenure/bodies")
      case .lost: try notes.write("a body", to: "notes/.tenure/bodies/one~1")
      }
    }

    var says: (what: String, toDo: String) {
      switch self {
      case .missing: ("There is no folder ", ".")
      case .empty, .emptyContainer, .emptyDatabase, .halfMadeDatabase:
        ("There is no workspace in ", "`tenure run ")
      case .containerIsAFile: (".tenure is not a directory", "Choose a folder")
      case .lockIsAFolder: ("commit.lock is no file", "Move it away")
      case .bellIsAFolder: ("bell is no file", "Move it away")
      case .bodiesIsAFile: ("bodies is not a directory", "move the file away")
      case .lost: ("tenure.sqlite is missing or empty", "put a copy")
      }
    }
  }

  static let verbs = [
    ["list"], ["show", "a.md"], ["history", "a.md"], ["diff", "a.md", "1", "2"], ["drafts"], ["check"],
    ["export", "OUT"], ["settle", "a.md", "mine"],
  ]

  @Test(
    "What is no workspace is said to be none by every verb, and nothing is made", arguments: Place.allCases)
  func nothingIsMade(place: Place) async throws {
    try await TemporaryNotes.with { notes in
      try place.make(notes)
      let folder = notes.path + "/notes"
      let before = try Self.everything(below: notes.path)
      for verb in Self.verbs {
        let words = verb.map { $0 == "OUT" ? notes.path + "/out" : $0 }
        for copy in verb[0] == "settle" ? [[]] : [[], ["--copy"]] {
          let captured = CapturedTerminal()
          #expect(await captured.run(all: ["store"] + words + [folder] + copy) == .unusable, "\(verb)")
          #expect(captured.output == "")
          #expect(captured.errors.contains(place.says.what), "\(verb): \(captured.errors)")
          #expect(captured.errors.contains(place.says.toDo), "\(verb): \(captured.errors)")
          #expect(captured.errors.contains(folder), "\(verb): \(captured.errors)")
          #expect(try Self.everything(below: notes.path) == before, "\(verb) made or changed something")
        }
      }
    }
  }
}
