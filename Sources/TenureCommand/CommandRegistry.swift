extension Command {
  /// All of `tenure`. A command is one line here and one file beside it.
  static let tenure = Command(
    "tenure", "Documents, state and work that outlive what should not hold them.",
    verbs: [
      .check,
      .trace,
      .laws,
      .bench,
      .benchChild,
      .lab,
      .completions,
      .version,
    ],
    examples: [
      Example("tenure laws", "The catalogue of laws and what upholds each.")
    ])
}
