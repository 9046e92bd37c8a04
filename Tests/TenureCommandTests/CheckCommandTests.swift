import TenureSystem
import TenureTrace
import Testing

@testable import TenureCommand

@Suite("Checking traces")
struct CheckCommandTests {
  /// A folder with a container in `.tenure`, which goes when the test ends.
  private final class Folder: Sendable {
    let path = "/tmp/tenure-check-\(LiveClock().wall)-\(UInt64.random(in: 0 ... .max))"
    var traces: String { path.appendingPath(".tenure/traces") }

    init(_ events: [any TraceEvent]) throws {
      try System.live.makeDirectories(traces)
      let process = ProcessIdentity(
        pid: 7, name: "notebook", bundleIdentifier: "b", bundlePath: "/n", role: "app", appVersion: "1")
      let trace = Trace(to: try TraceFile.open(in: traces, as: process, name: "app"), as: process)
      for event in events {
        switch event {
        case let event as FileWritten: trace.record(event)
        case let event as SaveBegun: trace.record(event)
        default: Issue.record("not used here")
        }
      }
    }

    deinit {
      for name in (try? System.live.list(traces)) ?? [] {
        _ = try? System.live.remove(traces.appendingPath(name))
      }
      for name in (try? System.live.list(path)) ?? [] where name != ".tenure" {
        _ = try? System.live.remove(path.appendingPath(name))
      }
      for directory in [traces, path.appendingPath(".tenure"), path] {
        try? System.live.removeDirectory(directory)
      }
    }

    func write(_ text: String, to name: String) throws {
      let file = try System.live.open(path.appendingPath(name), [.write, .create])
      try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
    }
  }

  private let written = FileWritten(file: "s.plist", bytes: 4)
  private let begun = SaveBegun(
    document: "a.md", version: 2, change: "c1", base: 1, purpose: .commit, bytes: 5, scene: "left")

  @Test("ends with 1 when a law is broken, with 0 when none is, from a folder, a container or a file")
  func exits() async throws {
    let bad = try Folder([written])
    let good = try Folder([begun])
    for suffix in ["", "/.tenure", "/.tenure/traces", "/.tenure/traces/app.jsonl"] {
      let captured = CapturedTerminal()
      #expect(await captured.run("check", bad.path + suffix) == .findings)
      #expect(captured.output.contains("app.jsonl:2: error: s.plist was written in place. [G3.in-place]"))
      #expect(await CapturedTerminal().run("check", good.path + suffix) == .success)
    }
  }

  @Test("ends with 2 when nothing could be read, and says why")
  func unreadable() async throws {
    let folder = try Folder([])
    try folder.write("hello\nworld\n", to: "x.jsonl")
    let captured = CapturedTerminal()
    #expect(await captured.run("check", folder.path.appendingPath("x.jsonl")) == .unusable)
    #expect(captured.errors.contains("x.jsonl:2 (byte 6): a malformed line: it does not begin with {"))
    #expect(captured.output.isEmpty)
    let missing = CapturedTerminal()
    #expect(await missing.run("check", folder.path.appendingPath("none")) == .unusable)
    #expect(missing.errors.contains("No such file or directory"))
    let empty = CapturedTerminal()
    _ = try System.live.remove(folder.path.appendingPath("x.jsonl"))
    _ = try System.live.remove(folder.traces.appendingPath("app.jsonl"))
    #expect(await empty.run("check", folder.path) == .unusable)
    #expect(empty.errors.contains("holds no trace"))
  }

  @Test(
    "what holds no event is never clean, and is said to be unread",
    arguments: ["", "\n\n", "a line without its end", String(repeating: "x", count: 2 << 20)])
  func noEvent(content: String) async throws {
    let folder = try Folder([])
    try folder.write(content, to: "x.jsonl")
    for path in [folder.path.appendingPath("x.jsonl"), "/dev/null"] {
      let captured = CapturedTerminal()
      #expect(await captured.run("check", path) == .unusable)
      #expect(captured.errors.contains("No event could be read in \(path)"))
      #expect(captured.output.isEmpty)
      let inquiry = CapturedTerminal()
      #expect(await inquiry.run("check", path, "--complaint", "vanished") == .unusable)
      #expect(inquiry.errors.contains("No event could be read in \(path)"))
      #expect(inquiry.output.isEmpty)
      let json = CapturedTerminal()
      #expect(await json.run("check", path, "--format", "json") == .unusable)
      #expect(json.output.isEmpty)
    }
  }

