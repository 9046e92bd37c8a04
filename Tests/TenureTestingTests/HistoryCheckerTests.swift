import Tenure
import TenureTesting
import Testing

@Suite("HistoryChecker accepts what an order explains")
struct ExplainedHistoryTests {
  @Test("edits, conflicts, reads and a resent change in turn")
  func plain() {
    var story = Story()
    story.ask("a", .edit("one", on: 0), .committed(version: 1))
    story.ask("b", .read("note.md"), .body(1, "one"))
    story.ask("b", .edit("two", on: 1), .committed(version: 2))
    story.ask("a", .edit("lost race", on: 1), .conflict(current: 2))
    story.ask("b", .edit("two", on: 1), .alreadyCommitted(version: 2, current: 2))
    let report = story.check(.chain("one", "two"))
    #expect(report.isExplained, "\(report)")
    #expect(report.acknowledged == 2)
    #expect(report.inDoubt == 0)
  }

  @Test("a commit whose client was killed may be there, or not", arguments: [true, false])
  func crashed(happened: Bool) {
    var story = Story()
    story.ask("a", .edit("one", on: 0), .committed(version: 1))
    story.ask("a", .edit("two", on: 1), nil)
    let report = story.check(happened ? .chain("one", "two") : .chain("one"))
    #expect(report.isExplained, "\(report)")
    #expect(report.inDoubt == 1)
  }

  @Test("a commit whose client was killed may be read as absent, and come back later (a ghost)")
  func ghost() {
    var story = Story()
    story.ask("a", .edit("one", on: 0), .committed(version: 1))
    story.ask("a", .edit("ghost", on: 1), nil)
    story.ask("b", .read("note.md"), .body(1, "one"))
    story.ask("c", .read("note.md"), .body(2, "ghost"))
    let report = story.check(.chain("one", "ghost"))
    #expect(report.isExplained, "\(report)")
  }

  @Test("a crashed commit that another overwrote before anybody saw it")
  func overwrittenGhost() {
    var story = Story()
    story.ask("a", .edit("ghost", on: 0), nil)
    story.ask("b", .edit("one", on: 0), .committed(version: 1))
    story.ask("a", .edit("ghost", on: 0), .conflict(current: 1))
    let report = story.check(.chain("one"))
    #expect(report.isExplained, "\(report)")
  }

  @Test("a read that overlaps a commit may see either version", arguments: [(1, "one"), (2, "two")])
  func overlap(seen: (version: Int, name: String)) {
    var story = Story()
    story.ask("a", .edit("one", on: 0), .committed(version: 1))
    story.ask("a", .edit("two", on: 1), .committed(version: 2))
    story.ask("b", .read("note.md"), .body(Int64(seen.version), seen.name))
    story.overlapping()
    let report = story.check(.chain("one", "two"))
    #expect(report.isExplained, "\(report)")
  }

  @Test("purged versions are gone: for readers, for late consumers, for changes sent again, and at the end")
  func purges() {
    var story = Story()
    story.threeVersions()
    story.ask("b", .history(consumer: "index", after: 0), .changes([.version(1), .version(2)], through: 2))
    story.ask("b", .acknowledge(consumer: "index", through: 2), nil)
    story.ask("a", .flush, .flushed(saved: ["one"]))
    story.ask("a", .purge(keeping: 1), nil)
    story.ask("b", .readVersion("note.md", version: 1), .gone)
    story.ask("b", .readVersion("note.md", version: 3), .body(3, "three"))
    story.ask("c", .history(consumer: "late", after: 0), .snapshot(through: 3))
    // The acknowledgement may have counted, although nobody was told.
    story.ask("b", .history(consumer: "index", after: 1), .snapshot(through: 3))
    story.ask("a", .edit("one", on: 0), .conflict(current: 3))
    let report = story.check(.purged(to: 3))
    #expect(report.isExplained, "\(report)")
  }

  @Test("what a flush called unsaved may come back when it was typed or kept again, or had been kept before")
  func unsavedAgain() {
    var story = Story()
    story.ask("a", .draft("d1", on: 0), .taken)
    story.ask("a", .flush, .flushed(unsaved: ["draft"]))
    story.ask("a", .draft("d1", on: 0), .taken)
    story.ask("a", .recover, .drafts([.draft("d1", on: 0)]))
    story.ask("a", .draft("d2", on: 0), .done)
    story.ask("a", .draft("d2", on: 0), .taken)
    story.ask("a", .flush, .flushed(unsaved: ["draft"]))
    story.ask("a", .recover, .drafts([.draft("d2", on: 0)]))
    let report = story.check(StoredOutcome(drafts: ["a": [.draft("d2", on: 0)]]))
    #expect(report.isExplained, "\(report)")
  }

