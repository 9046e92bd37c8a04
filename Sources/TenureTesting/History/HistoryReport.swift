/// What can be wrong with a history, by what a user would call it.
public enum HistoryFault: String, CaseIterable, Sendable, Hashable, Codable {
  /// An acknowledged or seen change is not there, or was overwritten unseen (D1, D3).
  case lost
  /// One change took effect twice, or nobody asked for it (D2).
  case duplicated
  /// Somebody was told an older version after a newer one was known (D4).
  case backward
  /// Bytes that are no version's, or another version's (D5, G3).
  case torn
  /// A conflict or refusal that no order of events explains (D3).
  case wrongConflicts
  /// A consumer of history was not shown a change, or not in order (D9).
  case historyGaps
  /// A lock that nobody living holds cannot be had (G2).
  case locksLeft
  /// A checkpointed draft was not offered again, or with the wrong standing (D6).
  case draftsLost
}

/// What ``HistoryChecker`` found.
public struct HistoryReport: Sendable, Hashable, CustomStringConvertible {
  /// One fault, with what shows it.
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// What kind.
    public let fault: HistoryFault
    /// One sentence with the evidence.
    public let detail: String

    /// `lost: …`
    public var description: String { "\(fault.rawValue): \(detail)" }
  }

  /// Changes that some client was told are committed.
  public internal(set) var acknowledged = 0
  /// Commits that were asked for and never answered, or answered with "in doubt".
  public internal(set) var inDoubt = 0
  /// Every fault, in the order found.
  public internal(set) var findings: [Finding] = []

  /// A report about nothing.
  public init() {}

  /// How often a fault was found.
  public func count(_ fault: HistoryFault) -> Int { findings.count { $0.fault == fault } }

  /// Whether an order of events explains everything that clients were told.
  public var isExplained: Bool { findings.isEmpty }

  /// One line for each fault, or one that says there is none.
  public var description: String {
    let counts = "\(acknowledged) acknowledged, \(inDoubt) in doubt"
    if isExplained { return "\(counts), no faults" }
    return ([counts] + findings.map(\.description)).joined(separator: "\n")
  }

  mutating func add(_ fault: HistoryFault, _ detail: String) {
    findings.append(Finding(fault: fault, detail: detail))
  }
}
