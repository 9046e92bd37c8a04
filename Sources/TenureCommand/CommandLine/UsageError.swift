/// A command line that cannot be understood: what is wrong with it and, where we can guess, what was meant.
struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  let message: String
  /// What was probably meant.
  var suggestion: String?
  /// The command it was said to, such as `tenure store show`; filled in by the command that was reached.
  var command: String?

  init(_ message: String, suggestion: String? = nil, command: String? = nil) {
    self.message = message
    self.suggestion = suggestion
    self.command = command
  }

  var description: String {
    var lines = [message]
    if let suggestion { lines.append("Did you mean \(suggestion)?") }
    if let command { lines.append("See `\(command) --help`.") }
    return lines.joined(separator: "\n")
  }
}

/// Something that went wrong after the command line was understood, with the code to end with.
struct CommandFailure: Error, Sendable, CustomStringConvertible {
  let description: String
  let exit: ExitCode

  init(_ description: String, exit: ExitCode = .unusable) {
    self.description = description
    self.exit = exit
  }
}
