import Tenure
import TenureSystem
import TenureTesting
import TenureTrace

extension Scenario {
  private static let notes = ["a.md", "b.md", "c.md"]

  /// D7: the app goes to the background and has two seconds.
  static let flushPastTheDeadline = Scenario(
    law: .d7, name: "flush past the deadline",
    moment: """
      Notebook goes to the background with three notes to save and two seconds to do it. Another process holds \
      the disk up.
      """,
    rule: "D7.late",
    customary: Side("Saves one note after the other until all are saved.") { stage in
      let clock = ManualClock()
      let trace = try stage.trace(clock: clock)
      let deadline = clock.monotonic + 2_000_000_000
      let changes = notes.map { ChangeID(derivedFrom: [$0]) }
      trace.record(FlushBegun(deadline: deadline, items: changes.map(\.description)))
      for (note, change) in zip(notes, changes) {
        trace.begun(note, change, base: 0, note)
        clock.advance(by: .seconds(1))
        try stage.folder.write(note, note)
        trace.ended(note, change, version: 1, base: 0, note, sequence: 1)
      }
      trace.record(
        FlushEnded(deadline: deadline, saved: changes.map(\.description), unsaved: [], inDoubt: []))
      guard clock.monotonic > deadline else { return .held("it answered in time") }
      let late = (clock.monotonic - deadline) / 1_000_000
      return .broken("it answered \(late) ms after the deadline, when the system had long ended it")
    },
    tenure: Side("Answers at the deadline what is saved, unsaved and in doubt, and begins nothing more.") {
      stage in
      let clock = ManualClock()
      let begun = Gate()
      let process = ProcessIdentity.current(role: "app", appVersion: "2.1")
      let system = System(calls: PlatformCalls(), clock: clock)
      let file = try TraceFile.open(in: stage.path.appendingPath("traces"), as: process, system: system)
      let waiting = CountDown(notes.count) { begun.open() }
      let workspace = try await Workspace.open(
        at: stage.path, role: "app", appVersion: "2.1", options: .small,
        system: system,
        trace: .to(TraceTee(file, GateSink(kind: SaveBegun.kind) { waiting.step() })))
      let documents = workspace.documents
      let hold = try await LockHold.take(workspace.container.commitLockPath)
      let saves = notes.map { note in
        Task {
          try await documents.commit(Edit(DocumentID(note), on: 0, note, ChangeID(derivedFrom: [note])))
        }
      }
      await begun.pass()
      let deadline = clock.monotonic + 2_000_000_000
      let flush = Task { await documents.flush(until: deadline) }
      await clock.sleepers(1)
      clock.advance(by: .seconds(2))
      let report = await flush.value
      hold.end()
      for save in saves { _ = await save.result }
      let kept = try await documents.list().items.map(\.document.rawValue)
      await workspace.close()
      let unsaved = Set(report.unsaved.map(\.document.rawValue))
      guard report.saved.isEmpty, unsaved.count + report.inDoubt.count == notes.count,
        unsaved.isDisjoint(with: kept)
      else { return .broken("the flush said one thing and did another") }
      return .held(
        "it answered at the deadline: \(unsaved.count) unsaved, \(report.inDoubt.count) in doubt, nothing begun after"
      )
    })
}

/// Calls a body when it has been stepped so many times.
private final class CountDown: Sendable {
  private let left: Lock<Int>
  private let body: @Sendable () -> Void

  init(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    left = Lock(count)
    self.body = body
  }

  func step() {
    let isOver = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isOver { body() }
  }
}
