import TenureSystem

extension Command {
  /// What is measured together.
  enum BenchSubject: String, Sendable, CaseIterable, ArgumentValue {
    case documents, trace
  }

  struct BenchInput: Sendable {
    var subjects: [BenchSubject] = []
    var json = false
    var compare = false
    var accept = false
    var quick = false
    var runs = 5
    var directory = "/var/tmp"
    var accepted = "Benchmarks"
    var only: [String] = []
  }

  /// `tenure bench`
  static let bench = Command(
    "bench", "Measures Tenure beside its peers, both in this one call.",
    discussion: """
      Ours and the peer run one after the other, several times, and the order turns round each time; the first \
      pair warms up and does not count. Figures are medians; a ratio above 1 means ours is better; the spread \
      is (largest \u{2212} smallest) / median of the pairs' ratios. Run it on a quiet machine, in a release build.
      """,
    taking: BenchInput(),
    [
      .flag("json", \.json, "Print an array of {name, unit, ours, peer, peerName, ratio, runs, spread}."),
      .flag("compare", \.compare, "Print what fell below the accepted ratios; exit 1 when something did."),
      .flag("accept", \.accept, "Write what was measured down as the accepted ratios."),
      .flag(
        "quick", \.quick, "A look, not a measurement: shorter and smaller (names say where sizes differ)."),
      .option("runs", "N", \.runs, in: 1...99, "Pairs of runs per row.").byDefault("5"),
      .option(
        "directory", "FOLDER", \.directory, completes: .directory,
        "Where temporary folders are made: it decides which disk is measured."
      ).byDefault("/var/tmp"),
      .option(
        "accepted", "FOLDER", \.accepted, completes: .directory, "Where the accepted ratios are kept."
      ).byDefault("Benchmarks"),
      .options("only", "TEXT", \.only, "Only rows whose name holds this."),
      .arguments("SUBJECT", \.subjects, isRequired: false, "All when none is named."),
    ],
    exits: [.findings: "with --compare: something fell"],
    examples: [
      Example("tenure bench documents --quick", "A first look in under a minute."),
      Example("tenure bench --compare", "Everything, and what fell since it was last accepted."),
    ]
  ) { input, context in
    try await BenchRun(input: input, context: context).run()
  }

  struct BenchChildInput: Sendable {
    var job = ""
  }

  /// A process that `tenure bench` starts.
  static let benchChild = Command(
    "bench-child", "One process of a measurement.", taking: BenchChildInput(),
    [.argument("JOB", \.job, "The job, as JSON.")], isHidden: true
  ) { input, context in
    let plan = BenchmarkPlan(system: context.system, program: context.executable)
    try await BenchmarkJob(json: input.job).run(plan: plan) { context.terminal.print($0) }
    return .success
  }
}
