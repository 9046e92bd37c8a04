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
      written: { written.withLock { $0 += 1 } }, told: { told.withLock { $0 += 1 } })
    terminal.print("one")
    terminal.print("two")
    terminal.print("three")
    #expect(written.withLock { $0 } == 1)
    #expect(told.withLock { $0 } == 1)
  }

  private func closingTerminal(
    written: @escaping @Sendable () -> Void, told: @escaping @Sendable () -> Void
  ) -> Terminal {
    Terminal(
      output: Terminal.Stream(isTerminal: false) { _ throws(Errno) in
        written()
        throw Errno(rawValue: 32)
      },
      errors: Terminal.Stream(isTerminal: false) { _ throws(Errno) in },
      columns: { 80 }, isColoured: false, whenOutputCloses: told)
  }

  @Test("A status line is only for terminals, and goes before anything else is printed")
  func statusLine() {
    let piped = CapturedTerminal()
    piped.terminal.showStatus("half")
    #expect(piped.errors.isEmpty)

    let watched = CapturedTerminal(isInteractive: true)
    watched.terminal.showStatus("half")
    watched.terminal.print("result")
    #expect(watched.errors == "\r\u{1B}[2Khalf\r\u{1B}[2K")
    #expect(watched.output == "result\n")
  }
}
