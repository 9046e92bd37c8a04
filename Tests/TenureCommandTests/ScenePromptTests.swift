import Notebook
import Tenure
import TenureSystem
import Testing

@testable import TenureCommand

@Suite("The prompt of a scene") struct ScenePromptTests {
  @Test("D3: what another scene saves while an editor is open is met as a conflict, not overwritten")
  func savedWhileEditing() async throws {
    try await TemporaryNotes.with { notes in
      let workspace = try await Notebook.open(Notebook.container(of: notes.path), role: "test", trace: .off)
      let documents = workspace.documents
      _ = try await documents.commit(Edit(of: "a.md", expecting: 0, body: .data(Data("first".utf8))))
      let scene = try await NotebookScene.open("prompt", in: workspace)
      try await scene.select("a.md")
      let captured = CapturedTerminal()
      let prompt = ScenePrompt(
        scene: scene, workspace: workspace,
        context: CommandContext(
          terminal: captured.terminal, system: .live, executable: "tenure", root: .tenure),
        watch: try ContainerWatch(workspace.container) { _ in })
      let isKept = try await prompt.edit { text, name, keep in
        #expect(name == "a.md")
        _ = try await documents.commit(Edit(of: "a.md", expecting: 1, body: .data(Data("second".utf8))))
        try await keep(text + Data(", edited".utf8))
        return true
      }
      #expect(isKept)
      guard case .conflict(let current) = try await scene.save() else {
        Issue.record("overwritten")
        return
      }
      #expect(current?.version == 2)
      #expect(try await documents.body(of: "a.md").data == Data("second".utf8))
      #expect(try await scene.content().body == Data("first, edited".utf8))
      await scene.close()
      await workspace.close()
    }
  }
}
