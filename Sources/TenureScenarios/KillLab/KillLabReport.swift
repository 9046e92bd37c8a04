import TenureTesting

/// What a run of the kill lab found.
public struct KillLabReport: Sendable {
  /// Iterations that were run.
  public var iterations: Int
  /// Processes killed.
  public var kills = 0
  /// Of these, killed after a commit was asked for and before it was answered.
  public var killsInCommit = 0
  /// Processes stopped for a moment in the middle of their work.
  public var stops = 0
  /// Old versions were purged up to this place in the history.
  public var purgedThrough: Int64 = 0
  /// Everything clients asked.
  public var requests = 0
  /// Why workers could not start, one sentence each time. Only a guard that is taken away excuses it.
  public var failures: [String] = []
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

  /// Everything was done and no fault found: without its workers a run shows nothing.
  public var isGood: Bool { faults == 0 && (failures.isEmpty || broken != nil) }
}
