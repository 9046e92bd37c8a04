import CEdit
import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lines that a person types at the terminal, edited with libedit, one key at a time: between two keys it can be
/// told to start over or to stop. One in a process, because libedit has one state.
final class EditedLines: Sendable {
  /// What can be told while a line is typed.
  enum Word: UInt8, Sendable {
    case startOver = 1
    case stop = 2
  }

  private let wake: (reading: OpenFile, writing: OpenFile)
  private let before: termios

  /// Remembers the state of the terminal.
  init(_ system: System) throws(SystemError) {
    wake = try system.pipe()
    var before = termios()
    tcgetattr(0, &before)
    self.before = before
    // Without it what is typed is taken for bytes and not for letters.
    setlocale(LC_CTYPE, "")
    tenure_edit_leave_signals()
  }

  /// Says something to whoever waits for a line, or will.
  func tell(_ word: Word) {
    // The pipe holds more words than anybody says.
    _ = try? wake.writing.writeAll([word.rawValue])
  }

  /// Waits for a line; blocks.
  func next(_ prompt: String) throws(SystemError) -> LineSource.Input {
    begin(prompt)
    defer { rl_callback_handler_remove() }
    while true {
      var waits = [
        pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.reading.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&waits, 2, -1) < 0 {
        if Errno.current == .interrupted { continue }
        throw SystemError(.read, .current, path: "standard input")
      }
      if waits[1].revents != 0 {
        switch Word(rawValue: try wake.reading.readSome(upTo: 1).first ?? Word.stop.rawValue) {
        case .startOver:
          rl_callback_handler_remove()
          say("^C  (`quit` or Ctrl-D leaves.)\n")
          begin(prompt)
        case .stop, nil:
          say("\n")
          return .ended
        }
      } else if waits[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
        return .hungUp
      } else {
        rl_callback_read_char()
        if let finished = typed.withLock({ $0 }) { return finished }
      }
    }
  }

  private func begin(_ prompt: String) {
    typed.withLock { $0 = nil }
    rl_callback_handler_install(prompt, takeLine)
  }

  private func say(_ text: String) {
    // A terminal that has gone is noticed by the next wait.
    _ = try? OpenFile.standardOutput.writeAll(Array(text.utf8))
  }

  /// Puts the terminal back into the state it was found in, where it is ours: whoever runs behind another program
  /// would be stopped for it.
  func restoreTerminal() {
    var before = before
    if tcgetpgrp(0) == getpgrp() { tcsetattr(0, TCSADRAIN, &before) }
  }
}

/// What libedit's handler was given, which is a function without a context.
private let typed = Lock<LineSource.Input?>(nil)

private func takeLine(_ line: UnsafeMutablePointer<CChar>?) {
  guard let line else { return typed.withLock { $0 = .ended } }
  defer { free(line) }
  let text = String(cString: line)
  if !text.allSatisfy(\.isWhitespace) { add_history(line) }
  typed.withLock { $0 = .line(text) }
}