  @Test("a killed client's draft comes back until it is committed or discarded")
  func drafts() {
    var story = Story()
    story.ask("a", .edit("one", on: 0), .committed(version: 1))
    story.ask("a", .draft("d1", on: 1), .done)
    story.ask("a", .draft("d2", on: 1), nil)
    story.ask("a", .recover, .drafts([.draft("d1", on: 1)]))
    story.ask("a", .draft("d3", on: 1), .done)
    story.ask("a", .recover, .drafts([.draft("d3", on: 1)]))
    story.ask("a", .discard(scene: "left", "note.md"), nil)
    story.ask("a", .recover, .drafts([]))
    let report = story.check(.chain("one"))
    #expect(report.isExplained, "\(report)")
  }

  @Test(
    "a flush that says what is so: saved, unsaved and sent again, in doubt, and taken but not yet durable")
  func flushes() {
    var story = Story()
    story.ask("a", .edit("one", on: 0), .committed(version: 1))
    story.ask("a", .draft("d1", on: 1), .taken)
    story.ask("a", .flush, .flushed(saved: ["draft", "one"]))
    story.ask("a", .draft("d2", on: 1), .taken)
    story.ask("a", .recover, .drafts([.draft("d1", on: 1)]))
    story.ask("a", .edit("two", on: 1), .refused("the flush's deadline has passed"))
    story.ask("a", .flush, .flushed(unsaved: ["two"]))
    story.ask("a", .edit("two", on: 1), .committed(version: 2))
    story.ask("a", .edit("three", on: 2), nil)
    story.ask("a", .flush, .flushed(inDoubt: ["three"]))
    let report = story.check(.chain("one", "two", "three"))
    #expect(report.isExplained, "\(report)")
  }

  @Test("a consumer that reads the same stretch again after a crash")
  func consumer() {
    var story = Story()
    story.ask("a", .edit("one", on: 0), .committed(version: 1))
    story.ask("a", .edit("two", on: 1), .committed(version: 2))
    let items = [1, 2].map { HistoryItem(sequence: $0, document: "note.md", version: $0) }
    story.ask("b", .history(consumer: "index", after: 0), .changes(items, through: 2))
    story.ask("b", .history(consumer: "index", after: 0), .changes(items, through: 2))
    story.ask("b", .history(consumer: "index", after: 2), .changes([], through: 2))
    let report = story.check(.chain("one", "two"))
    #expect(report.isExplained, "\(report)")
  }
}

/// A history that no order explains, and what the checker must call it.
struct BadHistory: Sendable, CustomTestStringConvertible {
  let fault: HistoryFault
  let testDescription: String
  let report: HistoryReport

  init(_ fault: HistoryFault, _ what: String, _ tell: (inout Story) -> StoredOutcome) {
    self.fault = fault
    testDescription = what
    var story = Story()
    let outcome = tell(&story)
    report = story.check(outcome)
  }
}

