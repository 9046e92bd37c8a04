import TenureSystem

/// One command of `tenure`: a value that says what it is called, what it takes and what it does.
///
/// ```swift
/// extension Command {
///   struct GreetInput: Sendable { var loud = false; var name = "" }
///
///   static let greet = Command(
///     "greet", "Greets somebody.", taking: GreetInput(),
///     [.flag("loud", \.loud, "Shout."), .argument("NAME", \.name, "Whom to greet.")]
///   ) { input, context in
///     context.terminal.print(input.loud ? "HELLO \(input.name)" : "hello \(input.name)")
///     return .success
///   }
/// }
/// ```
/// One line in `CommandRegistry.swift` makes it known. Help, errors and completions follow from the declaration.
struct Command: Sendable {
  /// The word it is called by.
  let name: String
  /// One line, for lists.
  let summary: String
  /// More, for its own help.
  let discussion: String
  /// What it takes.
  let parameters: [ParameterShape]
  /// The verbs of a noun; empty for a command that does something itself.
  let subcommands: [Command]
  /// Exit codes that mean something more exact here.
  let exits: [ExitCode: String]
  /// Command lines worth copying, each with what it does.
  let examples: [Example]
  /// Left out of help and completions: processes that `tenure` starts for itself.
  let isHidden: Bool
  /// Reads the words after the command's own and does its work. `nil` for a noun.
  let body: (@Sendable (_ words: [String], _ context: CommandContext) async throws -> ExitCode)?

  /// A command line worth copying.
  struct Example: Sendable, Hashable {
    var line: String
    var does: String

    init(_ line: String, _ does: String) {
      self.line = line
      self.does = does
    }
  }

  /// A command that does something.
  init<Input: Sendable>(
    _ name: String, _ summary: String, discussion: String = "", taking input: Input,
    _ parameters: [Parameter<Input>], exits: [ExitCode: String] = [:], examples: [Example] = [],
    isHidden: Bool = false,
    run: @escaping @Sendable (Input, CommandContext) async throws -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.parameters = parameters.map(\.shape)
    self.subcommands = []
    self.exits = exits
    self.examples = examples
    self.isHidden = isHidden
    self.body = { words, context in
      try await run(try parse(words, into: input, parameters), context)
    }
  }

  /// A noun: verbs under one name.
  init(
    _ name: String, _ summary: String, discussion: String = "", verbs: [Command],
    exits: [ExitCode: String] = [:], examples: [Example] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.parameters = []
    self.subcommands = verbs
    self.exits = exits
    self.examples = examples
    self.isHidden = false
    self.body = nil
  }

  /// The verbs that people are told about.
  var visibleSubcommands: [Command] { subcommands.filter { !$0.isHidden } }
}

/// What a running command is given besides its input.
struct CommandContext: Sendable {
  /// Where it prints.
  let terminal: Terminal
  /// The machine.
  let system: System
  /// How `tenure` was called, to start more of itself.
  let executable: String
  /// All commands.
  let root: Command
}
