import TenureSystem
import Testing

@testable import TenureCommand

@Suite("Finding and running a command") struct DispatchTests {
  @Test("Every command explains itself with exit codes, on standard output, and ends with 0")
  func helpEverywhere() async {
    func visit(_ command: Command, _ path: [String]) async {
      for words in [path + ["--help"], path + ["-h"], ["help"] + path] {
        let captured = CapturedTerminal()
        let context = CommandContext(
          terminal: captured.terminal, system: .live, executable: "tenure", root: .tenure)
        let code = await Command.tenure.dispatch(words, called: "tenure", in: context)
        #expect(code == .success, "\(words)")
        #expect(captured.output.contains("Usage: \((["tenure"] + path).joined(separator: " "))"))
        #expect(captured.output.contains("Exit codes:"))
        #expect(captured.errors.isEmpty)
      }
      for verb in command.subcommands { await visit(verb, path + [verb.name]) }
    }
    await visit(.tenure, [])
  }

  @Test("Every command has a summary that is one sentence, and no two of its options share a name")
  func declarations() {
    func visit(_ command: Command) {
      #expect(command.summary.hasSuffix("."), "\(command.name)")
      #expect(command.summary.count <= 100, "\(command.name)")
      let names = command.parameters.map(\.name) + command.parameters.compactMap(\.short).map(String.init)
      #expect(Set(names).count == names.count, "\(command.name)")
      #expect(Set(command.subcommands.map(\.name)).count == command.subcommands.count, "\(command.name)")
      for verb in command.subcommands { visit(verb) }
    }
    visit(.tenure)
  }

  @Test("An unknown command ends with 2, a sentence on standard error and a guess")
  func unknownCommand() async {
    let captured = CapturedTerminal()
    #expect(await captured.run("lwas") == .unusable)
    #expect(captured.output.isEmpty)
    #expect(captured.errors.contains("has no command \u{201C}lwas\u{201D}"))
    #expect(captured.errors.contains("Did you mean `tenure laws`?"))
  }

  @Test("An unknown option ends with 2 and names the command to ask for help")
  func unknownOption() async {
    let captured = CapturedTerminal()
    #expect(await captured.run("laws", "--jsn") == .unusable)
    #expect(captured.errors.contains("Did you mean --json?"))
    #expect(captured.errors.contains("See `tenure laws --help`."))
  }

  struct Odd: Error {}

  @Test("What a command throws becomes a sentence and a code")
  func thrownErrors() async {
    let failures: [(any Error, ExitCode)] = [
      (SystemError(.open, .noEntry, path: "/nowhere"), .unusable),
      (CommandFailure("Two notes are in conflict.", exit: .findings), .findings),
      (Odd(), .fault),
    ]
    for (error, code) in failures {
      let root = Command(
        "tenure", "A root.",
        verbs: [Command("fail", "Fails.", taking: 0, []) { _, _ in throw error }])
      let captured = CapturedTerminal()
      #expect(await captured.run("fail", root: root) == code)
      #expect(captured.errors.hasPrefix("tenure: "))
    }
  }

  @Test("Help fits the width it is given", arguments: [40, 60, 100])
  func helpWidth(width: Int) {
    for line in Command.laws.help(called: "tenure laws", width: width).split(separator: "\n")
    where !line.contains("tenure") && !line.contains("{id") {
      #expect(line.count <= width, "\(line)")
    }
  }
}
