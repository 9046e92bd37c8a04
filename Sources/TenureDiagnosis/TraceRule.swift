import TenureFindings
import TenureTrace

/// A small state machine that is shown every event of some kinds, once, in order of time.
///
/// Events of different processes may change places by the moment between doing and recording: rules compare
/// versions and sequence numbers across processes, and use the order of events only within one process or where
/// a save began after another's answer.
protocol TraceRule: Sendable {
  static var description: RuleDescription { get }
  /// Kinds it is shown.
  static var kinds: [any TraceEvent.Type] { get }
  init()
  mutating func take(_ moment: Moment, _ output: inout RuleOutput)
  /// The trace has ended.
  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput)
}

extension TraceRule {
  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {}
}

/// What a rule has found so far.
struct RuleOutput: Sendable {
  /// The most findings a rule reports one by one.
  static let limit = 100

  let rule: RuleDescription
  private(set) var findings: [Finding] = []
  private(set) var more = 0
  private(set) var notes: [String] = []
  private(set) var uncertain: String?
  /// Why some events are missing from the trace; `nil` while none are known to be.
  var lost: String?

  init(rule: RuleDescription) { self.rule = rule }

  /// Reports a finding.
  mutating func found(_ subject: String, _ what: String, _ entries: TraceEntry?...) {
    found(subject, what, entries.compactMap { $0 })
  }

  mutating func found(_ subject: String, _ what: String, _ entries: [TraceEntry]) {
    if findings.count == Self.limit {
      more += 1
      return
    }
    findings.append(
      Finding(rule: rule, subject: subject, what: what, evidence: entries.map { Evidence($0) }))
  }

  /// Reports that something did *not* happen; where events are lost, it may only not have been recorded.
  mutating func absent(_ subject: String, _ what: String, _ entries: TraceEntry?...) {
    if let lost {
      uncertain = "\(what) But \(lost), so it may have happened all the same"
    } else {
      found(subject, what, entries.compactMap { $0 })
    }
  }

  /// Says what limits the verdict.
  mutating func note(_ text: String) {
    if !notes.contains(text) && notes.count < 10 { notes.append(text) }
  }

  /// Says so when a table forgot something.
  mutating func note(overflowed: Bool, _ what: String) {
    if overflowed {
      note("there were more \(what) than are kept in memory; about the oldest it was not asked to the end")
    }
  }

  /// The verdict when the trace has ended.
  func answer(seen kinds: Set<String>) -> RuleAnswer {
    var notes = notes
    if more > 0 { notes.append("\(more) more findings like these") }
    if !findings.isEmpty { return RuleAnswer(rule: rule, verdict: .findings(findings), notes: notes) }
    let missing = rule.needs.filter { $0.allSatisfy { !kinds.contains($0) } }
    if !missing.isEmpty {
      let names = missing.map { $0.joined(separator: " or ") }.joined(separator: ", ")
      return RuleAnswer(
        rule: rule,
        verdict: .cannotTell(
          why: "no event \(names) was recorded",
          remedy:
            "Record with Workspace.open(…, trace: .file) in every process that shares the container, and"
            + " do in that time what is in question"),
        notes: notes)
    }
    if let uncertain {
      return RuleAnswer(
        rule: rule,
        verdict: .cannotTell(
          why: uncertain, remedy: "Free some space or raise TraceFile.Bounds, and record again"),
        notes: notes)
    }
    return RuleAnswer(rule: rule, verdict: .clean, notes: notes)
  }
}
