import TenureTrace
import Testing

/// What one rule finds, and the nearest thing it must leave alone.
struct RuleExample: Sendable, CustomTestStringConvertible {
  let rule: String
  let bad: [Step]
  let good: [Step]
  /// Whether the good trace turns bad when the right event is missing from it.
  var isFragile = false

  var testDescription: String { rule }
}

let documentExamples: [RuleExample] = [
  RuleExample(
    rule: "D1.lost",
    bad: saved(1, "c1", 0) + saved(1, "c2", 1) + [
      Step(2, begun("c3", 0)), Step(2, SaveConflict(document: "a", change: "c3", expected: 0, current: 1)),
      Step(2, ended("c3", 0, .conflict, version: 1)),
    ],
    // The save began before version 2 was acknowledged: it may have looked before, too.
    good: saved(1, "c1", 0) + [Step(2, begun("c3", 0))] + saved(1, "c2", 1) + [
      Step(2, SaveConflict(document: "a", change: "c3", expected: 0, current: 1)),
      Step(2, ended("c3", 0, .conflict, version: 1)),
    ]),
  RuleExample(
    rule: "D1.lost",
    bad: saved(1, "c1", 0) + [
      Step(2, started), Step(2, InDoubtResolved(change: "c1", committed: false)),
    ],
    good: [
      Step(1, begun("c1", 0)), Step(1, SaveInDoubt(document: "a", change: "c1", reason: "EIO")),
      Step(1, ended("c1", 0, .inDoubt)), Step(2, InDoubtResolved(change: "c1", committed: false)),
    ]),
  RuleExample(
    rule: "D1.lost",
    bad: saved(1, "c1", 0) + [
      Step(2, started),
      Step(
        2, DraftRecovered(document: "a", change: "c9", base: 0, current: 0, standing: .current, scene: "s")),
    ],
    // It had begun before the acknowledgement.
    good: [Step(2, started)] + saved(1, "c1", 0) + [
      Step(
        2, DraftRecovered(document: "a", change: "c9", base: 0, current: 0, standing: .current, scene: "s"))
    ]),
  RuleExample(
    rule: "D1.told-failed",
    bad: [
      Step(1, begun("c1", 0)), Step(1, ended("c1", 0, .refused, version: 0)),
      Step(1, begun("c1", 0)), Step(1, ended("c1", 0, .alreadyCommitted)),
    ],
    // Another process's attempt was open: that one may have committed it.
    good: [
      Step(2, begun("c1", 0)),
      Step(1, begun("c1", 0)), Step(1, ended("c1", 0, .retryable, version: 0)),
      Step(1, begun("c1", 0)), Step(1, ended("c1", 0, .alreadyCommitted)),
    ], isFragile: true),
  RuleExample(
    rule: "D2.twice",
    bad: saved(1, "c1", 0) + saved(1, "c1", 1),
    good: saved(1, "c1", 0) + [Step(1, begun("c1", 0)), Step(1, ended("c1", 0, .alreadyCommitted))]),
  RuleExample(
    rule: "D3.overwrite",
    bad: [
      Step(1, begun("c1", 0)), Step(2, begun("c2", 0)), Step(1, ended("c1", 0)), Step(2, ended("c2", 0)),
    ],
    good: [
      Step(1, begun("c1", 0)), Step(2, begun("c2", 0)), Step(1, ended("c1", 0)),
      Step(2, SaveConflict(document: "a", change: "c2", expected: 0, current: 1)),
      Step(2, ended("c2", 0, .conflict, version: 1)),
    ]),
  RuleExample(
    rule: "D3.base",
    bad: saved(1, "c1", 0) + [Step(1, begun("c2", 1)), Step(1, ended("c2", 1, version: 5))],
    good: saved(1, "c1", 0) + saved(2, "c2", 1)),
  RuleExample(
    rule: "D3.conflict-ignored",
    bad: [
      Step(1, begun("c2", 1)), Step(1, SaveConflict(document: "a", change: "c2", expected: 0, current: 1)),
      Step(1, ended("c2", 1)),
    ],
    good: [
      Step(1, begun("c2", 1)), Step(1, SaveConflict(document: "a", change: "c2", expected: 1, current: 2)),
      Step(1, ended("c2", 1, .conflict, version: 2)), Step(1, begun("c3", 2)), Step(1, ended("c3", 2)),
    ]),
  RuleExample(
    rule: "D4.observed",
    bad: [8, 9, 8].map { Step(1, DocumentObserved(document: "a", version: $0, observer: "left")) },
    good: [
      Step(1, DocumentObserved(document: "a", version: 9, observer: "left")),
      Step(1, DocumentObserved(document: "a", version: 8, observer: "right")),
      Step(1, DocumentObserved(document: "b", version: 8, observer: "left")),
      Step(2, DocumentObserved(document: "a", version: 8, observer: "left")),
      Step(1, DocumentObserved(document: "a", version: 9, observer: "left")),
    ]),
  RuleExample(
    rule: "D4.sequence",
    bad: [
      Step(2, begun("c9", 8)), Step(1, begun("c8", 7)), Step(2, ended("c9", 8, sequence: 20)),
      Step(1, ended("c8", 7, sequence: 21)),
    ],
    // Recorded in the other order than committed: only the places in the history count.
    good: [
      Step(1, begun("c8", 7)), Step(2, begun("c9", 8)), Step(2, ended("c9", 8, sequence: 21)),
      Step(1, ended("c8", 7, sequence: 20)),
    ]),
  RuleExample(
    rule: "D5.read",
    bad: [
      Step(1, begun("c1", 0)), Step(1, ended("c1", 0, digest: "aabb")),
      Step(2, DocumentRead(document: "a", version: 1, digest: "aacc")),
    ],
    good: [
      Step(1, begun("c1", 0)), Step(2, DocumentRead(document: "a", version: 1, digest: "aabbcc")),
      Step(1, ended("c1", 0, digest: "aabb")),
    ]),
  RuleExample(
    rule: "D5.unverified",
    bad: [
      Step(1, begun("c1", 0)),
      Step(1, BodyWritten(document: "a", change: "c1", file: "f", bytes: 5, verified: false)),
      Step(1, ended("c1", 0)),
    ],
    good: [
      Step(1, begun("c1", 0)),
      Step(1, BodyWritten(document: "a", change: "c1", file: "f", bytes: 5, verified: false)),
      Step(1, BodyWritten(document: "a", change: "c1", file: "g", bytes: 5, verified: true)),
      Step(1, ended("c1", 0, verified: true)),
    ], isFragile: true),
  RuleExample(
    rule: "D6.draft-lost",
    bad: [
      Step(2, started), Step(2, begun("c1", 0, .checkpoint)),
      Step(2, ended("c1", 0, .committed, .checkpoint)),
      Step(3, started), Step(3, begun("c2", 0, of: "b")), Step(3, ended("c2", 0, of: "b")),
    ],
    good: [
      Step(2, started), Step(2, begun("c1", 0, .checkpoint)),
      Step(2, ended("c1", 0, .committed, .checkpoint)),
      Step(3, started),
      Step(
        3, DraftRecovered(document: "a", change: "c1", base: 0, current: 0, standing: .current, scene: "left")
      ),
      Step(3, begun("c2", 0, of: "b")), Step(3, ended("c2", 0, of: "b")),
    ], isFragile: true),
  RuleExample(
    rule: "D6.draft-lost",
    bad: [
      Step(2, started), Step(2, begun("c1", 0, .checkpoint)),
      Step(2, ended("c1", 0, .committed, .checkpoint)),
      Step(3, started), Step(3, begun("c2", 0, of: "b")), Step(3, ended("c2", 0, of: "b")),
    ],
    // Nobody was interrupted: both scenes went on.
    good: [
      Step(2, started), Step(2, begun("c1", 0, .checkpoint)),
      Step(2, ended("c1", 0, .committed, .checkpoint)),
      Step(3, started), Step(3, begun("c2", 0, of: "b")), Step(3, ended("c2", 0, of: "b")),
      Step(2, SceneForeground(scene: "left")),
    ], isFragile: true),
  RuleExample(
    rule: "D7.late",
    bad: [
      Step(1, FlushBegun(deadline: 1_010_000_000, items: ["c1"])),
      Step(1, FlushEnded(deadline: 1_010_000_000, saved: ["c1"], unsaved: [], inDoubt: []), after: 200),
    ],
    good: [
      Step(1, FlushBegun(deadline: 1_010_000_000, items: ["c1"])),
      Step(1, FlushEnded(deadline: 1_010_000_000, saved: [], unsaved: ["c1"], inDoubt: []), after: 40),
    ]),
  RuleExample(
    rule: "D7.late",
    bad: [
      Step(1, FlushBegun(deadline: 1_010_000_000, items: [])),
      Step(1, SceneForeground(scene: "left"), after: 500),
    ],
    // It was killed: it could not answer.
    good: [
      Step(1, FlushBegun(deadline: 1_010_000_000, items: [])),
      Step(2, SceneForeground(scene: "left"), after: 500),
    ]),
  RuleExample(
    rule: "D7.unanswered",
    bad: [
      Step(1, FlushBegun(deadline: 2_000_000_000, items: ["c1", "c2"])),
      Step(1, FlushEnded(deadline: 2_000_000_000, saved: ["c1"], unsaved: [], inDoubt: [])),
    ],
    good: [
      Step(1, FlushBegun(deadline: 2_000_000_000, items: ["c1", "c2", "c3"])),
      Step(1, FlushEnded(deadline: 2_000_000_000, saved: ["c1"], unsaved: ["c2"], inDoubt: ["c3"])),
    ]),
  RuleExample(
    rule: "D7.begun-after",
    bad: [
      Step(1, FlushBegun(deadline: 1_010_000_000, items: ["c1"])),
      Step(1, FlushEnded(deadline: 1_010_000_000, saved: [], unsaved: ["c1"], inDoubt: []), after: 9),
      Step(1, begun("c1", 0), after: 20),
    ],
    good: [
      Step(1, FlushBegun(deadline: 1_010_000_000, items: ["c1"])),
      Step(1, FlushEnded(deadline: 1_010_000_000, saved: [], unsaved: ["c1"], inDoubt: []), after: 9),
      Step(1, SceneForeground(scene: "left"), after: 20), Step(1, begun("c1", 0)),
    ], isFragile: true),
  RuleExample(
    rule: "D8.no-rule",
    bad: [Step(1, MergeTried(document: "a", base: 1, mine: "c1", theirs: 2, merged: true))],
    good: [Step(1, MergeTried(document: "a", base: 1, mine: "c1", theirs: 2, merged: false))]),
  RuleExample(
    rule: "D8.no-rule",
    bad: [Step(1, MergeTried(document: "a", rule: "lines", base: 3, mine: "c1", theirs: 2, merged: true))],
    good: [Step(1, MergeTried(document: "a", rule: "lines", base: 1, mine: "c1", theirs: 2, merged: true))]),
  RuleExample(
    rule: "D9.gap",
    bad: saved(1, "c1", 0, sequence: 4) + saved(1, "c2", 1, sequence: 5) + [
      Step(2, HistoryRead(consumer: "index", after: 3, through: 5, changes: [5], snapshot: false))
    ],
    good: saved(1, "c1", 0, sequence: 4) + saved(1, "c2", 1, sequence: 5) + [
      Step(2, HistoryRead(consumer: "index", after: 3, through: 5, changes: [4, 5], snapshot: false)),
      // At least once: an old token again is no fault.
      Step(2, HistoryRead(consumer: "index", after: 4, through: 5, changes: [5], snapshot: false)),
    ]),
  RuleExample(
    rule: "D9.gap",
    bad: [
      Step(2, HistoryRead(consumer: "index", after: 0, through: 5, changes: [5], snapshot: false)),
      Step(2, HistoryRead(consumer: "index", after: 7, through: 8, changes: [8], snapshot: false)),
    ],
    good: [
      Step(2, HistoryRead(consumer: "index", after: 0, through: 5, changes: [5], snapshot: false)),
      Step(2, HistoryRead(consumer: "index", after: 5, through: 7, changes: [], snapshot: true)),
      Step(2, HistoryRead(consumer: "index", after: 7, through: 8, changes: [8], snapshot: false)),
    ], isFragile: true),
  RuleExample(
    rule: "D9.gap",
    bad: [
      Step(1, HistoryPurged(through: 9)),
      Step(2, HistoryRead(consumer: "index", after: 3, through: 10, changes: [10], snapshot: false)),
    ],
    good: [
      Step(1, HistoryPurged(through: 9)),
      Step(2, HistoryRead(consumer: "index", after: 3, through: 10, changes: [], snapshot: true)),
    ]),
  RuleExample(
    rule: "D9.order",
    bad: [Step(2, HistoryRead(consumer: "index", after: 3, through: 6, changes: [5, 4], snapshot: false))],
    good: [Step(2, HistoryRead(consumer: "index", after: 3, through: 6, changes: [4, 5], snapshot: false))]),
  RuleExample(
    rule: "D10.misplaced",
    bad: [
      Step(2, SceneOpened(scene: "left", document: "a", version: 1)),
      Step(2, SceneStateSaved(scene: "a", bytes: 4)),
    ],
    good: [
      Step(2, SceneOpened(scene: "left", document: "a", version: 1)),
      Step(2, SceneStateSaved(scene: "left", bytes: 4)),
    ]),
  RuleExample(
    rule: "D10.misplaced",
    bad: [
      Step(2, SceneOpened(scene: "left")), Step(2, SceneOpened(scene: "right")),
      Step(2, SceneStateSaved(scene: "right", bytes: 4), task: "left"),
    ],
    good: [
      Step(2, SceneOpened(scene: "left")), Step(2, SceneOpened(scene: "right")),
      Step(2, SceneStateSaved(scene: "right", bytes: 4), task: "right"),
      Step(2, SceneStateSaved(scene: "right", bytes: 4), task: "autosave"),
    ]),
  RuleExample(
    rule: "D11.told-failed",
    bad: [
      Step(1, begun("c1", 0)), Step(1, CancelRequested(document: "a", change: "c1")),
      Step(1, ended("c1", 0, .refused, version: 0)),
      Step(1, InDoubtResolved(change: "c1", committed: true, version: 1)),
    ],
    good: [
      Step(1, begun("c1", 0)), Step(1, CancelRequested(document: "a", change: "c1")),
      Step(1, ended("c1", 0, .inDoubt)),
      Step(1, InDoubtResolved(change: "c1", committed: true, version: 1)),
    ]),
  RuleExample(
    rule: "D11.no-outcome",
    bad: [
      Step(1, begun("c1", 0)), Step(1, CancelRequested(document: "a", change: "c1")),
      Step(1, begun("c2", 0, of: "b")), Step(1, ended("c2", 0, of: "b")),
    ],
    good: [
      Step(1, begun("c1", 0)), Step(1, CancelRequested(document: "a", change: "c1")),
      Step(1, begun("c2", 0, of: "b")), Step(1, ended("c2", 0, of: "b")), Step(1, ended("c1", 0)),
    ], isFragile: true),
  RuleExample(
    rule: "D12.wrote",
    bad: [Step(1, SchemaFound(component: "documents", expected: 1, found: 2, wrote: true))],
    good: [
      Step(1, SchemaFound(component: "documents", expected: 1, found: 2, wrote: false)),
      Step(1, SchemaFound(component: "documents", expected: 2, found: 1, wrote: true)),
    ]),
  RuleExample(
    rule: "D13.over",
    bad: [Step(1, BoundReached(what: "WAL", size: 11, bound: 10, refused: false))],
    good: [
      Step(1, BoundReached(what: "WAL", size: 11, bound: 10, refused: true, inTheWay: "reader 4")),
      Step(1, BoundReached(what: "WAL", size: 10, bound: 10, refused: false)),
    ]),
  RuleExample(
    rule: "D13.unnamed",
    bad: [Step(1, BoundReached(what: "WAL", size: 11, bound: 10, refused: true))],
    good: [Step(1, BoundReached(what: "WAL", size: 11, bound: 10, refused: true, inTheWay: "reader 4"))]),
]

