import Tenure
import TenureFindings
import TenureTrace

/// A moment in Notebook's life in which customary code breaks a law and Tenure's does not.
///
/// Both sides are real code that runs on the same inputs, meets the same interruption at the same point, records
/// the same kinds of event, and is judged by the same question afterwards.
public struct Scenario: Sendable {
  /// One of the two ways to do it.
  public struct Side: Sendable {
    /// What the code does, in one sentence.
    public let code: String
    /// The parts that run in processes of their own, which may be killed.
    let acts: [String: Act]
    /// Runs it all, and answers what became of it.
    let play: @Sendable (Stage) async throws -> Verdict

    init(
      _ code: String, acts: [String: Act] = [:], play: @escaping @Sendable (Stage) async throws -> Verdict
    ) {
      self.code = code
      self.acts = acts
      self.play = play
    }
  }

  /// What runs in a process of its own.
  typealias Act = @Sendable (Actor) async throws -> Void

  /// Whether the law held, and what shows it.
  public struct Verdict: Sendable, Hashable {
    /// The law was held.
    public var isHeld: Bool
    /// What a person sees, in one sentence.
    public var evidence: String

    static func held(_ evidence: String) -> Verdict { Verdict(isHeld: true, evidence: evidence) }
    static func broken(_ evidence: String) -> Verdict { Verdict(isHeld: false, evidence: evidence) }
  }

  /// The law.
  public let law: Law
  /// A name in words, which does not change.
  public let name: String
  /// The moment: who does what, and what comes in between.
  public let moment: String
  /// The rule that finds the customary code's break in its trace.
  public let rule: String
  /// What apps customarily do.
  public let customary: Side
  /// The same with Tenure.
  public let tenure: Side

  /// A side by its name on a command line.
  func side(_ name: SideName) -> Side { name == .customary ? customary : tenure }
}

/// Names the two sides of a scenario.
public enum SideName: String, Sendable, CaseIterable, Hashable {
  case customary, tenure
}

/// What one side came to.
public struct SideOutcome: Sendable {
  /// Whether the law held, and what shows it.
  public let verdict: Scenario.Verdict
  /// What was recorded, in order of time, one event a line.
  public let trace: [String]
  /// What the rules of this law found in it.
  public let findings: [Finding]
}

/// Both sides, next to each other.
public struct ScenarioOutcome: Sendable {
  /// What was run.
  public let scenario: Scenario
  /// The customary code.
  public let customary: SideOutcome
  /// Tenure's.
  public let tenure: SideOutcome

  /// The customary code broke the law and its rule found that; Tenure's held it and nothing was found.
  public var isAsTold: Bool {
    !customary.verdict.isHeld && customary.findings.contains { $0.rule.id == scenario.rule }
      && tenure.verdict.isHeld && tenure.findings.isEmpty
  }
}
