import TenureTrace

/// Every scenario there is.
public enum Scenarios {
  /// In the order of the laws.
  public static let all: [Scenario] = [
    .killedBeforeTheTimer, .answerLostOnTheWay, .twoScenesOneNote, .slowWriteAfterAFastOne,
    .killedBetweenBodyAndVersion, .draftInMemory, .flushPastTheDeadline, .newestWins, .changedSinceLastTime,
    .selectionInTheNote, .cancelledInTheQueue, .oldAppAfterTheUpdate, .historyWithoutEnd,
    .suspendedInTheMiddleOfASave, .killedWhileWritingSettings, .killedBeforeTheBell, .whoWroteThis,
  ]

  /// The scenario of a law.
  public static func of(_ law: Law) -> Scenario? { all.first { $0.law == law } }
}
