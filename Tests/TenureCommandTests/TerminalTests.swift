import TenureSystem
import Testing

@testable import TenureCommand

@Suite("The terminal") struct TerminalTests {
  @Test("Styles are shown only where they can be seen")
  func styles() {
    #expect(CapturedTerminal(isColoured: true).terminal.styled("a", .bold) == "\u{1B}[1ma\u{1B}[0m")
    #expect(CapturedTerminal(isColoured: false).terminal.styled("a", .bold) == "a")
  }

  @Test("When the reader goes away the command is told once, and nothing more is written")
  func closedPipe() {
    let written = Lock(0)
    let told = Lock(0)
    let terminal = closingTerminal(
      written: { written.withLock { $0 += 1 } },
      told: { code in
        #expect(code == .success)
        told.withLock { $0 += 1 }
      })
    terminal.print("one")
    terminal.print("two")
    terminal.print("three")
    #expect(written.withLock { $0 } == 1)
    #expect(told.withLock { $0 } == 1)
    #expect(terminal.exitCode(after: .success) == .success)
  }

  @Test("Results that cannot be written are a failure: it is said, and the command does not end with success")
  func failedOutput() {
    let codes = Lock<[ExitCode]>([])
    let said = Lock("")
    let terminal = closingTerminal(
      with: .noSpace, written: {}, told: { code in codes.withLock { $0.append(code) } },
      said: { text in said.withLock { $0 += text } })
    terminal.print("one")
    terminal.print("two")
    #expect(codes.withLock { $0 } == [.unusable])
    #expect(said.withLock { $0 } == "tenure: standard output cannot be written: No space left on device\n")
    #expect(terminal.exitCode(after: .success) == .unusable)
    #expect(terminal.exitCode(after: .findings) == .findings)
  }

  private func closingTerminal(
    with error: Errno = .brokenPipe, written: @escaping @Sendable () -> Void,
    told: @escaping @Sendable (ExitCode) -> Void, said: @escaping @Sendable (String) -> Void = { _ in }
  ) -> Terminal {
    Terminal(
      output: Terminal.Stream(isTerminal: false) { _ throws(Errno) in
        written()
        throw error
      },
      errors: Terminal.Stream(isTerminal: false) { bytes throws(Errno) in
        said(String(decoding: bytes, as: UTF8.self))
      },
      columns: { 80 }, isColoured: false, whenOutputCloses: told)
  }

  @Test("A status line is only for terminals, and goes before anything else is printed")
  func statusLine() {
    let piped = CapturedTerminal()
    piped.terminal.showStatus("half")
    #expect(piped.errors.isEmpty)

    let dumb = CapturedTerminal(isInteractive: true, movesCursor: false)
    dumb.terminal.showStatus("half")
    #expect(dumb.errors.isEmpty)

    let watched = CapturedTerminal(isInteractive: true)
    watched.terminal.showStatus("half")
    watched.terminal.print("result")
    #expect(watched.errors == "\r\u{1B}[2Khalf\r\u{1B}[2K")
    #expect(watched.output == "result\n")
  }

  @Test(
    "A name cannot steer the terminal",
    arguments: [
      ("plain caf\u{E9}.md", "plain caf\u{E9}.md"), ("a\u{1B}[2Jb", "a\\u{1B}[2Jb"),
      ("a\nb\r", "a\\u{A}b\\u{D}"),
      ("x\u{9B}31m", "x\\u{9B}31m"), ("gpj.\u{202E}md", "gpj.\\u{202E}md"),
    ])
  func names(name: String, shown: String) {
    #expect(name.printable() == shown)
    #expect("two\nlines\u{7}".printable(keepingLines: true) == "two\nlines\\u{7}")
  }
}
