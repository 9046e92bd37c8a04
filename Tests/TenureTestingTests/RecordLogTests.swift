import Tenure
import TenureSystem
import TenureTesting
import Testing

@Suite("RecordLog")
struct RecordLogTests {
  static let exchanges: [(OperationRequest, OperationAnswer)] = [
    (.edit("one", on: 0), .committed(version: 1)),
    (.edit("two", on: 1), .alreadyCommitted(version: 1, current: 3)),
    (.edit("three", on: 2), .conflict(current: 3)),
    (.edit("four", on: 2), .inDoubt),
    (.edit("five", on: 2), .refused("disk full,\n\twith a break".replacing("\n\t", with: " "))),
    (.read("Trips/Iceland 2026.md"), .body(version: 0, claimed: "", found: "")),
    (.read("a"), .damaged("half a file")),
    (.readVersion("a", version: 3), .gone),
    (.readVersion("a", version: 4), .body(version: 4, claimed: "x", found: "x")),
    (.acknowledge(consumer: "index", through: 3), .done),
    (.purge(keeping: 20), .done),
    (.observe("a", observer: "o"), .observed(version: 4)),
    (.history(consumer: "index", after: 3), .changes([], through: 3)),
    (
      .history(consumer: "index", after: 3),
      .changes([HistoryItem(sequence: 4, document: "a", version: 2)], through: 4)
    ),
    (.history(consumer: "index", after: 3), .snapshot(through: 9)),
    (.draft("d", on: 1), .done),
    (.discard(scene: "left", "a"), .done),
    (.recover, .drafts([.draft("d", on: 1, .movedOn), .draft("e", on: 0, .alreadyCommitted)])),
    (.recover, .drafts([.draft("d", on: 1, .damaged)])),
    (.draft("d", on: 1), .taken),
    (.flush, .flushed()),
    (.flush, .flushed(saved: ["d"], unsaved: ["e", "f"], inDoubt: ["g"])),
    (.count(file: "count"), .counted(7)),
    (.append(file: "log", token: "a-1"), .done),
    (.probe(lock: "commit.lock"), .lock(isFree: false)),
  ]

  @Test("everything asked and told comes back from its lines")
  func roundTrip() {
    let lines = Monitor<[String]>([])
    let clock = ManualClock(monotonic: 10)
    let log = RecordLog(after: 40, clock: clock) { line in lines.withLock { $0.append(line) } }
    for (request, answer) in Self.exchanges { log.note(request, answer) }
    var reader = RecordReader(client: "a")
    for line in lines.withLock({ $0 }) {
      let isTaken = reader.take(line)
      #expect(isTaken, "\(line)")
    }
    #expect(reader.records.map(\.request) == Self.exchanges.map(\.0))
    #expect(reader.records.map(\.answer) == Self.exchanges.map(\.1))
    #expect(reader.records.allSatisfy { $0.begun == 10 && $0.ended == 10 })
    #expect(reader.last == 40 + Self.exchanges.count)
  }

  @Test("commits that were never answered are known, until they are answered under the same change")
  func unanswered() {
    var reader = RecordReader(client: "a")
    let log = Monitor<[String]>([])
    let first = RecordLog { line in log.change { $0.append(line) } }
    _ = first.ask(.edit("one", on: 0))
    first.tell(first.ask(.edit("two", on: 0)), .inDoubt)
    first.tell(first.ask(.edit("three", on: 0)), .conflict(current: 1))
    for line in log.withLock({ $0 }) { _ = reader.take(line) }
    #expect(reader.unanswered.map(\.request) == [.edit("one", on: 0), .edit("two", on: 0)])
    let second = RecordLog(after: reader.last) { line in log.change { $0 = [line] } }
    let number = second.ask(.edit("one", on: 0))
    log.withLock { _ = reader.take($0[0]) }
    #expect(reader.unanswered.count == 2)
    second.tell(number, .committed(version: 1))
    log.withLock { _ = reader.take($0[0]) }
    #expect(reader.unanswered.map(\.request) == [.edit("two", on: 0)])
  }

  @Test(
    "other lines, and lines that lack a field, are not taken",
    arguments: [
      "done", "asked\t1", "asked\t1\t2\tread", "told\t1\t2\tdone", "asked\t1\t2\tread\ta\tb",
      "asked\t1\t2\tcommit\ta\tnot-hex\t1\td",
    ])
  func otherLines(_ line: String) {
    var reader = RecordReader(client: "a")
    let isTaken = reader.take(line)
    #expect(!isTaken)
    #expect(reader.records.isEmpty)
  }
}
