import TenureTrace

/// Every scenario there is.
public enum Scenarios {
  /// In the order of the laws.
  public static let all: [Scenario] = [
    .killedBeforeTheTimer, .answerLostOnTheWay, .twoScenesOneNote, .slowWriteAfterAFastOne,
    .killedBetweenBodyAndVersion, .draftInMemory, .flushPastTheDeadline, .newestWins, .changedSinceLastTime,
    .selectionInTheNote, .cancelledInTheQueue, .oldAppAfterTheUpdate, .historyWithoutEnd,
    .suspendedInTheMiddleOfASave, .killedWhileWritingSettings, .twoProcessesAddALine,
    .killedBeforeTheBell, .whoWroteThis,
  ]

  /// The scenario of a law; the first, where it has several.
  public static func of(_ law: Law) -> Scenario? { all.first { $0.law == law } }

  /// Every scenario of a law.
  public static func all(of law: Law) -> [Scenario] { all.filter { $0.law == law } }
}
