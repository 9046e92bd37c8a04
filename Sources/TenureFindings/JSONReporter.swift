import TenureTrace

/// A report for programs: the form is written down in `Documentation/trace-format.md`.
public struct JSONReporter: Reporter {
  /// Raised when a field changes its meaning, never for a new one.
  public static let version: Int64 = 1

  /// The only form there is.
  public init() {}

  public func render(_ report: Report) -> String {
    JSONText.object([
      ("version", .number(Self.version)),
      ("inputs", .list(report.inputs.map { .string($0) })),
      ("events", .number(Int64(report.events))),
      ("findings", .list(report.findings.map { Self.json($0) })),
      ("rules", .list(report.answers.map { Self.json($0) })),
      ("problems", .list(report.problems.map { Self.json($0) })),
      ("problemCount", .number(Int64(report.problemCount))),
      (
        "unknownKinds",
        .object(report.unknownKinds.sorted { $0.key < $1.key }.map { ($0.key, .number(Int64($0.value))) })
      ),
      (
        "suppressed",
        .list(
          report.suppressed.map {
            .object([
              ("rule", .string($0.finding.rule.id)), ("subject", .string($0.finding.subject)),
              ("reason", .string($0.by.reason)), ("origin", .string($0.by.origin)),
            ])
          })
      ),
      (
        "unusedSuppressions",
        .list(
          report.unusedSuppressions.map {
            .object([
              ("rule", .string($0.rule)), ("subject", .string($0.subject)), ("origin", .string($0.origin)),
            ])
          })
      ),
    ]).text + "\n"
  }

  private static func json(_ finding: Finding) -> JSONText {
    .object([
      ("rule", .string(finding.rule.id)),
      ("law", .string(finding.rule.law.rawValue)),
      ("severity", .string(finding.rule.severity.rawValue)),
      ("title", .string(finding.rule.title)),
      ("subject", .string(finding.subject)),
      ("what", .string(finding.what)),
      ("why", .string(finding.rule.why)),
      ("advice", .string(finding.rule.advice)),
      ("evidence", .list(finding.evidence.map { $0.json })),
    ])
  }

  private static func json(_ answer: RuleAnswer) -> JSONText {
    var fields: [(String, JSONText)] = [
      ("id", .string(answer.rule.id)), ("law", .string(answer.rule.law.rawValue)),
    ]
    switch answer.verdict {
    case .clean: fields.append(("verdict", .string("clean")))
    case .findings: fields.append(("verdict", .string("findings")))
    case .cannotTell(let why, let remedy):
      fields += [("verdict", .string("cannotTell")), ("why", .string(why)), ("remedy", .string(remedy))]
    }
    fields.append(("notes", .list(answer.notes.map { .string($0) })))
    return .object(fields)
  }

  private static func json(_ problem: TraceProblem) -> JSONText {
    .object([
      ("file", .string(problem.place.file)), ("line", .number(Int64(problem.place.line))),
      ("offset", .number(problem.place.offset)), ("reason", .string(problem.reason.name)),
      ("what", .string(problem.description)),
    ])
  }
}

extension Evidence {
  /// As it stands in reports.
  package var json: JSONText {
    .object([
      ("file", .string(place.file)), ("line", .number(Int64(place.line))), ("offset", .number(place.offset)),
      ("mono", .large(monotonic)), ("wall", .number(wall)), ("process", .string(process)),
      ("kind", .string(kind)), ("fields", .string(fields)),
    ])
  }
}
