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
      try await scene.edit(body("b"), basedOn: 1)
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
      try await scene.edit(body("unsaved"), basedOn: 1)
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
      try await scene.edit(body("one\ntwo\nTHREE\n"), basedOn: 1)
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
      try await scene.edit(body("mine"), basedOn: 1)
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
      try await scene.edit(body("a edited"), basedOn: 1)
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
      await #expect(throws: NotebookError.nothingSelected) { try await scene.edit(Data(), basedOn: 0) }
      await #expect(throws: NotebookError.nothingSelected) { try await scene.goBack(to: 1) }
      await scene.close()
    }
  }

  @Test("D3: what another scene saves while a text is being edited is met as a conflict, not overwritten")
  func editedMeanwhile() async throws {
    try await NotesFolder.with { folder in
      let scene = try await NotebookScene.openOne("a", on: "a.md", in: folder)
      let shown = try await scene.contentToEdit()
      try await folder.commit("a.md", expecting: 1, "a, by another")
      try await scene.edit(shown.body + body(" and more"), basedOn: shown.base)
      guard case .conflict(let current) = try await scene.save() else {
        Issue.record("overwritten")
        return
      }
      #expect(current?.version == 2)
      #expect(try await folder.text("a.md") == "a, by another")
      await scene.close()
    }
  }

  @Test("A text shown before the draft's own version is refused, and the draft stays")
  func shownBefore() async throws {
    try await NotesFolder.with { folder in
      let scene = try await NotebookScene.openOne("a", on: "a.md", in: folder)
      let old = try await scene.contentToEdit()
      try await folder.commit("a.md", expecting: 1, "b")
      let new = try await scene.contentToEdit()
      try await scene.edit(body("b and more"), basedOn: new.base)
      await #expect(throws: NotebookError.shownBefore("a.md", shown: 1, draft: 2)) {
        try await scene.edit(old.body, basedOn: old.base)
      }
      #expect(try await scene.content().body == body("b and more"))
      await scene.close()
    }
  }

  @Test("A new document and a deleted one are edited from nothing, each on its own version")
  func fromNothing() async throws {
    try await NotesFolder.with { folder in
      let scene = try await NotebookScene.openOne("a", on: "a.md", in: folder)
      _ = try await folder.workspace.documents.commit(Edit(of: "a.md", expecting: 1, body: .deleted))
      var shown = try await scene.contentToEdit()
      #expect(shown.body.isEmpty && shown.base == 2)
      try await scene.edit(body("again"), basedOn: shown.base)
      guard case .saved(let revision) = try await scene.save() else {
        Issue.record("not saved")
        return
      }
      #expect(revision.version == 3)
      try await scene.select("new.md")
      shown = try await scene.contentToEdit()
      #expect(shown.body.isEmpty && shown.base == 0)
      await scene.close()
    }
  }

  @Test(
    "D3: a draft settled from outside leaves the scene able to go on: what was typed since is in conflict, and kept",
    arguments: Settlement.allCases)
  func settledOutside(choice: Settlement) async throws {
    try await NotesFolder.with { folder in
      let scene = try await NotebookScene.openOne("one\ntwo\nthree\n", on: "a.md", in: folder)
      try await scene.edit(body("one\ntwo\nTHREE\n"), basedOn: 1)
      try await scene.keep()
      try await folder.commit("a.md", expecting: 1, "ONE\ntwo\nthree\n")
      let draft = try #require(try await folder.workspace.documents.drafts().first)
      _ = try await Notebook.settle(draft, choice, in: folder.workspace)

      try await scene.edit(body("one\ntwo\nTHREE\nfour\n"), basedOn: 1)
      try await scene.keep()
      #expect(try await folder.workspace.documents.drafts().map(\.body) == [body("one\ntwo\nTHREE\nfour\n")])
      guard case .conflict = try await scene.save() else {
        Issue.record("no conflict")
        return
      }
      try await scene.select("b.md")
      try await scene.select("a.md")
      guard case .saved = try await scene.settle(.mine) else {
        Issue.record("not settled")
        return
      }
      #expect(try await folder.text("a.md") == "one\ntwo\nTHREE\nfour\n")
      #expect(try await folder.workspace.documents.drafts().isEmpty)
      await scene.close()
    }
  }

  @Test("A draft that was saved from outside as it is needs no saving again")
  func savedOutside() async throws {
    try await NotesFolder.with { folder in
      let scene = try await NotebookScene.openOne("a", on: "a.md", in: folder)
      try await scene.edit(body("mine"), basedOn: 1)
      try await scene.keep()
      try await folder.commit("a.md", expecting: 1, "theirs")
      let draft = try #require(try await folder.workspace.documents.drafts().first)
      _ = try await Notebook.settle(draft, .mine, in: folder.workspace)
      guard case .saved(let revision) = try await scene.save() else {
        Issue.record("a conflict of a text with itself")
        return
      }
      #expect(revision.version == 3)
      #expect(await !scene.isEdited)
      #expect(try await folder.workspace.documents.drafts().isEmpty)
      await scene.close()
    }
  }

  @Test("D6: selecting what is selected keeps what was typed and not yet saved as a draft")
  func selectAgain() async throws {
    try await NotesFolder.with { folder in
      let scene = try await NotebookScene.openOne("a", on: "a.md", in: folder)
      try await scene.edit(body("typed"), basedOn: 1)
      try await scene.select("a.md")
      #expect(try await scene.content().body == body("typed"))
      guard case .saved = try await scene.save() else {
        Issue.record("not saved")
        return
      }
      #expect(try await folder.text("a.md") == "typed")
      await scene.close()
    }
  }

  enum Action: CaseIterable, Sendable { case save, settle, discard, select }

  @Test("D6: what is typed while the scene waits for the store is never lost", arguments: Action.allCases)
  func typedMeanwhile(action: Action) async throws {
    let gate = WriteGate()
    try await NotesFolder.with(machine: gate.system) { folder in
      let scene = try await NotebookScene.openOne("a", on: "a.md", in: folder)
      try await scene.edit(body("typed"), basedOn: 1)
      if action != .select { try await scene.keep() }
      gate.close()
      let acting = Task {
        switch action {
        case .save: _ = try await scene.save()
        case .settle: _ = try await scene.settle(.mine)
        case .discard: try await scene.discard()
        case .select: try await scene.select("b.md")
        }
      }
      await gate.reached()
      try await scene.edit(body("typed more"), basedOn: 1)
      gate.open()
      try await acting.value
      if action == .select {
        try await scene.select("a.md")
      } else {
        #expect(await scene.isEdited)
      }
      #expect(try await scene.content().body == body("typed more"))
      try await scene.keep()
      #expect(try await folder.workspace.documents.drafts().map(\.body) == [body("typed more")])
      await scene.close()
    }
  }

  @Test("Events of a scene name it")
  func traced() async throws {
    let ring = TraceRing()
    try await NotesFolder.with(trace: .to(ring)) { folder in
      let scene = try await NotebookScene.openOne("a", on: "a.md", in: folder)
      await scene.close()
    }
    #expect(
      ring.records.filter { $0.event is SceneOpened || $0.event is SceneClosed }.map(\.task) == [
        "left", "left",
      ])
  }

  @Test("The name under which the import keeps its conflicts is no scene's")
  func reservedName() async throws {
    _ = try await NotesFolder.with { folder in
      await #expect(throws: NotebookError.reservedName("import")) {
        try await NotebookScene.open("import", in: folder.workspace)
      }
    }
  }
}

extension NotebookScene {
  /// Scene `left` on a document that was imported with this text.
  static func openOne(_ text: String, on document: DocumentID, in folder: NotesFolder) async throws
    -> NotebookScene
  {
    try folder.write(text, to: document.rawValue)
    try await folder.importAll()
    let scene = try await NotebookScene.open("left", in: folder.workspace)
    try await scene.select(document)
    return scene
  }
}
