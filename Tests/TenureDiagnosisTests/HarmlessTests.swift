import TenureTrace
import Testing

@testable import TenureDiagnosis

/// Something healthy that a rule once took for a fault, or easily might.
struct Harmless: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let steps: [Step]

  init(_ what: String, _ steps: [Step]) {
    testDescription = what
    self.steps = steps
  }
}

private func checkpointed(
  _ process: Int32, _ change: String, _ outcome: SaveOutcome = .committed
) -> [Step] {
  [
    Step(process, begun(change, 0, .checkpoint)), Step(process, ended(change, 0, outcome, .checkpoint)),
  ]
}

private func save(_ process: Int32, _ change: String, of document: String = "b", scene: String?) -> [Step] {
  [
    Step(
      process,
      SaveBegun(
        document: document, version: 1, change: change, base: 0, purpose: .commit, bytes: 5, scene: scene)),
    Step(
      process,
      SaveEnded(
        document: document, version: 1, change: change, base: 0, purpose: .commit, bytes: 5,
        outcome: .committed,
        scene: scene)),
  ]
}

private let seen = Step(2, SignalSeen(signal: "bell", sequence: 3, by: .bell))
private let committed = [
  Step(1, DatabaseCommitted(first: 4, last: 4, edits: 1, writer: "notebook", appVersion: "1")),
  Step(1, SignalRung(signal: "bell", sequence: 4)),
]

private let harmless: [Harmless] = [
  Harmless(
    "a change is forgotten with its purged version",
    saved(1, "c1", 0, sequence: 1) + saved(1, "c2", 1, sequence: 2) + [
      // Recorded by whoever purges, perhaps a moment late.
      Step(1, InDoubtResolved(change: "c1", committed: false)), Step(2, HistoryPurged(through: 1)),
    ]),
  Harmless(
    "another process looked a change up before it was committed, and recorded it after",
    [Step(2, started)] + saved(1, "c1", 0) + [Step(2, InDoubtResolved(change: "c1", committed: false))]),
  Harmless(
    "a checkpoint of a change begins while its commit is under way",
    saved(1, "c0", 0) + [Step(1, begun("c1", 1))] + saved(2, "c2", 2) + [
      Step(1, begun("c1", 1, .checkpoint)), Step(1, ended("c1", 1)),
    ]),
  Harmless(
    "another content under a committed change is refused, and the right one accepted",
    saved(1, "c1", 0) + [
      Step(1, begun("c1", 0)), Step(1, ended("c1", 0, .refused, version: 0)),
      Step(1, begun("c1", 0)), Step(1, ended("c1", 0, .alreadyCommitted)),
    ]),
  Harmless(
    "another scene's process begins and saves while a draft waits for its own scene",
    [Step(2, started)] + checkpointed(2, "c1") + [Step(3, started)] + save(3, "c2", scene: "right")
      + save(3, "c3", of: "c", scene: nil)),
  Harmless(
    "a draft was discarded before its scene's next process began",
    [Step(2, started)] + checkpointed(2, "c1") + [
      Step(2, DraftDiscarded(document: "a", change: "c1", scene: "left")), Step(3, started),
    ] + save(3, "c2", scene: "left")),
  Harmless(
    "a change that was committed already is checkpointed late, and no draft kept",
    [Step(2, started)] + saved(2, "c1", 0) + checkpointed(2, "c1", .alreadyCommitted) + [Step(3, started)]
      + save(3, "c2", scene: "left")),
  Harmless(
    "somebody types on after a flush that saved all",
    [
      Step(1, FlushBegun(deadline: 1_010_000_000, items: ["c1"])),
      Step(1, FlushEnded(deadline: 1_010_000_000, saved: ["c1"], unsaved: [], inDoubt: [])),
      Step(1, begun("c1", 0, .checkpoint), after: 50),
    ]),
  Harmless(
    "somebody types on in the foreground after a flush that saved nothing",
    [
      Step(1, SceneForeground(scene: "left")), Step(1, FlushBegun(deadline: 1_010_000_000, items: ["c1"])),
      Step(1, FlushEnded(deadline: 1_010_000_000, saved: [], unsaved: ["c1"], inDoubt: [])),
      Step(1, begun("c1", 0, .checkpoint), after: 50),
    ]),
  Harmless(
    "a flush that was asked for after its deadline answers at once",
    [
      Step(1, FlushBegun(deadline: 5, items: ["c1"])),
      Step(1, FlushEnded(deadline: 5, saved: [], unsaved: ["c1"], inDoubt: [])),
    ]),
  Harmless(
    "history is read without a name, here and there",
    [(0, 2), (7, 9), (3, 3)].map { after, through in
      Step(
        1,
        HistoryRead(
          consumer: "", after: after, through: through,
          changes: after < through ? Array(after + 1...through) : [], snapshot: false))
    }),
  Harmless(
    "a commit is noticed by the closing of its writer's lock file, whose bell still shows the one before",
    [seen] + committed + [
      Step(2, SignalSeen(signal: "bell", sequence: 3, by: .lockClosed)),
      Step(2, SceneForeground(scene: "left"), after: 9_000),
    ]),
  Harmless(
    "a process that listens no longer goes on",
    [seen, Step(2, SignalWatchEnded(signal: "bell"))] + committed + [
      Step(2, SceneForeground(scene: "left"), after: 9_000)
    ]),
]

@Suite("The rules leave alone")
struct HarmlessTests {
  @Test("what is healthy", arguments: harmless)
  func healthy(example: Harmless) {
    var engine = RuleEngine()
    for entry in entries(example.steps) { engine.take(entry) }
    #expect(engine.report(inputs: ["made"]).findings.map(\.what) == [])
  }
}
