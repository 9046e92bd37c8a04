import Tenure
import TenureSystem
import TenureTesting
import TenureTrace

extension Scenario {
  private static let text = "gate 12"

  /// G5: a writer dies between its commit and telling others of it.
  static let killedBeforeTheBell = Scenario(
    law: .g5, name: "killed before the bell",
    moment:
      "The service saves a note that a scene shows. It is killed after the save, before it tells anybody.",
    rule: "G5.unseen",
    customary: Side(
      "Posts a notification after each save; the scene reads when one comes.",
      acts: [
        "save": { actor in
          let trace = try actor.trace(role: "service")
          try actor.folder.write("flight.md", text)
          trace.record(
            DatabaseCommitted(first: 1, last: 1, edits: 1, writer: "service", appVersion: "2.1"))
          try actor.folder.write("notification", "1")
          trace.record(SignalRung(signal: "notification", sequence: 1))
        }
      ]
    ) { stage in
      // The scene's clock is moved on, so that nobody has to wait for nothing to happen.
      let clock = ShiftedClock()
      let trace = try stage.trace(role: "scene", clock: clock)
      trace.record(SignalSeen(signal: "notification", sequence: 0, by: .bell))
      try await stage.kill("save", at: .event("database.committed"))
      clock.move(by: .seconds(60))
      let isTold = stage.folder.text("notification") != nil
      trace.record(SceneForeground(scene: "left"))
      return isTold
        ? .held("the scene shows \(text)") : .broken("a minute later the scene still shows the old note")
    },
    tenure: Side(
      "Rings after each commit, and hears the lock file being closed by whoever dies before that.",
      acts: [
        "save": { actor in
          let documents = try await actor.workspace(role: "service").documents
          _ = try await documents.commit(Edit("flight.md", on: 0, text))
        }
      ]
    ) { stage in
      let workspace = try await stage.workspace(role: "scene")
      let (versions, told) = AsyncStream.makeStream(of: Int64.self)
      let (first, subscription) = try await workspace.documents.observe("flight.md") { @Sendable in
        told.yield($0.version)
      }
      try await stage.kill("save", at: .event("database.committed"))
      var seen = first.version
      for await version in versions {
        seen = version
        break
      }
      subscription.cancel()
      let note = try await workspace.documents.note("flight.md")
      await workspace.close()
      return seen == 1 && note.text == text
        ? .held("the scene shows \(note.text)") : .broken("the scene still shows version \(seen)")
    })
}

/// The machine's clock, moved on by a test.
private final class ShiftedClock: SystemClock {
  private let shift = Lock<UInt64>(0)

  func move(by duration: Duration) { shift.withLock { $0 += duration.nanoseconds } }

  var monotonic: UInt64 { LiveClock().monotonic + shift.withLock { $0 } }
  var wall: Int64 { LiveClock().wall + Int64(shift.withLock { $0 }) }
  func sleep(until deadline: UInt64) async throws {
    try await LiveClock().sleep(until: deadline - shift.withLock { $0 })
  }
}
