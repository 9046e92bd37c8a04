import Tenure

extension Scenario {
  /// D3: two scenes edit what they both opened.
  static let twoScenesOneNote = Scenario(
    law: .d3, name: "two scenes, one note",
    moment: "Two scenes open version 1 of a note. Each adds a line and saves, one after the other.",
    rule: "D3.overwrite",
    customary: Side("The last to save writes its text over the file.") { stage in
      let trace = try stage.trace()
      let folder = stage.folder
      try folder.write("plan.md", "Day 1\n")
      for (index, scene) in ["left", "right"].enumerated() {
        // Both texts were made from what was read when the scenes opened.
        let text = "Day 1\nby the \(scene) scene\n"
        let change = ChangeID()
        trace.begun("plan.md", change, base: 1, text, scene: scene)
        try folder.write("plan.md", text)
        trace.ended(
          "plan.md", change, version: Int64(index) + 2, base: 1, text, sequence: Int64(index) + 2,
          scene: scene)
      }
      let text = folder.text("plan.md") ?? ""
      return text.contains("left")
        ? .held("both lines are there") : .broken("the left scene's line is gone, and nobody was told")
    },
    tenure: Side("Each commit names the version it was made on; the second gets a conflict.") { stage in
      let workspace = try await stage.workspace()
      let documents = workspace.documents
      try await documents.begin("plan.md", "Day 1\n")
      var answers: [CommitResult] = []
      for scene in ["left", "right"] {
        answers.append(
          try await documents.commit(Edit("plan.md", on: 1, "Day 1\nby the \(scene) scene\n"), scene: scene))
      }
      let note = try await documents.note("plan.md")
      await workspace.close()
      guard case .conflict(let current) = answers[1], note.text.contains("left") else {
        return .broken("the left scene's line is gone")
      }
      return .held("the right scene was told that version \(current?.version ?? 0) came in between")
    })
}
