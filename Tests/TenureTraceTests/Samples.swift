import TenureTrace

/// One event of every kind, with every field filled.
let samples: [any TraceEvent] = [
  ProcessStarted(format: 1, boot: "b1", appVersion: "1.2", segment: 3),
  ProcessSuspending(),
  ProcessResumed(),
  TraceDropped(count: 3, reason: "write: No space left on device"),
  TraceRemoved(files: ["a.jsonl", "b.jsonl"], bytes: 8192),
  SaveBegun(
    document: "n/ä.md", version: 8, change: "00ff", base: 7, purpose: .commit, bytes: 12, scene: "left"),
  SaveEnded(
    document: "n/ä.md", version: 8, change: "00ff", base: 7, purpose: .commit, bytes: 12,
    outcome: .committed, temporaryVerified: true, sequence: 44, digest: "abcd", scene: "left"),
  SaveConflict(document: "a", change: "00ff", expected: 7, current: 9, scene: "left"),
  SaveInDoubt(document: "a", change: "00ff", reason: "fdatasync: \"EIO\"\n"),
  InDoubtResolved(change: "00ff", committed: true, version: 8),
  CancelRequested(document: "a", change: "00ff"),
  BodyWritten(document: "a", change: "00ff", file: "f1", bytes: 1 << 40, verified: true),
  DocumentRead(document: "a", version: 8, digest: "abcd"),
  DocumentObserved(document: "a", version: 8, observer: "left"),
  DraftRecovered(
    document: "a", change: "00ff", base: 7, current: 8, standing: .alreadyCommitted, scene: "left"),
  DraftDiscarded(document: "a", change: "00ff", scene: "left"),
  FlushBegun(deadline: .max, items: ["1", "2"]),
  FlushEnded(deadline: 12, saved: ["1"], unsaved: [], inDoubt: ["2"]),
  MergeTried(document: "a", rule: "lines", base: 7, mine: "00ff", theirs: 8, merged: true),
  HistoryRead(consumer: "index", after: 3, through: 5, changes: [4, 5], snapshot: false),
  HistoryPurged(through: 3, slowest: "index"),
  SceneStateSaved(scene: "left", bytes: 9),
  SchemaFound(component: "documents", expected: 1, found: 2, wrote: false),
  BoundReached(what: "WAL", size: 9, bound: 8, refused: true, inTheWay: "reader 4"),
  SceneOpened(scene: "left", document: "a", version: 7),
  SceneForeground(scene: "left"),
  SceneBackground(scene: "left"),
  SceneClosed(scene: "left"),
  LockWanted(lock: "commit.lock", purpose: "commit"),
  LockTaken(lock: "commit.lock", purpose: "commit", waited: 1),
  LockReleased(lock: "commit.lock", purpose: "commit", held: 2),
  LockAbandoned(lock: "commit.lock", purpose: "commit", waited: 1, holder: "service 4"),
  LeaseTaken(lease: "l1", holder: "service 4"),
  LeaseReaped(lease: "l1", holder: "service 4"),
  FileReplaced(file: "s.plist", operation: .append, bytes: 4, verified: true, synced: true, locked: true),
  FileWritten(file: "s.plist", bytes: 4),
  SignalRung(signal: "bell", sequence: 44),
  SignalSeen(signal: "bell", sequence: 44, by: .lockClosed),
  SignalWatchEnded(signal: "bell"),
  DatabaseCommitted(first: 43, last: 44, edits: 2, writer: "Notebook", appVersion: "1.2"),
  CheckpointDone(pages: 1000, left: 0, restarted: true),
]

/// Numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
