import TenureTrace

/// What a check found, for a reporter to show.
public struct Report: Sendable {
  /// What was read.
  public var inputs: [String]
  /// Events read.
  public var events: Int
  /// One answer for each rule, in the order of the laws.
  public var answers: [RuleAnswer]
  /// Lines and files that could not be used; the first of them.
  public var problems: [TraceProblem]
  /// How many there were in all.
  public var problemCount: Int
  /// Lines of kinds this version does not know.
  public var unknownKinds: [String: Int]
  /// Findings that a suppression covers.
  public private(set) var suppressed: [(finding: Finding, by: Suppression)] = []
  /// Suppressions that covered nothing, and those that have run out.
  public private(set) var unusedSuppressions: [Suppression] = []

  /// A report by its parts.
  public init(
    inputs: [String], events: Int, answers: [RuleAnswer], problems: [TraceProblem] = [],
    problemCount: Int? = nil, unknownKinds: [String: Int] = [:]
  ) {
    self.inputs = inputs
    self.events = events
    self.answers = answers
    self.problems = problems
    self.problemCount = problemCount ?? problems.count
    self.unknownKinds = unknownKinds
  }

  /// All findings that no suppression covers.
  public var findings: [Finding] {
    answers.flatMap { answer in
      if case .findings(let findings) = answer.verdict { findings } else { [] as [Finding] }
    }
  }

  /// Whether a finding is at least so severe.
  public func fails(on severity: Severity) -> Bool {
    findings.contains { $0.rule.severity >= severity }
  }

  /// Takes out the findings that are covered on the day of `wall` (nanoseconds since 1970), and notes which
  /// suppressions covered none.
  public mutating func apply(_ suppressions: [Suppression], wall: Int64) {
    var used = Set<Int>()
    for index in answers.indices {
      guard case .findings(let findings) = answers[index].verdict else { continue }
      let left = findings.filter { finding in
        guard
          let match = suppressions.indices.first(where: {
            suppressions[$0].covers(finding) && !suppressions[$0].hasRunOut(wall: wall)
          })
        else { return true }
        used.insert(match)
        suppressed.append((finding, suppressions[match]))
        return false
      }
      answers[index].verdict = left.isEmpty ? .clean : .findings(left)
    }
    unusedSuppressions = suppressions.indices.filter { !used.contains($0) }.map { suppressions[$0] }
  }
}
