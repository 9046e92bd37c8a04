/// What a command tells the shell.
enum ExitCode: Int32, Sendable {
  /// It did what was asked and found nothing wrong.
  case success = 0
  /// It did what was asked and found faults or conflicts.
  case findings = 1
  /// It was asked wrongly, or could not read what it was given.
  case unusable = 2
  /// A fault of the command's own.
  case fault = 70
  /// The container it worked on was removed or replaced meanwhile.
  case containerGone = 74
  /// Ended in order by SIGHUP.
  case hungUp = 129
  /// Ended in order by SIGINT.
  case interrupted = 130
  /// Ended in order by SIGQUIT.
  case quit = 131
  /// Ended in order by SIGTERM.
  case terminated = 143

  /// What the code means where a command says nothing more exact.
  var meaning: String {
    switch self {
    case .success: "done, nothing wrong"
    case .findings: "done, and something was found"
    case .unusable: "bad usage, or input that could not be read"
    case .fault: "a fault in tenure itself"
    case .containerGone: "the container was removed or replaced while it was in use"
    case .hungUp: "ended because the terminal went away (SIGHUP)"
    case .interrupted: "interrupted (SIGINT)"
    case .quit: "ended by SIGQUIT"
    case .terminated: "ended by SIGTERM; other signals likewise 128 and their number"
    }
  }
}
