import Tenure
import TenureTesting

extension Scenario {
  private static let first = String(repeating: "sketch one ", count: 300)
  private static let second = String(repeating: "sketch two ", count: 300)

  /// D5: the body is replaced, and the version that names it is not written any more.
  static let killedBetweenBodyAndVersion = Scenario(
    law: .d5, name: "killed between body and version",
    moment: "A new version of a large sketch is saved. The process is killed when the body has been written.",
    rule: "D5.read",
    customary: Side(
      "Writes the body under the document's name, then the version into an index.",
      acts: [
        "save": { actor in
          let trace = try actor.trace()
          let version = actor.folder.number("sketch.version")
          let text = version == 0 ? first : second
          let change = ChangeID()
          trace.begun("sketch.png", change, base: version, text)
          try actor.folder.write("sketch.png", text)
          trace.record(
            BodyWritten(
              document: "sketch.png", change: change.description, file: "sketch.png",
              bytes: Int64(text.utf8.count), verified: false))
          try actor.folder.write("sketch.version", "\(version + 1)")
          trace.ended("sketch.png", change, version: version + 1, base: version, text, sequence: version + 1)
        }
      ]
    ) { stage in
      _ = try await stage.play("save")
      try await stage.kill("save", at: .event("body.written"))
      let folder = stage.folder
      try stage.trace(role: "widget").record(
        DocumentRead(
          document: "sketch.png", version: folder.number("sketch.version"),
          digest: folder.digest("sketch.png"))
      )
      return folder.text("sketch.png") == first
        ? .held("version 1 is the first sketch") : .broken("version 1 shows the second sketch")
    },
    tenure: Side(
      "Writes the body to a file of its own, verified and synced, which only the version's row names.",
      acts: [
        "save": { actor in
          let documents = try await actor.workspace().documents
          let version = try await documents.note("sketch.png").version
          _ = try await documents.commit(Edit("sketch.png", on: version, version == 0 ? first : second))
        }
      ]
    ) { stage in
      _ = try await stage.play("save")
      try await stage.kill("save", at: .event("body.written"))
      let workspace = try await stage.workspace(role: "widget")
      let note = try await workspace.documents.note("sketch.png")
      await workspace.close()
      return note.version == 1 && note.text == first
        ? .held("version 1 is the first sketch") : .broken("version \(note.version) shows the wrong sketch")
    })
}