let groupExamples: [RuleExample] = [
  RuleExample(
    rule: "G2.suspended",
    bad: [
      Step(1, LockTaken(lock: "commit.lock", purpose: "commit", waited: 0)), Step(1, ProcessSuspending()),
      Step(1, ProcessResumed(), after: 9),
      Step(1, LockReleased(lock: "commit.lock", purpose: "commit", held: 10_000_000)),
    ],
    // Told to suspend, it gave the lock back in time.
    good: [
      Step(1, LockTaken(lock: "commit.lock", purpose: "commit", waited: 0)), Step(1, ProcessSuspending()),
      Step(1, LockReleased(lock: "commit.lock", purpose: "commit", held: 1_000_000)),
      Step(1, ProcessResumed(), after: 9),
    ], isFragile: true),
  RuleExample(
    rule: "G2.suspended",
    bad: [
      Step(1, ProcessSuspending()), Step(1, LockTaken(lock: "commit.lock", purpose: "commit", waited: 0)),
    ],
    good: [
      Step(1, ProcessSuspending()), Step(1, ProcessResumed()),
      Step(1, LockTaken(lock: "commit.lock", purpose: "commit", waited: 0)),
    ], isFragile: true),
  RuleExample(
    rule: "G2.held-long",
    bad: [
      Step(1, LockTaken(lock: "commit.lock", purpose: "import", waited: 0)),
      Step(1, LockReleased(lock: "commit.lock", purpose: "import", held: 2_000_000_000), after: 2_000),
    ],
    good: [
      Step(1, LockTaken(lock: "commit.lock", purpose: "import", waited: 0)),
      Step(1, LockReleased(lock: "commit.lock", purpose: "import", held: 900_000_000), after: 900),
    ]),
  RuleExample(
    rule: "G2.kept",
    bad: [
      Step(1, LockTaken(lock: "commit.lock", purpose: "commit", waited: 0)),
      Step(1, SceneForeground(scene: "left"), after: 3_000),
    ],
    // It was killed with the lock held, which frees it; another recorded on.
    good: [
      Step(1, LockTaken(lock: "commit.lock", purpose: "commit", waited: 0)),
      Step(2, LockTaken(lock: "commit.lock", purpose: "commit", waited: 0), after: 3_000),
      Step(2, LockReleased(lock: "commit.lock", purpose: "commit", held: 1)),
      Step(2, SceneForeground(scene: "left"), after: 3_000),
    ], isFragile: true),
  RuleExample(
    rule: "G3.in-place",
    bad: [Step(1, FileWritten(file: "s.plist", bytes: 4))],
    good: [
      Step(
        1,
        FileReplaced(
          file: "s.plist", operation: .replace, bytes: 4, verified: true, synced: true, locked: false))
    ]),
  RuleExample(
    rule: "G3.unsafe",
    bad: [
      Step(
        1,
        FileReplaced(file: "l.txt", operation: .append, bytes: 4, verified: true, synced: true, locked: false)
      )
    ],
    good: [
      Step(
        1,
        FileReplaced(file: "l.txt", operation: .append, bytes: 4, verified: true, synced: true, locked: true))
    ]),
  RuleExample(
    rule: "G5.unseen",
    bad: [
      Step(2, SignalSeen(signal: "bell", sequence: 3, by: .bell)), committed(1, 4), rung(1, 4),
      Step(2, SceneForeground(scene: "left"), after: 6_000),
    ],
    good: [
      Step(2, SignalSeen(signal: "bell", sequence: 3, by: .bell)), committed(1, 4), rung(1, 4),
      Step(2, SignalSeen(signal: "bell", sequence: 4, by: .poll), after: 4_000),
      Step(2, SceneForeground(scene: "left"), after: 6_000),
    ], isFragile: true),
  RuleExample(
    rule: "G5.unseen",
    bad: [
      Step(2, SignalSeen(signal: "bell", sequence: 3, by: .bell)), committed(1, 4), rung(1, 4),
      Step(2, SignalSeen(signal: "bell", sequence: 4, by: .poll), after: 9_000),
    ],
    // Suspended processes see nothing, and need not.
    good: [
      Step(2, SignalSeen(signal: "bell", sequence: 3, by: .bell)), Step(2, ProcessSuspending()),
      committed(1, 4), rung(1, 4), Step(2, ProcessResumed(), after: 9_000),
      Step(2, SignalSeen(signal: "bell", sequence: 4, by: .poll)),
    ], isFragile: true),
  RuleExample(
    rule: "G5.unrung",
    bad: [committed(1, 4), Step(1, SceneForeground(scene: "left"), after: 6_000)],
    // One bell for two commits: signals coalesce.
    good: [
      committed(1, 4), committed(1, 5), rung(1, 5), Step(1, SceneForeground(scene: "left"), after: 6_000),
    ], isFragile: true),
  RuleExample(
    rule: "G6.unattributed",
    bad: [
      Step(1, DatabaseCommitted(first: 4, last: 4, edits: 1, writer: "", appVersion: "1")), rung(1, 4),
    ],
    good: [
      Step(1, DatabaseCommitted(first: 4, last: 4, edits: 1, writer: "notebook", appVersion: "1")),
      rung(1, 4),
    ]),
]

private func committed(_ process: Int32, _ sequence: Int64) -> Step {
  Step(
    process,
    DatabaseCommitted(first: sequence, last: sequence, edits: 1, writer: "notebook", appVersion: "1.2"))
}

private func rung(_ process: Int32, _ sequence: Int64) -> Step {
  Step(process, SignalRung(signal: "bell", sequence: sequence))
}
