import TenureSystem

@testable import TenureCommand

/// A terminal whose two streams a test can read.
final class CapturedTerminal: Sendable {
  let terminal: Terminal
  private let texts: Texts

  init(isInteractive: Bool = false, isColoured: Bool = false, width: Int = 80, movesCursor: Bool = true) {
    let texts = Texts()
    self.texts = texts
    terminal = Terminal(
      output: Terminal.Stream(isTerminal: isInteractive) { bytes throws(Errno) in
        texts.add(bytes, toErrors: false)
      },
      errors: Terminal.Stream(isTerminal: isInteractive) { bytes throws(Errno) in
        texts.add(bytes, toErrors: true)
      },
      columns: { width }, isColoured: isColoured, movesCursor: movesCursor, whenOutputCloses: { _ in })
  }

  var output: String { texts.both.0 }
  var errors: String { texts.both.1 }

  /// Runs `tenure` with these words.
  func run(_ words: String..., root: Command = .tenure) async -> ExitCode {
    await run(all: words, root: root)
  }

  func run(all words: [String], root: Command = .tenure) async -> ExitCode {
    let context = CommandContext(terminal: terminal, system: .live, executable: "tenure", root: root)
    return await root.dispatch(words, called: "tenure", in: context)
  }
}

private final class Texts: Sendable {
  private let texts = Lock(("", ""))

  var both: (String, String) { texts.withLock { $0 } }

  func add(_ bytes: UnsafeRawBufferPointer, toErrors: Bool) {
    let text = String(decoding: bytes, as: UTF8.self)
    texts.withLock { texts in
      if toErrors { texts.1 += text } else { texts.0 += text }
    }
  }
}
