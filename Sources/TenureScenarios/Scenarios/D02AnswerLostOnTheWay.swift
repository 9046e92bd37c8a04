import Tenure
import TenureTesting

extension Scenario {
  private static let change = ChangeID(derivedFrom: ["ferry tickets"])
  private static let line = "ferry tickets 240\n"

  /// D2: an answer is lost, and the change is sent again.
  static let answerLostOnTheWay = Scenario(
    law: .d2, name: "answer lost on the way",
    moment: """
      An expense is added, and the process is killed before the answer reaches the screen. Started again, it \
      sends the same change once more.
      """,
    rule: "D2.twice",
    customary: Side(
      "Adds the line whenever it is asked to.",
      acts: [
        "add": { actor in
          let trace = try actor.trace()
          let version = actor.folder.number("expenses.version")
          trace.begun("expenses.md", change, base: version, line)
          let text = (actor.folder.text("expenses.md") ?? "") + line
          try actor.folder.write("expenses.md", text)
          try actor.folder.write("expenses.version", "\(version + 1)")
          trace.ended(
            "expenses.md", change, version: version + 1, base: version, text, sequence: version + 1)
        }
      ]
    ) { stage in
      try await stage.kill("add", at: .event("save.ended"))
      _ = try await stage.play("add")
      return verdict(stage.folder.text("expenses.md") ?? "")
    },
    tenure: Side(
      "Looks the change ID up in the transaction that would write it.",
      acts: [
        "add": { actor in
          let documents = try await actor.workspace().documents
          // The edit as it was made, kept across the restart with its ID.
          _ = try await documents.commit(Edit("expenses.md", on: 0, line, change))
        }
      ]
    ) { stage in
      try await stage.kill("add", at: .event("save.ended"))
      _ = try await stage.play("add")
      let workspace = try await stage.workspace()
      let note = try await workspace.documents.note("expenses.md")
      await workspace.close()
      return verdict(note.text)
    })

  private static func verdict(_ text: String) -> Verdict {
    let count = text.split(separator: "\n").count
    return count == 1 ? .held("the tickets are paid once") : .broken("the tickets are paid \(count) times")
  }
}
