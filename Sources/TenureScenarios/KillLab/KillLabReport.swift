import TenureTesting

/// What a run of the kill lab found.
public struct KillLabReport: Sendable {
  /// Iterations that were run.
  public var iterations: Int
  /// Processes killed.
  public var kills = 0
  /// Of these, killed after a commit was asked for and before it was answered.
  public var killsInCommit = 0
  /// Everything clients asked.
  public var requests = 0
  /// Workers that could not start again (a lock that was left is the only reason there should be).
  public var failures = 0
  /// What the checker found.
  public var history = HistoryReport()
  /// The law whose guard was taken away.
  public var broken: BreakableLaw?
  /// What the run followed from.
  public var seed: UInt64

  init(iterations: Int, broken: BreakableLaw?, seed: UInt64) {
    self.iterations = iterations
    self.broken = broken
    self.seed = seed
  }

  /// Faults of all kinds.
  public var faults: Int { history.findings.count }
}
