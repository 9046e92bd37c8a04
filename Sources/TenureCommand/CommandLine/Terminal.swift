import TenureSystem

/// Where a command prints: results on standard output, everything else on standard error.
///
/// Colour only where a terminal shows it and `NO_COLOR` is unset. A reader that goes away (`tenure … | head`)
/// ends the command quietly; output that cannot be written for another reason (a full disk) is a failure, said on
/// standard error and in the exit code. Any thread may print; whole texts never mix.
final class Terminal: Sendable {
  /// One of the two streams.
  struct Stream: Sendable {
    var isTerminal: Bool
    var write: @Sendable (UnsafeRawBufferPointer) throws(Errno) -> Void
  }

  private let output: Stream
  private let errors: Stream
  private let columns: @Sendable () -> Int?
  /// Whether styles can be seen.
  let isColoured: Bool
  /// Whether lines can be drawn over; not on a `dumb` terminal.
  let movesCursor: Bool
  private let state: Lock<State>

  private struct State {
    var outputIsClosed = false
    var outputFailed = false
    var statusIsShown = false
    var whenOutputCloses: @Sendable (ExitCode) -> Void
  }

  /// A terminal by its parts. `whenOutputCloses` is called once, when nothing can be written to standard output any
  /// more: with success when its reader left, else with the failure to end with.
  init(
    output: Stream, errors: Stream, columns: @escaping @Sendable () -> Int?, isColoured: Bool,
    movesCursor: Bool = true, whenOutputCloses: @escaping @Sendable (ExitCode) -> Void
  ) {
    self.output = output
    self.errors = errors
    self.columns = columns
    self.isColoured = isColoured
    self.movesCursor = movesCursor
    self.state = Lock(State(whenOutputCloses: whenOutputCloses))
  }

  /// Whether a person looks at standard output.
  var isInteractive: Bool { output.isTerminal }
  /// Whether a person looks at standard error, where a line can be drawn over.
  var showsProgress: Bool { errors.isTerminal && movesCursor }
  /// The columns of a line; 80 where no terminal says otherwise.
  var width: Int { columns() ?? 80 }

  /// Prints a result.
  func print(_ text: String = "") { write(text + "\n") }

  /// Prints a result as it is, without ending the line.
  func write(_ text: String) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  /// Prints bytes of a document as they are.
  func write(_ bytes: UnsafeRawBufferPointer) {
    clearStatus()
    let isClosed = state.withLock { $0.outputIsClosed }
    if isClosed { return }
    do {
      try output.write(bytes)
    } catch {
      closeOutput(error)
    }
  }

  /// Says something that is not a result: a fault, a log line.
  func complain(_ text: String) {
    clearStatus()
    writeError(text + "\n")
  }

  /// The code to end with after a command: not success when its results could not be written.
  func exitCode(after code: ExitCode) -> ExitCode {
    code == .success && state.withLock { $0.outputFailed } ? .unusable : code
  }

  /// Replaces what happens when nothing can be written to standard output any more; normally the process ends.
  func whenOutputCloses(_ body: @escaping @Sendable (EndReason) -> Void) {
    let reason: EndReason = isInteractive ? .signal(.hangUp) : .outputClosed
    let old = state.withLock { state in
      let old = state.whenOutputCloses
      state.whenOutputCloses = { _ in body(reason) }
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Shows one line that the next replaces; only on a terminal, on standard error.
  func showStatus(_ line: String) {
    guard showsProgress else { return }
    state.withLock { $0.statusIsShown = true }
    writeError("\r\u{1B}[2K" + String(line.prefix(max(width - 1, 10))))
  }

  /// Takes the status line away.
  func clearStatus() {
    let wasShown = state.withLock { state in
      let was = state.statusIsShown
      state.statusIsShown = false
      return was
    }
    if wasShown { writeError("\r\u{1B}[2K") }
  }

  private func writeError(_ text: String) {
    var text = text
    // Nothing is left to say it to when standard error is closed.
    text.withUTF8 { bytes in try? errors.write(UnsafeRawBufferPointer(bytes)) }
  }

  private func closeOutput(_ error: Errno) {
    // A terminal that has gone answers like a failing disk.
    let readerLeft = error == .brokenPipe || (error == .inputOutput && isInteractive)
    let body: (@Sendable (ExitCode) -> Void)? = state.withLock { state in
      if state.outputIsClosed { return nil }
      state.outputIsClosed = true
      state.outputFailed = !readerLeft
      return state.whenOutputCloses
    }
    guard let body else { return }
    if !readerLeft { complain("tenure: standard output cannot be written: \(error)") }
    body(readerLeft ? .success : .unusable)
  }
}

extension Terminal {
  /// How a piece of text stands out.
  enum Style: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  /// `text` in a style where styles can be seen.
  func styled(_ text: String, _ style: Style) -> String {
    isColoured ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
