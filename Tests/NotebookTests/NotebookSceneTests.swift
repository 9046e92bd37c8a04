import Tenure
import TenureGroup
import TenureState
import Testing

@testable import Notebook

@Suite("A scene") struct NotebookSceneTests {
  func body(_ text: String) -> Data { Data(text.utf8) }

  @Test("D10: the selection is the scene's and comes back with it; another scene has its own")
  func selection() async throws {
    try await NotesFolder.with { folder in
      try folder.write("a", to: "a.md")
      try await folder.importAll()
      let left = try await NotebookScene.open("left", in: folder.workspace)
      try await left.select("a.md")
      let right = try await NotebookScene.open("right", in: folder.workspace)
      #expect(await right.selection == nil)
      await left.close()
      let again = try await NotebookScene.open("left", in: folder.workspace)
      #expect(await again.selection == "a.md")
      await again.close()
      await right.close()
    }
  }

  @Test("A scene belongs to one process at a time")
  func lease() async throws {
    try await NotesFolder.with { folder in
      let scene = try await NotebookScene.open("left", in: folder.workspace)
      await #expect(throws: GroupError.self) { try await NotebookScene.open("left", in: folder.workspace) }
      await scene.close()
      try await NotebookScene.open("left", in: folder.workspace).close()
    }
  }

  @Test("An edit is a draft, a save is a version, and nobody sees the draft before")
  func editAndSave() async throws {
    try await NotesFolder.with { folder in
      try folder.write("a", to: "a.md")
      try await folder.importAll()
      let scene = try await NotebookScene.open("left", in: folder.workspace)
      #expect(try await scene.save() == .nothingToSave)
      try await scene.select("a.md")
      try await scene.edit(body("b"))
      try await scene.keep()
      #expect(try await folder.text("a.md") == "a")
      #expect(try await scene.content().body == body("b"))
      guard case .saved(let revision) = try await scene.save() else {
        Issue.record("not saved")
        return
      }
      #expect(revision.version == 2)
      #expect(try await folder.text("a.md") == "b")
      #expect(try await folder.workspace.documents.drafts().isEmpty)
      #expect(await !scene.isEdited)
      await scene.close()
    }
  }

  @Test("D6: what a scene kept and did not save is offered to its next process, and can be saved from there")
  func recovery() async throws {
    try await NotesFolder.with { folder in
      try folder.write("a", to: "a.md")
      try await folder.importAll()
      let scene = try await NotebookScene.open("left", in: folder.workspace)
      try await scene.select("a.md")
      try await scene.edit(body("unsaved"))
      try await scene.keep()
      await scene.close()
      let again = try await NotebookScene.open("left", in: folder.workspace)
      #expect(again.recovered.map(\.standing) == [.current])
      #expect(try await again.content().body == body("unsaved"))
      guard case .saved(let revision) = try await again.save() else {
        Issue.record("not saved")
        return
      }
      #expect(revision.change == again.recovered.first?.draft.change)
      #expect(try await folder.text("a.md") == "unsaved")
      await again.close()
    }
  }

  @Test(
    "D3: a save on an old version is a conflict; the draft stays until it is settled",
    arguments: Settlement.allCases)
  func conflict(choice: Settlement) async throws {
    try await NotesFolder.with { folder in
      try folder.write("one\ntwo\nthree\n", to: "a.md")
      try await folder.importAll()
      let scene = try await NotebookScene.open("left", in: folder.workspace)
      try await scene.select("a.md")
      try await scene.edit(body("one\ntwo\nTHREE\n"))
      try await folder.commit("a.md", expecting: 1, "ONE\ntwo\nthree\n")
      guard case .conflict(let current) = try await scene.save() else {
        Issue.record("no conflict")
        return
      }
      #expect(current?.version == 2)
      #expect(try await folder.text("a.md") == "ONE\ntwo\nthree\n")
      #expect(try await folder.workspace.documents.drafts().count == 1)
      let result = try await scene.settle(choice)
      switch choice {
      case .theirs: #expect(result == .dropped(current: current))
      case .mine, .merge:
        guard case .saved(let revision) = result else {
          Issue.record("not saved")
          return
        }
        #expect(revision.version == 3)
      }
      let expected: [Settlement: String] = [
        .mine: "one\ntwo\nTHREE\n", .theirs: "ONE\ntwo\nthree\n", .merge: "ONE\ntwo\nTHREE\n",
      ]
      #expect(try await folder.text("a.md") == expected[choice])
      #expect(try await folder.workspace.documents.drafts().isEmpty)
      #expect(await !scene.isEdited)
      await scene.close()
    }
  }

  @Test("D8: what has no rule does not merge; the conflict and the draft stay")
  func noRule() async throws {
    try await NotesFolder.with { folder in
      try folder.write("one", to: "a.bin")
      try await folder.importAll()
      let scene = try await NotebookScene.open("left", in: folder.workspace)
      try await scene.select("a.bin")
      try await scene.edit(body("mine"))
      try await folder.commit("a.bin", expecting: 1, "theirs")
      _ = try await scene.save()
      guard case .noRule = try await scene.settle(.merge) else {
        Issue.record("merged without a rule")
        return
      }
      #expect(await scene.isEdited)
      #expect(try await folder.text("a.bin") == "theirs")
      await scene.close()
    }
  }

  @Test("Going back makes an earlier text the newest version and keeps what was between")
  func goBack() async throws {
    try await NotesFolder.with { folder in
      try folder.write("first", to: "a.md")
      try await folder.importAll()
      try await folder.commit("a.md", expecting: 1, "second")
      let scene = try await NotebookScene.open("left", in: folder.workspace)
      try await scene.select("a.md")
      guard case .saved(let revision) = try await scene.goBack(to: 1) else {
        Issue.record("did not go back")
        return
      }
      #expect(revision.version == 3)
      #expect(try await folder.text("a.md") == "first")
      #expect(try await folder.text("a.md", version: 2) == "second")
      await #expect(throws: DocumentError.self) { try await scene.goBack(to: 99) }
      await scene.close()
    }
  }

  @Test("Work on one document waits while another is selected")
  func twoDrafts() async throws {
    try await NotesFolder.with { folder in
      try folder.write("a", to: "a.md")
      try folder.write("b", to: "b.md")
      try await folder.importAll()
      let scene = try await NotebookScene.open("left", in: folder.workspace)
      try await scene.select("a.md")
      try await scene.edit(body("a edited"))
      try await scene.select("b.md")
      #expect(await !scene.isEdited)
      try await scene.select("a.md")
      #expect(try await scene.content().body == body("a edited"))
      try await scene.discard()
      #expect(try await folder.workspace.documents.drafts().isEmpty)
      await scene.close()
    }
  }

  @Test("Without a selection there is nothing to edit, and that is said")
  func nothingSelected() async throws {
    try await NotesFolder.with { folder in
      let scene = try await NotebookScene.open("left", in: folder.workspace)
      await #expect(throws: NotebookError.nothingSelected) { try await scene.edit(Data()) }
      await #expect(throws: NotebookError.nothingSelected) { try await scene.goBack(to: 1) }
      await scene.close()
    }
  }
}
