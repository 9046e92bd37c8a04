extension Command {
  struct CompletionsInput: Sendable {
    var shell = Shell.bash
  }

  /// A shell that completions can be written for.
  enum Shell: String, ArgumentValue, CaseIterable {
    case bash, zsh, fish
  }

  /// `tenure completions SHELL`
  static let completions = Command(
    "completions", "Prints the completions of a shell.", taking: CompletionsInput(),
    [.argument("SHELL", \.shell, "The shell to complete in.")],
    examples: [
      Example("source <(tenure completions bash)", "Completes in this bash."),
      Example(
        "tenure completions fish > ~/.config/fish/completions/tenure.fish", "Completes in every fish."),
      Example("source <(tenure completions zsh)", "Completes in this zsh."),
    ]
  ) { input, context in
    context.terminal.print(context.root.completions(for: input.shell))
    return .success
  }
}
