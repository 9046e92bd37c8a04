extension Command {
  /// All of `tenure`. A command is one line here and one file beside it.
  static let tenure = Command(
    "tenure", "Documents, state and work that outlive what should not hold them.",
    verbs: [
      .run,
      .scene,
      .store,
      .check,
      .trace,
      .laws,
      .bench,
      .benchChild,
      .lab,
      .completions,
      .version,
      .memberScene,
      .memberService,
    ],
    examples: [
      Example("tenure run", "Opens the sample workspace; edit in it with `tenure scene`."),
      Example("tenure store list", "The documents of the sample workspace."),
      Example("tenure laws", "The catalogue of laws and what upholds each."),
    ])
}
