import Tenure

extension Scenario {
  /// D10: where the cursor is.
  static let selectionInTheNote = Scenario(
    law: .d10, name: "selection in the note",
    moment: "Two scenes show one note. The right one has line 40 selected; in the left one line 2 is chosen.",
    rule: "D10.misplaced",
    customary: Side("Keeps the selection with the note, under its name.") { stage in
      let trace = try stage.trace()
      for scene in ["right", "left"] {
        trace.record(SceneOpened(scene: scene, document: "plan.md", version: 1))
      }
      for (scene, line) in [("right", "40"), ("left", "2")] {
        try stage.folder.write("plan.md.selection", line)
        trace.task(scene).record(SceneStateSaved(scene: "plan.md", bytes: Int64(line.utf8.count)))
      }
      let right = stage.folder.text("plan.md.selection") ?? ""
      return right == "40"
        ? .held("the right scene is at line 40") : .broken("the right scene jumps to line \(right)")
    },
    tenure: Side("Keeps each scene's state under the scene, and no version is made of it.") { stage in
      let workspace = try await stage.workspace()
      let documents = workspace.documents
      try await documents.begin("plan.md", "one\ntwo\n")
      for scene in ["right", "left"] {
        workspace.trace.record(SceneOpened(scene: scene, document: "plan.md", version: 1))
      }
      for (scene, line) in [("right", "40"), ("left", "2")] {
        try await documents.saveState(Data(line.utf8), ofScene: scene)
      }
      let right =
        try await documents.state(ofScene: "right").map { String(decoding: $0, as: UTF8.self) } ?? ""
      let version = try await documents.note("plan.md").version
      await workspace.close()
      return right == "40" && version == 1
        ? .held("the right scene is at line 40, and the note is still at version 1")
        : .broken("the right scene jumps to line \(right)")
    })
}
