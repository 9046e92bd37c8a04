import Tenure
import TenureTesting

extension Scenario {
  private static let change = ChangeID(derivedFrom: ["packing list"])
  private static let text = "tent, stove, maps"

  /// D1: "saved" is said, and the saving comes later.
  static let killedBeforeTheTimer = Scenario(
    law: .d1, name: "killed before the timer",
    moment: "A scene saves a note and is told that it is saved. The next instant the process is killed.",
    rule: "D1.lost",
    customary: Side(
      "Answers at once and writes the file when a debounce timer fires.",
      acts: [
        "save": { actor in
          let trace = try actor.trace()
          trace.begun("packing.md", change, base: 0, text)
          let timer = Task {
            try await actor.system.clock.sleep(for: .milliseconds(500))
            try actor.folder.write("packing.md", text)
          }
          trace.ended("packing.md", change, version: 1, base: 0, text)
          try await timer.value
        },
        "open": { actor in
          let found = actor.folder.text("packing.md")
          try actor.trace().record(
            InDoubtResolved(
              change: change.description, committed: found == text, version: found.map { _ in 1 }))
          actor.report(found ?? "nothing")
        },
      ]
    ) { stage in
      try await stage.kill("save", at: .event("save.ended"))
      let found = try await stage.play("open").lines.first ?? ""
      return found == text
        ? .held("the note says: \(found)") : .broken("the note that was saved holds \(found)")
    },
    tenure: Side(
      "Answers when COMMIT has been synced.",
      acts: [
        "save": { actor in
          let workspace = try await actor.workspace()
          _ = try await workspace.documents.commit(Edit("packing.md", on: 0, text, change))
        },
        "open": { actor in
          let documents = try await actor.workspace().documents
          let outcome = try await documents.outcome(of: change)
          let note = try await documents.note("packing.md")
          if case .committed = outcome { actor.report(note.text) } else { actor.report("nothing") }
        },
      ]
    ) { stage in
      try await stage.kill("save", at: .event("save.ended"))
      let found = try await stage.play("open").lines.first ?? ""
      return found == text
        ? .held("the note says: \(found)") : .broken("the note that was saved holds \(found)")
    })
}