  @Test(
    "A line is called torn when its newline is missing at the end of the file, and malformed when it is whole",
    arguments: [
      ("hello\n", "malformed"), ("{\"pid\":1\n", "malformed"), ("{\"a\":1}\n", "malformed"),
      ("{\"pid\":1", "torn"), ("hello", "torn"), ("{\"a\":1}", "torn"),
    ])
  func tornOrMalformed(line: String, word: String) async throws {
    let folder = try Folder([begun])
    try folder.write(line, to: "x.jsonl")
    let other = word == "torn" ? "malformed" : "torn"
    let paths = (folder.traces, folder.path.appendingPath("x.jsonl"))
    for words in [["--verbose"], ["--complaint", "vanished"], ["--format", "json"]] {
      let captured = CapturedTerminal()
      _ = await captured.run(all: ["check", paths.0, paths.1] + words)
      #expect(captured.output.contains("a \(word) line"), "\(captured.output)")
      #expect(!captured.output.contains("a \(other) line"))
      if words.last == "json" { #expect(captured.output.contains("\"reason\": \"\(word)\"")) }
    }
  }

  @Test("fails from the severity that is asked for on")
  func failOn() async throws {
    let folder = try Folder([written])
    #expect(await CapturedTerminal().run("check", folder.path, "--fail-on", "error") == .findings)
    #expect(await CapturedTerminal().run("check", folder.path, "--rule", "D3") == .success)
    let captured = CapturedTerminal()
    #expect(await captured.run("check", folder.path, "--rule", "D3.overwrit") == .unusable)
    #expect(captured.errors.contains("D3.overwrite"))
  }

  @Test("takes a file of accepted findings, and refuses one it does not understand")
  func suppressions() async throws {
    let folder = try Folder([written])
    try folder.write("G3 s.plist because the system writes it\n", to: "accepted")
    let accepted = folder.path.appendingPath("accepted")
    let captured = CapturedTerminal()
    #expect(await captured.run("check", folder.path, "--suppressions", accepted) == .success)
    #expect(captured.output.contains("0 findings (1 more suppressed)"))
    try folder.write("G3", to: "broken")
    let refused = CapturedTerminal()
    let broken = folder.path.appendingPath("broken")
    #expect(await refused.run("check", folder.path, "--suppressions", broken) == .unusable)
    #expect(refused.errors.contains("broken:1: after the rule there must be a subject"))
  }

  @Test("answers what vanished, as text and as JSON")
  func vanished() async throws {
    let folder = try Folder([begun])
    let captured = CapturedTerminal()
    #expect(await captured.run("check", folder.path, "--complaint", "vanished") == .findings)
    #expect(captured.output.contains("change c1, stopped right after it was asked for: nothing was written"))
    let other = CapturedTerminal()
    let words = ["--complaint", "vanished", "--document", "b.md", "--format", "json"]
    #expect(
      await other.run("check", folder.path, words[0], words[1], words[2], words[3], words[4], words[5])
        == .success)
    #expect(other.output.contains("no save of b.md was recorded"))
  }

  @Test("a number at its end is told, not trapped on")
  func largestBase() async throws {
    var begun = begun
    begun.base = .max
    let folder = try Folder([begun])
    #expect(await CapturedTerminal().run("check", folder.path, "--complaint", "vanished") == .findings)
    _ = await CapturedTerminal().run("check", folder.path)
  }

  @Test("shows what was recorded, all of it or some")
  func show() async throws {
    let folder = try Folder([written, begun])
    let captured = CapturedTerminal()
    #expect(
      await captured.run("trace", "show", folder.path, "--kind", "save", "--document", "a.md") == .success)
    #expect(captured.output.split(separator: "\n").count == 1)
    #expect(captured.output.contains(" notebook 7 (app) save.begun {\"document\":\"a.md\","))
    let lines = CapturedTerminal()
    #expect(await lines.run("trace", "show", folder.path, "--json") == .success)
    let file = try System.live.contents(of: folder.traces.appendingPath("app.jsonl"), limit: 1 << 20)
    #expect(lines.output == String(decoding: file, as: UTF8.self))
  }
}
