import TenureTrace

/// How much a finding matters.
public enum Severity: String, CaseIterable, Comparable, Sendable {
  /// Worth knowing.
  case note
  /// Harms somebody sooner or later.
  case warning
  /// A law is broken.
  case error

  public static func < (one: Severity, other: Severity) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }
}

/// What a rule looks for, why it matters and what it has to be shown.
public struct RuleDescription: Hashable, Sendable {
  /// Such as `D3.overwrite`; never changes its meaning.
  public let id: String
  /// The law it stands for.
  public let law: Law
  /// How much its findings matter.
  public let severity: Severity
  /// A few words, such as "two edits of one base".
  public let title: String
  /// Why what it finds is harmful.
  public let why: String
  /// What to do about it.
  public let advice: String
  /// Kinds of event it must have seen to say "clean": of each list one.
  public let needs: [[String]]

  /// A description by its parts.
  public init(
    id: String, law: Law, severity: Severity = .error, title: String, why: String, advice: String,
    needs: [[String]]
  ) {
    self.id = id
    self.law = law
    self.severity = severity
    self.title = title
    self.why = why
    self.advice = advice
    self.needs = needs
  }
}

/// One event that a finding rests on.
public struct Evidence: Hashable, Sendable {
  /// Where it stands.
  public let place: TracePlace
  /// Its monotonic time in nanoseconds.
  public let monotonic: UInt64
  /// Its wall time in nanoseconds since 1970.
  public let wall: Int64
  /// Who recorded it, such as `notebook 41 (scene)`.
  public let process: String
  /// Its kind.
  public let kind: String
  /// Its fields as they stand in the trace.
  public let fields: String

  /// An event as evidence.
  public init(_ entry: TraceEntry) {
    place = entry.place
    monotonic = entry.record.monotonic
    wall = entry.record.wall
    process = entry.record.process.short
    kind = entry.record.kind
    fields = TraceFormat.fields(of: entry.record.event)
  }
}

extension ProcessIdentity {
  /// Name, process ID and role, for a person.
  public var short: String { role.isEmpty ? "\(name) \(pid)" : "\(name) \(pid) (\(role))" }
}

/// A law found broken, with the evidence.
public struct Finding: Hashable, Sendable {
  /// The rule that found it.
  public let rule: RuleDescription
  /// What it is about: a document, lock, file, consumer or process.
  public let subject: String
  /// What happened, in one or two sentences.
  public let what: String
  /// The events it rests on, in the order of the trace; the last is where it came to light.
  public let evidence: [Evidence]

  /// A finding by its parts.
  public init(rule: RuleDescription, subject: String, what: String, evidence: [Evidence]) {
    self.rule = rule
    self.subject = subject
    self.what = what
    self.evidence = evidence
  }

  /// Where it came to light.
  public var place: TracePlace? { evidence.last?.place }
}

/// What a rule has to say.
public enum Verdict: Hashable, Sendable {
  /// It saw what it needs and found nothing.
  case clean
  /// It found the law broken.
  case findings([Finding])
  /// It was not shown enough: why, and how to record what is missing.
  case cannotTell(why: String, remedy: String)
}

/// A rule and its verdict.
public struct RuleAnswer: Hashable, Sendable {
  /// The rule.
  public let rule: RuleDescription
  /// What it has to say.
  public var verdict: Verdict
  /// What limits the verdict, such as a bound of memory that was met.
  public var notes: [String]

  /// An answer by its parts.
  public init(rule: RuleDescription, verdict: Verdict, notes: [String] = []) {
    self.rule = rule
    self.verdict = verdict
    self.notes = notes
  }
}
