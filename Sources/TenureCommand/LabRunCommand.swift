import TenureScenarios
import TenureSystem
import TenureTesting
import TenureTrace

extension SideName: ArgumentValue {}

extension Law: ArgumentValue {
  init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}

// MARK: lab list

extension Command {
  struct LabListInput: Sendable {
    var json = false
  }

  /// `tenure lab list`
  static let labList = Command(
    "list", "The scenarios: moments in which customary code breaks a law.", taking: LabListInput(),
    [.flag("json", \.json, "Print an array of {law, name, moment, customary, tenure, rule}.")]
  ) { input, context in
    if input.json {
      try context.terminal.print(json: Scenarios.all.map(ScenarioRow.init))
    } else {
      for scenario in Scenarios.all {
        let law = context.terminal.styled(scenario.law.rawValue.padded(to: 4), .bold)
        context.terminal.print("\(law) \(scenario.name.padded(to: 34)) \(scenario.law.title)")
      }
    }
    return .success
  }
}

private struct ScenarioRow: Encodable {
  let law, name, moment, customary, tenure, rule: String

  init(_ scenario: Scenario) {
    law = scenario.law.rawValue
    name = scenario.name
    moment = scenario.moment
    customary = scenario.customary.code
    tenure = scenario.tenure.code
    rule = scenario.rule
  }
}

// MARK: lab run

extension Command {
  struct LabRunInput: Sendable {
    var laws: [Law] = []
    var trace = false
    var json = false
  }

  /// `tenure lab run`
  static let labRun = Command(
    "run", "Plays a law's scenarios: customary code and Tenure's on the same inputs and the same kill.",
    taking: LabRunInput(),
    [
      .arguments("LAW", \.laws, "Such as D3."),
      .flag("trace", \.trace, "Also print every event of both sides."),
      .flag("json", \.json, "Print an array of outcomes, with traces and findings."),
    ],
    exits: [
      .success: "customary code broke the law and was found out, Tenure's held it",
      .findings: "it did not go so",
    ]
  ) { input, context in
    try await Interruption.during(context) {
      try await play(input, context)
    } end: { task in
      await LabInterruption.end(task, context)
    }
  }

  private static func play(_ input: LabRunInput, _ context: CommandContext) async throws -> ExitCode {
    var outcomes: [ScenarioOutcome] = []
    for law in input.laws {
      let scenarios = Scenarios.all(of: law)
      if scenarios.isEmpty {
        throw UsageError(
          "There is no scenario of \(law.rawValue) yet; `tenure lab list` shows which there are.")
      }
      for scenario in scenarios {
        let outcome = try await scenario.run(program: ownExecutable(calledAs: context.executable))
        outcomes.append(outcome)
        if !input.json {
          context.terminal.print(outcome.text(on: context.terminal, withTrace: input.trace))
        }
      }
    }
    if input.json { try context.terminal.print(json: outcomes.map(OutcomeRow.init)) }
    return outcomes.allSatisfy(\.isAsTold) ? .success : .findings
  }
}

private struct OutcomeRow: Encodable {
  struct Side: Encodable {
    let code: String
    let held: Bool
    let evidence: String
    let findings: [String]
    let trace: [String]

    init(_ side: Scenario.Side, _ outcome: SideOutcome) {
      code = side.code
      held = outcome.verdict.isHeld
      evidence = outcome.verdict.evidence
      findings = outcome.findings.map { "\($0.rule.id): \($0.what)" }
      trace = outcome.trace
    }
  }

  let law, name, moment: String
  let customary, tenure: Side
  let asTold: Bool

  init(_ outcome: ScenarioOutcome) {
    law = outcome.scenario.law.rawValue
    name = outcome.scenario.name
    moment = outcome.scenario.moment
    customary = Side(outcome.scenario.customary, outcome.customary)
    tenure = Side(outcome.scenario.tenure, outcome.tenure)
    asTold = outcome.isAsTold
  }
}

extension ScenarioOutcome {
  fileprivate func text(on terminal: Terminal, withTrace: Bool) -> String {
    let law = scenario.law
    var lines = [
      terminal.styled("\(law.rawValue) \(law.title): \(scenario.name)", .bold),
      wrapped(scenario.moment, width: min(terminal.width, 100), indent: 4),
    ]
    for (name, side, outcome) in [
      ("customary", scenario.customary, customary), ("Tenure", scenario.tenure, tenure),
    ] {
      let verdict =
        outcome.verdict.isHeld ? terminal.styled("held", .green) : terminal.styled("broken", .red)
      lines.append("  \(terminal.styled(name.padded(to: 10), .cyan)) \(side.code)")
      lines.append("             \(verdict): \(outcome.verdict.evidence)")
      let findings = outcome.findings.map { "\($0.rule.id): \($0.what)" }
      lines += (findings.isEmpty ? ["nothing found in its trace"] : findings).map {
        "             finding: \($0)"
      }
      lines += (withTrace ? outcome.trace : Array(outcome.trace.suffix(6))).map {
        terminal.styled("             | \($0)", .dim)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

// MARK: lab act

extension Command {
  struct LabActInput: Sendable {
    var law = Law.d1
    var side = SideName.tenure
    var act = ""
    var container = ""
    var killPoint: KillPoint?
  }

  /// `tenure lab act`: one process of a scenario.
  static let labAct = Command(
    "act", "One process of `tenure lab run`.", taking: LabActInput(),
    [
      .argument("LAW", \.law, "Of which scenario."),
      .argument("SIDE", \.side, "Whose code."),
      .argument("ACT", \.act, "Which part."),
      .option("container", "FOLDER", \.container, "Where."),
      .option("kill-at", "POINT", \.killPoint, "Where it kills itself."),
    ],
    isHidden: true
  ) { input, _ in
    try await Scenario.play(
      input.law, input.side, act: input.act, container: input.container, killedAt: input.killPoint)
    return .success
  }
}
