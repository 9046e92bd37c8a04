extension Command {
  /// Finds the command that `words` ask for, runs it, and says what to end with.
  ///
  /// Nothing here traps or throws: whatever a person types ends in a sentence and an exit code.
  func dispatch(_ words: [String], called path: String, in context: CommandContext) async -> ExitCode {
    if let body {
      if asksForHelp(words) {
        context.terminal.print(help(called: path, width: context.terminal.width))
        return .success
      }
      do {
        return try await body(words, context)
      } catch {
        return report(error, called: path, to: context.terminal)
      }
    }

    guard let word = words.first else {
      if path == name {
        context.terminal.print(help(called: path, width: context.terminal.width))
        return .success
      }
      let verbs = visibleSubcommands.map(\.name).joined(separator: ", ")
      return report(UsageError("`\(path)` needs one of: \(verbs)."), called: path, to: context.terminal)
    }
    let rest = Array(words.dropFirst())
    if word == "--help" || word == "-h" || (word == "help" && rest.isEmpty) {
      context.terminal.print(help(called: path, width: context.terminal.width))
      return .success
    }
    if word == "help" { return await dispatch(rest + ["--help"], called: path, in: context) }
    let asked = word == "--version" ? "version" : word
    if let command = subcommands.first(where: { $0.name == asked }) {
      return await command.dispatch(rest, called: "\(path) \(asked)", in: context)
    }
    let what = word.hasPrefix("-") ? "option" : "command"
    let known = visibleSubcommands.map(\.name)
    return report(
      UsageError(
        "`\(path)` has no \(what) \u{201C}\(word)\u{201D}.",
        suggestion: nearest(to: word, among: known).map { "`\(path) \($0)`" }),
      called: path, to: context.terminal)
  }

  private func asksForHelp(_ words: [String]) -> Bool {
    for word in words {
      if word == "--" { return false }
      if word == "--help" || word == "-h" { return true }
    }
    return false
  }

  private func report(_ error: any Error, called path: String, to terminal: Terminal) -> ExitCode {
    switch error {
    case var usage as UsageError:
      usage.command = usage.command ?? path
      terminal.complain("tenure: \(usage)".printable(keepingLines: true))
      return .unusable
    case let failure as CommandFailure:
      terminal.complain("tenure: \(failure)".printable(keepingLines: true))
      return failure.exit
    case is CancellationError:
      terminal.complain("tenure: interrupted")
      return .findings
    default:
      terminal.complain("tenure: \(error)".printable(keepingLines: true))
      return isAboutInput(error) ? .unusable : .fault
    }
  }
}
