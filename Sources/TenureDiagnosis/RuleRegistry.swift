import TenureFindings

/// Every rule there is, in the order of the laws.
public enum RuleRegistry {
  static let rules: [any TraceRule.Type] = [
    LostCommit.self, FailedButCommitted.self, CommittedTwice.self, SilentOverwrite.self, WrongBase.self,
    ConflictIgnored.self, ObservedBackward.self, SequenceBackward.self, WrongBody.self,
    UnverifiedBody.self, DraftLost.self, LateFlush.self, FlushItemMissing.self, SaveAfterFlush.self,
    MergeWithoutRule.self, HistoryGap.self, HistoryDisorder.self, SceneStateMisplaced.self,
    CancelledButCommitted.self, CancelledWithoutOutcome.self, WroteToNewerSchema.self, BoundExceeded.self,
    BoundUnnamed.self, LockHeldInSuspension.self, LockHeldLong.self, LockKept.self,
    FileWrittenInPlace.self, FileReplacedUnsafely.self, CommitUnseen.self, BellNotRung.self,
    Unattributed.self,
  ]

  /// What each of them looks for.
  public static var all: [RuleDescription] { rules.map { $0.description } }
}
