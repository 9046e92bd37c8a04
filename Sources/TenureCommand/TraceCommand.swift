import TenureDiagnosis
import TenureFindings
import TenureTrace

extension Command {
  /// `tenure trace`
  static let trace = Command(
    "trace", "Shows what processes recorded.", verbs: [.traceShow],
    examples: [Example("tenure trace show Notes", "Everything recorded beside a folder of notes.")])

  struct TraceShowInput: Sendable {
    var json = false
    var kinds: [String] = []
    var document: String?
    var paths: [String] = []
  }

  private static let traceShow = Command(
    "show", "Prints the events of traces in order of time.",
    discussion: "With --json each event is printed as it stands in its file: one JSON object a line.",
    taking: TraceShowInput(),
    [
      .flag("json", \.json, "Print the lines of the trace format."),
      .options("kind", "KIND", \.kinds, "Only this kind, such as save.ended, or its letter group: save."),
      .option("document", "ID", \.document, "Only events of this document."),
      .arguments("PATH", \.paths, completes: .file, "Traces, or where they are."),
    ],
    examples: [
      Example("tenure trace show Notes --kind save --document a.md", "How one note was saved.")
    ]
  ) { input, context in
    let files = try TraceInputs.files(at: input.paths, system: context.system)
    var merge = try TraceInputs.merge(files, system: context.system)
    var events = 0
    var problems = 0
    while let item = merge.next() {
      switch item {
      case .problem(let problem):
        problems += 1
        context.terminal.complain("note: \(problem)".printable())
      case .entry(let entry):
        events += 1
        guard input.shows(entry.record) else { continue }
        if input.json {
          TraceFormat.line(entry.record).withUnsafeBytes { context.terminal.write($0) }
        } else {
          context.terminal.print(line(entry.record, on: context.terminal))
        }
      }
    }
    return events == 0 && problems > 0 ? .unusable : .success
  }

  private static func line(_ record: TraceRecord, on terminal: Terminal) -> String {
    let task = record.task.map { " \($0)" } ?? ""
    let head = "\(WallTime.text(record.wall)) \(record.process.short)\(task)".printable()
    let kind = terminal.styled(record.kind.printable(), .bold)
    return "\(terminal.styled(head, .dim)) \(kind) \(TraceFormat.fields(of: record.event).printable())"
  }
}

extension Command.TraceShowInput {
  fileprivate func shows(_ record: TraceRecord) -> Bool {
    let isWanted = kinds.isEmpty || kinds.contains { record.kind == $0 || record.kind.hasPrefix($0 + ".") }
    guard isWanted else { return false }
    guard let document else { return true }
    return TraceFormat.value(of: "document", in: record.event) == .string(document)
  }
}
