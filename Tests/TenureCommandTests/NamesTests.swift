import Notebook
import Tenure
import TenureSystem
import Testing

@testable import TenureCommand

@Suite("Names that would steer a terminal") struct NamesTests {
  /// An escape, a line's end, a C1 control, and a mark that turns the text round.
  static let names = ["\u{1B}[2Jcleared", "two\nlines", "\u{9B}31mred", "\u{202E}dm.evil", "\u{7}bell"]

  @Test("A log line shows their numbers, and stays one line", arguments: names, [true, false])
  func log(name: String, isQuiet: Bool) {
    for isInteractive in [true, false] {
      let captured = CapturedTerminal(isInteractive: isInteractive)
      let view = LiveView(
        terminal: captured.terminal, clock: LiveClock(), title: name, isQuiet: isQuiet)
      let log = RunLog(terminal: captured.terminal, clock: LiveClock(), isQuiet: isQuiet, view: view)
      log.say("\(name) was saved")
      view.show(member: "left", "shows \(name)")
      view.show(notes: ["draft \(name)"])
      view.show(counts: name)
      let text = captured.output + captured.errors
      // What the view itself steers the terminal with begins with these.
      let foreign = text.unicodeScalars.filter { $0 != "\n" && $0 != "\r" && $0 != "\u{1B}" }
      #expect(
        String(String.UnicodeScalarView(foreign)).printable() == String(String.UnicodeScalarView(foreign)))
      #expect(!text.contains(name))
      #expect(text.contains("\\u{"))
    }
  }

  @Test("A file of such a name is told of by a run without doing what it says", arguments: names)
  func run(name: String) async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: name + ".md")
      let result = try await BuiltTenure().run("run", notes.path, "--once")
      let text = (result.output + result.errors).filter { $0 != "\n" }
      #expect(text.printable() == text)
    }
  }

  @Test("A member's words are printed with their numbers, whatever it says", arguments: names)
  func report(name: String) throws {
    let captured = CapturedTerminal()
    let line = MemberReport(.did, "saved \(name)").line
    let report = try #require(MemberReport(line: line))
    RunLog(terminal: captured.terminal, clock: LiveClock(), isQuiet: false).say(report.text)
    #expect(captured.output.filter { $0 != "\n" }.printable() == captured.output.filter { $0 != "\n" })
    #expect(captured.output.count { $0 == "\n" } == 1)
  }

  @Test("A scene's prompt and answers show their numbers", arguments: ["\u{9B}31mred.md", "\u{202E}dm.evil"])
  func scene(name: String) async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: "a.md")
      _ = try await BuiltTenure().run("run", notes.path, "--once")
      let result = try await BuiltTenure().run(
        "scene", notes.path, input: ["select \(name)", "edit \(name) text", "save", "list", "versions"])
      let text = (result.output + result.errors).filter { $0 != "\n" }
      #expect(text.printable() == text)
      let trace = try await BuiltTenure().run("trace", "show", Notebook.container(of: notes.path))
      let events = (trace.output + trace.errors).filter { $0 != "\n" }
      // A control character is refused as a name, and then stands in no event.
      #expect(events.contains("\\u{") == result.output.contains("Saved "))
      #expect(events.printable() == events)
    }
  }
}
