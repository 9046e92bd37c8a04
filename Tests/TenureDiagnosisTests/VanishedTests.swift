import TenureTrace
import Testing

@testable import TenureDiagnosis

private func ask(_ steps: [Step], document: String? = nil) -> VanishedReport {
  var inquiry = Complaint.vanished(document: document)
  for entry in entries(steps) { inquiry.take(.entry(entry)) }
  return inquiry.report()
}

@Suite("The complaint \"my note vanished\"")
struct VanishedTests {
  @Test(
    "tells where an unfinished save stopped",
    arguments: [
      (0, SaveStage.begun), (1, .bodyWritten), (2, .lockWanted), (3, .lockTaken), (4, .committed),
      (5, .inDoubt),
    ])
  func stages(events: Int, stage: SaveStage) throws {
    let course: [any TraceEvent] = [
      BodyWritten(document: "a", change: "c2", file: "f", bytes: 5, verified: true),
      LockWanted(lock: "commit.lock", purpose: "commit"),
      LockTaken(lock: "commit.lock", purpose: "commit", waited: 1),
      DatabaseCommitted(first: 2, last: 2, edits: 1, writer: "notebook", appVersion: "1"),
      SaveInDoubt(document: "a", change: "c2", reason: "EIO"),
    ]
    let report = ask(
      saved(1, "c1", 0) + [Step(2, begun("c2", 1))] + course.prefix(events).map { Step(2, $0) } + [
        Step(1, SceneForeground(scene: "x"), after: 900)
      ])
    let story = try #require(report.stories.first)
    #expect(story.lastSave?.event.version == 1)
    let save = try #require(story.unfinished.first)
    #expect(save.change == "c2" && save.base == 1 && save.scene == "left" && save.stage == stage)
    #expect(save.bodyVerified == (events == 0 ? nil : true))
    #expect(save.process == .silent(900_000_000))
  }

  @Test("shows scenes that overlapped, with the version they expected and the one they met")
  func overlap() throws {
    let steps =
      saved(2, "c1", 0) + [
        Step(3, begun("c2", 0)),
        Step(3, SaveConflict(document: "a", change: "c2", expected: 0, current: 1, scene: "right")),
        Step(3, ended("c2", 0, .conflict, version: 1)),
      ]
    let story = try #require(ask(steps).stories.first)
    #expect(story.unfinished.isEmpty)
    #expect(story.overlaps.map(\.expected) == [0] && story.overlaps.map(\.current) == [1])
    #expect(!story.overlaps[0].settled)
    #expect(ask(steps + [Step(3, ended("c2", 1))]).isClean)
  }

  @Test("shows an edit that was overwritten without a conflict")
  func overwritten() throws {
    let story = try #require(ask(saved(2, "c1", 0) + saved(3, "c2", 0)).stories.first)
    #expect(story.overwritten.map(\.event.change) == ["c1"])
  }

  @Test("shows a body file that was not verified")
  func unverified() throws {
    let steps = [Step(1, begun("c1", 0)), Step(1, ended("c1", 0, verified: false))]
    #expect(try #require(ask(steps).stories.first).text.contains("body file NOT verified"))
  }

  @Test("takes a save that another process finished for finished")
  func finishedByAnother() {
    let steps = [
      Step(2, begun("c1", 0)), Step(3, begun("c1", 0)), Step(3, ended("c1", 0, .alreadyCommitted)),
    ]
    #expect(ask(steps).isClean)
  }

  @Test("takes a save in doubt that was looked up for finished, and tells one that had not happened")
  func resolved() {
    let doubt = [
      Step(2, begun("c1", 0)), Step(2, SaveInDoubt(document: "a", change: "c1", reason: "EIO")),
      Step(2, ended("c1", 0, .inDoubt)),
    ]
    #expect(!ask(doubt).isClean)
    #expect(ask(doubt + [Step(3, InDoubtResolved(change: "c1", committed: true, version: 1))]).isClean)
    let lost = ask(doubt + [Step(3, InDoubtResolved(change: "c1", committed: false))])
    #expect(lost.stories.first?.unfinished.isEmpty == true)
    #expect(lost.stories.first?.others.map(\.kind) == ["save.resolved"])
  }

  @Test("names the process that had ended by its lease")
  func reaped() throws {
    let steps = [
      Step(2, begun("c1", 0)), Step(1, LeaseReaped(lease: "l", holder: "notebook 2 (scene)")),
    ]
    #expect(try #require(ask(steps).stories.first).unfinished.first?.process == .reaped)
  }

  @Test("answers of one document when asked, and says when nothing of it was recorded")
  func oneDocument() {
    let steps = saved(1, "c1", 0) + [Step(1, begun("c2", 0, of: "b"))]
    #expect(ask(steps).stories.map(\.document) == ["b"])
    #expect(ask(steps, document: "a").stories.map(\.document) == ["a"])
    #expect(ask(steps, document: "a").isClean)
    #expect(ask(steps, document: "z").notes == ["no save of z was recorded"])
  }

  @Test("reads in order of time")
  func text() throws {
    let steps =
      saved(1, "c1", 0) + [
        Step(2, begun("c2", 1)),
        Step(2, BodyWritten(document: "a", change: "c2", file: "f", bytes: 5, verified: true)),
        Step(1, begun("c3", 0)),
        Step(1, SaveConflict(document: "a", change: "c3", expected: 0, current: 1, scene: "left")),
        Step(1, ended("c3", 0, .conflict, version: 1)), Step(1, SceneClosed(scene: "left"), after: 3_000),
      ]
    let report = ask(steps)
    #expect(
      report.text == """
        a
          2025-11-30 22:04:06.002  last valid save: version 1 from 0, change c1, by notebook 1 (service), scene left [p1.jsonl:2]
          2025-11-30 22:04:06.003  commit of version 2 begun by notebook 2 (scene), scene left, change c2, stopped after its body was written: no version points at it; its temporary file was verified; the process recorded nothing more while others went on for 3003 ms [p2.jsonl:2]
          2025-11-30 22:04:06.006  conflict: notebook 1 (service), scene left expected version 0 and met 1, change c3, never settled: the edit is in its draft at most [p1.jsonl:4]

        8 events, 1 document saved; 1 with something to tell.

        """)
    #expect(report.json.contains("\"stage\": \"bodyWritten\""))
    #expect(report.json.contains("\"temporaryVerified\": true"))
  }

  @Test("writes times of day in UTC, also before 1970 and on leap days")
  func times() {
    #expect(WallTime.text(0) == "1970-01-01 00:00:00.000")
    #expect(WallTime.text(-1_000_000) == "1969-12-31 23:59:59.999")
    #expect(WallTime.text(1_709_210_096_789_000_000) == "2024-02-29 12:34:56.789")
    #expect(WallTime.text(.min) == "1677-09-21 00:12:43.145")
    #expect(WallTime.text(.max) == "2262-04-11 23:47:16.854")
  }
}
