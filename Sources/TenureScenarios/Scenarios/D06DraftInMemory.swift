import Tenure
import TenureTesting

extension Scenario {
  private static let change = ChangeID(derivedFrom: ["letter"])
  private static let draft = "Dear Ada, half of a long letter"

  /// D6: what was typed and not yet saved.
  static let draftInMemory = Scenario(
    law: .d6, name: "draft in memory",
    moment: "Half of a letter is typed and checkpointed. The process is killed and started again.",
    rule: "D6.draft-lost",
    customary: Side(
      "Keeps drafts in a dictionary until they are saved.",
      acts: [
        "type": { actor in
          let trace = try actor.trace()
          var drafts: [String: String] = [:]
          drafts["letter.md"] = draft
          trace.record(
            SaveEnded(
              document: "letter.md", version: 0, change: change.description, base: 0, purpose: .checkpoint,
              bytes: Int64(drafts["letter.md"]?.utf8.count ?? 0), outcome: .committed, scene: "left"))
        },
        "open": { actor in
          let trace = try actor.trace()
          let drafts: [String: String] = [:]
          // The screen comes up with what there is, and the user goes on with something else.
          let other = ChangeID()
          trace.begun("todo.md", other, base: 0, "call Ada", scene: "left")
          try actor.folder.write("todo.md", "call Ada")
          trace.ended("todo.md", other, version: 1, base: 0, "call Ada", sequence: 1, scene: "left")
          actor.report(drafts["letter.md"] ?? "nothing")
        },
      ]
    ) { try await play($0) },
    tenure: Side(
      "Keeps each checkpoint in the database and offers it again with recover().",
      acts: [
        "type": { actor in
          let documents = try await actor.workspace().documents
          try await documents.checkpoint(
            Draft(scene: "left", document: "letter.md", change: change, base: 0, body: Data(draft.utf8)))
        },
        "open": { actor in
          let documents = try await actor.workspace().documents
          let offered = try await documents.recover()
          _ = try await documents.commit(Edit("todo.md", on: 0, "call Ada"), scene: "left")
          let found = offered.first { $0.draft.document == "letter.md" && $0.standing == .current }
          actor.report(found.map { String(decoding: $0.draft.body, as: UTF8.self) } ?? "nothing")
        },
      ]
    ) { try await play($0) })

  private static func play(_ stage: Stage) async throws -> Verdict {
    try await stage.kill("type", at: .event("save.ended"))
    let offered = try await stage.play("open").lines.first ?? ""
    return offered == draft
      ? .held("the letter is offered again: \(offered)")
      : .broken("of the letter, \(offered) is offered again")
  }
}
