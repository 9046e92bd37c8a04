import TenureSystem
import Testing

@testable import TenureCommand

/// The completions in the shells themselves, where they are installed.
@Suite("Completions in a shell") struct ShellTests {
  /// A shell by its name, where it is.
  static func path(of shell: Command.Shell) -> String? {
    ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + shell.rawValue }
      .first { ((try? System.live.status($0)) ?? nil)?.kind == .file }
  }

  static let missing = "this shell is not installed here"

  /// What is typed, and what is offered among others.
  static let offers: [(typed: String, offered: [String])] = [
    ("tenure sto", ["store"]),
    ("tenure store ", ["export", "settle"]),
    ("tenure lab run --", ["--json", "--trace"]),
    ("tenure completions ", ["bash", "fish", "zsh"]),
  ]

  /// Runs a script; what it printed, and what it complained of.
  private func run(_ shell: Command.Shell, _ script: String) async throws -> (output: String, errors: String)
  {
    let path = try #require(Self.path(of: shell))
    let plain =
      switch shell {
      case .bash: ["--norc"]
      case .zsh: ["-f"]
      case .fish: ["--no-config"]
      }
    let child = try ChildProcess.start(
      path, arguments: plain + ["-c", script], output: .pipe, errors: .pipe, ownGroup: true)
    async let errors = child.errorLines.wholeText()
    let output = try await child.outputLines.wholeText()
    #expect(await child.ending() == .exited(0))
    return (output, try await errors)
  }

  @Test("bash offers what a command takes", .enabled(if: path(of: .bash) != nil, "\(missing)"))
  func bash() async throws {
    let tenure = try BuiltTenure().path
    for (typed, offered) in Self.offers {
      let words = typed.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }
      let (output, errors) = try await run(
        .bash,
        """
        source <('\(tenure)' completions bash)
        COMP_WORDS=(\(words.joined(separator: " "))); COMP_CWORD=\(words.count - 1)
        _tenure; printf '%s\\n' "${COMPREPLY[@]}"
        """)
      #expect(errors == "")
      let lines = output.split(separator: "\n").map(String.init)
      #expect(offered.allSatisfy(lines.contains), "\(typed): \(lines)")
    }
  }

  @Test("fish offers what a command takes", .enabled(if: path(of: .fish) != nil, "\(missing)"))
  func fish() async throws {
    let tenure = try BuiltTenure().path
    for (typed, offered) in Self.offers {
      let (output, errors) = try await run(
        .fish, "'\(tenure)' completions fish | source; complete -C '\(typed)'")
      #expect(errors == "")
      let lines = output.split(separator: "\n").compactMap {
        $0.split(separator: "\t").first.map(String.init)
      }
      #expect(offered.allSatisfy(lines.contains), "\(typed): \(lines)")
    }
  }

  @Test("zsh offers what a command takes", .enabled(if: path(of: .zsh) != nil, "\(missing)"))
  func zsh() async throws {
    let tenure = try BuiltTenure().path
    for (typed, offered) in Self.offers {
      // Its completion works at a terminal only, with a person who types.
      let terminal = try PseudoTerminal()
      let shell = try terminal.start(try #require(Self.path(of: .zsh)), ["-f", "-i"])
      try terminal.type(
        "PS1='' LISTMAX=0; autoload -Uz compinit; compinit -u -D; setopt auto_list list_ambiguous no_menu_complete; "
          + "source <('\(tenure)' completions zsh); echo REA''DY\n")
      _ = try await terminal.text(until: "READY\r\n")
      try terminal.type(typed + "\t\t")
      let last = try #require(offered.last)
      let shown = try await terminal.text(until: String(last.drop { $0 == "-" }))
      #expect(shown.contains(last.drop { $0 == "-" }), "\(typed): \(shown)")
      shell.killGroup()
      _ = await shell.ending()
    }
  }
}
