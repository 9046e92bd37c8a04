import TenureDiagnosis
import TenureFindings
import TenureTrace

extension Severity: ArgumentValue {}
extension Complaint: ArgumentValue {}

/// How a report is printed.
enum ReportFormat: String, CaseIterable, Sendable, ArgumentValue {
  case text, json
}

extension Command {
  struct CheckInput: Sendable {
    var format = ReportFormat.text
    var failOn = Severity.warning
    var complaint: Complaint?
    var document: String?
    var rules: [String] = []
    var suppressions: String?
    var verbose = false
    var paths: [String] = []
  }

  /// `tenure check`
  static let check = Command(
    "check", "Finds broken laws in traces, with the events that show them.",
    discussion: """
      A path is a trace, a directory of traces, a container, or a folder with one. Several are read as one, in \
      order of time. A rule that was not shown what it needs says so: it is neither clean nor a finding.
      """,
    taking: CheckInput(),
    [
      .option("format", "FORMAT", \.format, "How to print.").byDefault("text"),
      .option("fail-on", "SEVERITY", \.failOn, "End with 1 from this severity on.").byDefault("warning"),
      .option("complaint", "WHAT", \.complaint, "Answer a complaint in order of time instead."),
      .option("document", "ID", \.document, "With --complaint vanished: only this document."),
      .options("rule", "RULE", \.rules, "Only this rule or law, such as D3.overwrite or D3."),
      .option("suppressions", "FILE", \.suppressions, completes: .file, "Findings that are accepted."),
      .flag("verbose", \.verbose, "Also say what is clean and what cannot be told, and why."),
      .arguments("PATH", \.paths, completes: .file, "Traces, or where they are."),
    ],
    exits: [.findings: "something was found"],
    examples: [
      Example("tenure check Notes", "Check what was recorded beside a folder of notes."),
      Example("tenure check Notes --complaint vanished", "Where did an edit go?"),
    ]
  ) { input, context in
    let files = try TraceInputs.files(at: input.paths, system: context.system)
    var merge = try TraceInputs.merge(files, system: context.system)
    if let complaint = input.complaint {
      return answer(complaint, of: input, files, &merge, on: context.terminal)
    }
    if input.document != nil { throw UsageError("--document needs --complaint vanished.") }
    let known = RuleRegistry.all.flatMap { [$0.id, $0.law.rawValue] }
    for rule in input.rules where !known.contains(rule) {
      throw UsageError(
        "There is no rule \u{201C}\(rule)\u{201D}.", suggestion: nearest(to: rule, among: known))
    }
    let suppressions = try input.suppressions.map { try Suppression.read($0, system: context.system) }
    var engine = input.rules.isEmpty ? RuleEngine() : RuleEngine(rules: Set(input.rules))
    while let item = merge.next() { engine.take(item) }
    var report = engine.report(inputs: files, unknownKinds: merge.unknownKinds)
    report.apply(suppressions ?? [], wall: context.system.clock.wall)
    if report.events == 0 && report.unknownKinds.isEmpty {
      return nothingRead(files, report.problems, on: context.terminal)
    }
    switch input.format {
    case .text:
      let reporter = TextReporter(colour: context.terminal.isColoured, verbose: input.verbose)
      context.terminal.write(reporter.render(report))
    case .json: context.terminal.write(JSONReporter().render(report))
    }
    return report.fails(on: input.failOn) ? .findings : .success
  }

  /// Nothing read is nothing checked, which must not look like clean: there is no report, only why.
  private static func nothingRead(
    _ files: [String], _ problems: [TraceProblem], on terminal: Terminal
  ) -> ExitCode {
    for problem in problems { terminal.complain("note: \(problem)".printable()) }
    terminal.complain(
      "No event could be read in \(files.count == 1 ? files[0] : "these \(files.count) files"), so nothing was "
        + "checked. Name a trace: a file ending in \(TraceFormat.suffix) that a process recorded.")
    return .unusable
  }

  private static func answer(
    _ complaint: Complaint, of input: CheckInput, _ files: [String], _ merge: inout TraceMerge,
    on terminal: Terminal
  ) -> ExitCode {
    switch complaint {
    case .vanished:
      var inquiry = Complaint.vanished(document: input.document)
      while let item = merge.next() { inquiry.take(item) }
      let report = inquiry.report()
      if report.events == 0 && merge.unknownKinds.isEmpty {
        return nothingRead(files, report.problems, on: terminal)
      }
      terminal.write(input.format == .json ? report.json : report.text)
      return report.isClean ? .success : .findings
    }
  }
}