@Suite("HistoryChecker rejects what no order explains")
struct UnexplainedHistoryTests {
  static let histories: [BadHistory] = [
    BadHistory(.lost, "an acknowledged edit is not there") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .edit("two", on: 1), .committed(version: 2))
      return .chain("one")
    },
    BadHistory(.lost, "a version that was read is gone") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .edit("two", on: 1), nil)
      story.ask("b", .read("note.md"), .body(2, "two"))
      return .chain("one")
    },
    BadHistory(.lost, "two edits made on the same version were both accepted") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .edit("mine", on: 1), .committed(version: 2))
      story.ask("b", .edit("theirs", on: 1), .committed(version: 3))
      var outcome = StoredOutcome.chain("one", "mine", "theirs")
      outcome.versions[2].base = 1
      return outcome
    },
    BadHistory(.lost, "two counts came to the same number") { story in
      story.ask("a", .count(file: "count"), .counted(1))
      story.ask("b", .count(file: "count"), .counted(1))
      return StoredOutcome(counters: ["count": 1])
    },
    BadHistory(.lost, "an appended line is not there") { story in
      story.ask("a", .append(file: "log", token: "a1"), .done)
      return StoredOutcome(tokens: ["log": []])
    },
    BadHistory(.lost, "a change that a flush called saved is not there") { story in
      story.ask("a", .edit("one", on: 0), nil)
      story.ask("a", .flush, .flushed(saved: ["one"]))
      return StoredOutcome()
    },
    BadHistory(.wrongConflicts, "a change that a flush called unsaved comes to light behind it") { story in
      story.ask("a", .edit("one", on: 0), nil)
      story.ask("a", .flush, .flushed(unsaved: ["one"]))
      return .chain("one")
    },
    BadHistory(.draftsLost, "a draft that a flush called saved is not offered") { story in
      story.ask("a", .draft("d1", on: 0), .taken)
      story.ask("a", .flush, .flushed(saved: ["draft"]))
      story.ask("a", .recover, .drafts([]))
      return StoredOutcome()
    },
    BadHistory(.draftsLost, "an older draft is offered than a flush called saved") { story in
      story.ask("a", .draft("d1", on: 0), .done)
      story.ask("a", .draft("d2", on: 0), .taken)
      story.ask("a", .flush, .flushed(saved: ["draft"]))
      story.ask("a", .recover, .drafts([.draft("d1", on: 0)]))
      return StoredOutcome()
    },
    BadHistory(.torn, "drafts cannot be offered because one is damaged") { story in
      story.ask("a", .recover, .damaged("the draft's file is missing"))
      return StoredOutcome()
    },
    BadHistory(.torn, "what is left at the end cannot be read") { _ in
      StoredOutcome(damage: ["a draft of note.md"])
    },
    BadHistory(.duplicated, "a change sent again took effect again") { story in
      story.ask("a", .edit("one", on: 0), nil)
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      return .chain("one", "one")
    },
    BadHistory(.duplicated, "a version that nobody asked for") { _ in .chain("stray") },
    BadHistory(.backward, "a read begun after an acknowledgement sees the version before it") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .edit("two", on: 1), .committed(version: 2))
      story.ask("b", .read("note.md"), .body(1, "one"))
      return .chain("one", "two")
    },
    BadHistory(.backward, "a slow write of an older version is current at the end") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .edit("two", on: 1), .committed(version: 2))
      var outcome = StoredOutcome.chain("one", "two")
      outcome.current["note.md"] = 1
      return outcome
    },
    BadHistory(.backward, "an observer hears of an older version after a newer one") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .edit("two", on: 1), .committed(version: 2))
      story.ask("b", .observe("note.md", observer: "o"), .observed(version: 2))
      story.ask("b", .observe("note.md", observer: "o"), .observed(version: 1))
      return .chain("one", "two")
    },
    BadHistory(.torn, "bytes of another version under this version's number") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("b", .read("note.md"), .body(version: 1, claimed: "one", found: "half"))
      return .chain("one")
    },
    BadHistory(.torn, "the bytes that are kept are not the version's") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      var outcome = StoredOutcome.chain("one")
      outcome.versions[0].found = nil
      return outcome
    },
    BadHistory(.torn, "two appends ran into each other") { story in
      story.ask("a", .append(file: "log", token: "a1"), .done)
      story.ask("b", .append(file: "log", token: "b1"), nil)
      return StoredOutcome(tokens: ["log": ["a1", "b"]])
    },
    BadHistory(.wrongConflicts, "a conflict with the very version that was expected") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .edit("two", on: 1), .conflict(current: 1))
      return .chain("one")
    },
    BadHistory(.wrongConflicts, "a conflict that names a version older than one known") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .edit("two", on: 1), .committed(version: 2))
      story.ask("b", .edit("three", on: 0), .conflict(current: 1))
      return .chain("one", "two")
    },
    BadHistory(.wrongConflicts, "told of a conflict, and written all the same") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .edit("two", on: 1), .committed(version: 2))
      story.ask("b", .edit("three", on: 0), .conflict(current: 2))
      return .chain("one", "two", "three")
    },
    BadHistory(.wrongConflicts, "a change sent again meets the conflict that it made itself") { story in
      story.ask("a", .edit("one", on: 0), nil)
      story.ask("a", .edit("one", on: 0), .conflict(current: 1))
      return .chain("one")
    },
    BadHistory(.historyGaps, "a consumer is shown the later change and never the earlier") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .edit("two", on: 1), .committed(version: 2))
      story.ask(
        "b", .history(consumer: "index", after: 0),
        .changes([HistoryItem(sequence: 2, document: "note.md", version: 2)], through: 2))
      return .chain("one", "two")
    },
    BadHistory(.historyGaps, "a consumer goes on behind changes that it was never shown") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("b", .history(consumer: "index", after: 1), .changes([], through: 1))
      return .chain("one")
    },
    BadHistory(.historyGaps, "changes are shown out of order") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .edit("two", on: 1), .committed(version: 2))
      story.ask(
        "b", .history(consumer: "index", after: 0),
        .changes([2, 1].map { HistoryItem(sequence: $0, document: "note.md", version: $0) }, through: 2))
      return .chain("one", "two")
    },
    BadHistory(.historyGaps, "a purge took what a registered consumer had not acknowledged") { story in
      story.threeVersions()
      story.ask("b", .history(consumer: "index", after: 0), .changes([.version(1)], through: 1))
      story.ask("b", .acknowledge(consumer: "index", through: 1), .done)
      story.ask("a", .purge(keeping: 1), .done)
      story.ask("b", .history(consumer: "index", after: 1), .snapshot(through: 3))
      return .purged(to: 3)
    },
    BadHistory(.historyGaps, "a page leaves out a change that was purged later") { story in
      story.threeVersions()
      story.ask(
        "b", .history(consumer: "index", after: 0),
        .changes([.version(1), .version(2), .version(3)], through: 3))
      story.ask(
        "c", .history(consumer: "widget", after: 0), .changes([.version(1), .version(3)], through: 3))
      story.ask("a", .purge(keeping: 1), .done)
      return .purged(to: 3)
    },
    BadHistory(.lost, "the current version is said to be gone") { story in
      story.threeVersions()
      story.ask("a", .purge(keeping: 1), .done)
      story.ask("b", .readVersion("note.md", version: 3), .gone)
      return .purged(to: 3)
    },
    BadHistory(.lost, "a version is gone that every purge was to keep") { story in
      story.threeVersions()
      story.ask("a", .purge(keeping: 2), .done)
      story.ask("b", .readVersion("note.md", version: 2), .gone)
      return .purged(to: 2)
    },
    BadHistory(.lost, "a version that every purge was to keep is not there at the end") { story in
      story.threeVersions()
      story.ask("a", .purge(keeping: 2), .done)
      return .purged(to: 3)
    },
    BadHistory(.lost, "a version is gone and nobody has purged yet") { story in
      story.threeVersions()
      story.ask("b", .readVersion("note.md", version: 1), .gone)
      story.ask("a", .purge(keeping: 1), .done)
      return .purged(to: 3)
    },
    BadHistory(.torn, "an earlier version comes with other bytes") { story in
      story.threeVersions()
      story.ask("b", .readVersion("note.md", version: 2), .body(version: 2, claimed: "two", found: "three"))
      return .chain("one", "two", "three")
    },
    BadHistory(.torn, "a draft is offered damaged") { story in
      story.ask("a", .draft("d1", on: 0), .done)
      story.ask("a", .recover, .drafts([.draft("other bytes", on: 0, .damaged)]))
      return StoredOutcome()
    },
    BadHistory(.wrongConflicts, "a draft that a flush called unsaved is saved behind it") { story in
      story.ask("a", .draft("d1", on: 0), .taken)
      story.ask("a", .flush, .flushed(unsaved: ["draft"]))
      story.ask("a", .recover, .drafts([.draft("d1", on: 0)]))
      return StoredOutcome()
    },
    BadHistory(.wrongConflicts, "a draft that a flush called unsaved is there at the end") { story in
      story.ask("a", .draft("d1", on: 0), .done)
      story.ask("a", .draft("d2", on: 0), .taken)
      story.ask("a", .flush, .flushed(unsaved: ["draft"]))
      return StoredOutcome(drafts: ["a": [.draft("d2", on: 0)]])
    },
    BadHistory(.locksLeft, "a dead process's lock cannot be had") { story in
      story.ask("lab", .probe(lock: "commit.lock"), .lock(isFree: false))
      return StoredOutcome()
    },
    BadHistory(.draftsLost, "a checkpointed draft is not offered") { story in
      story.ask("a", .draft("d1", on: 0), .done)
      story.ask("a", .recover, .drafts([]))
      return StoredOutcome()
    },
    BadHistory(.draftsLost, "an older draft is offered than the last that was kept") { story in
      story.ask("a", .draft("d1", on: 0), .done)
      story.ask("a", .draft("d2", on: 0), .done)
      story.ask("a", .recover, .drafts([.draft("d1", on: 0)]))
      return StoredOutcome()
    },
    BadHistory(.draftsLost, "a draft said to be current is on an old version") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .draft("d1", on: 1), .done)
      story.ask("b", .edit("two", on: 1), .committed(version: 2))
      story.ask("a", .recover, .drafts([.draft("d1", on: 1, .current)]))
      return .chain("one", "two")
    },
    BadHistory(.draftsLost, "a refused commit took its draft away") { story in
      story.ask("a", .edit("one", on: 0), .committed(version: 1))
      story.ask("a", .draft("draft", on: 0), .done)
      story.ask("a", .edit("draft", on: 0), .conflict(current: 1))
      story.ask("a", .recover, .drafts([]))
      return .chain("one")
    },
  ]

  @Test("names the fault and no other", arguments: histories)
  func rejects(_ history: BadHistory) {
    #expect(Set(history.report.findings.map(\.fault)) == [history.fault], "\(history.report)")
    #expect(history.report.count(history.fault) >= 1)
    #expect(!history.report.isExplained)
  }

  @Test("every kind of fault has a history that shows it", arguments: HistoryFault.allCases)
  func covered(_ fault: HistoryFault) {
    #expect(Self.histories.contains { $0.fault == fault })
  }
}
