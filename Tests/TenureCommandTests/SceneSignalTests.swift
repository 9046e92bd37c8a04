import Notebook
import Tenure
import TenureSystem
import Testing

@testable import TenureCommand

@Suite("A scene and signals") struct SceneSignalTests {
  /// A workspace with one note, and a place for private copies.
  private func workspace(in notes: TemporaryNotes) async throws -> String {
    try notes.write("first\n", to: "notes/a.md")
    try System.live.makeDirectories(notes.path + "/copies")
    let folder = notes.path + "/notes"
    #expect(try await BuiltTenure().run("run", folder, "--once").ending == .exited(0))
    return folder
  }

  /// A scene at a terminal that has come to its prompt. Private copies are made in the place for them.
  private func scene(
    on folder: String, editor: String? = nil
  ) async throws -> (ChildProcess, PseudoTerminal) {
    let terminal = try PseudoTerminal()
    let copies = folder.parentPath + "/copies"
    let scene = try terminal.start(
      try BuiltTenure().path, ["scene", folder],
      environment: (editor.map { ["EDITOR=\($0)"] } ?? []) + ["TMPDIR=\(copies)"])
    _ = try await terminal.text(until: "prompt> ")
    return (scene, terminal)
  }

  /// What the scene `prompt` holds of the note that is not saved.
  private func draft(in folder: String) async throws -> String? {
    let workspace = try await Notebook.open(Notebook.container(of: folder), role: "test", trace: .off)
    let drafts = try await workspace.documents.drafts(scene: "prompt")
    await workspace.close()
    return drafts.first.map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test("Ctrl-C at the prompt clears the line and says how to leave")
  func startOver() async throws {
    try await TemporaryNotes.with { notes in
      let folder = try await workspace(in: notes)
      let (scene, terminal) = try await scene(on: folder)
      try terminal.type("discard")
      _ = try await terminal.text(until: "discard")
      #expect(scene.signal(EndSignal.interrupt.rawValue))
      let said = try await terminal.text(until: "prompt> ")
      #expect(said.contains("Ctrl-D leaves"))
      try terminal.type("edit a.md typed after it\n")
      #expect(try await terminal.text(until: "a.md*> ").contains("Kept as a draft."))
      try terminal.type("\u{4}")
      #expect(try await terminal.text(until: "waits in scene").contains("The draft of a.md"))
      #expect(await scene.ending() == .exited(0))
      #expect(try await draft(in: folder) == "first\ntyped after it\n")
    }
  }

  @Test(
    "A signal at the prompt ends the scene in order, with its own exit code and a word on what was saved",
    arguments: [EndSignal.terminate, .hangUp, .quit])
  func atThePrompt(signal: EndSignal) async throws {
    try await TemporaryNotes.with { notes in
      let folder = try await workspace(in: notes)
      let (scene, terminal) = try await scene(on: folder)
      try terminal.type("edit a.md typed\n")
      _ = try await terminal.text(until: "a.md*> ")
      #expect(scene.signal(signal.rawValue))
      let said = try await terminal.text(until: "in doubt none.")
      #expect(said.contains("Ending: \(signal.reason)."))
      #expect(said.contains("The draft of a.md waits in scene prompt."))
      #expect(await scene.ending() == .exited(128 + signal.rawValue))
      #expect(try await draft(in: folder) == "first\ntyped\n")
    }
  }

  @Test("A terminal that goes away ends the scene like SIGHUP, and its draft waits")
  func windowClosed() async throws {
    try await TemporaryNotes.with { notes in
      let folder = try await workspace(in: notes)
      let (scene, terminal) = try await scene(on: folder)
      try terminal.type("edit a.md typed\n")
      _ = try await terminal.text(until: "a.md*> ")
      terminal.hangUp()
      #expect(await scene.ending() == .exited(129))
      #expect(try await draft(in: folder) == "first\ntyped\n")
    }
  }

  @Test(
    "A scene at a pipe ends at a signal, also while it waits for the rest of a line",
    arguments: EndSignal.allCases)
  func atAPipe(signal: EndSignal) async throws {
    try await TemporaryNotes.with { notes in
      let folder = try await workspace(in: notes)
      let scene = try BuiltTenure().start("scene", folder, input: .pipe)
      try scene.write(line: "edit a.md typed")
      #expect(try await scene.outputLines.line(with: "Kept as a draft.") != nil)
      #expect(scene.signal(signal.rawValue))
      #expect(try await scene.outputLines.wholeText().contains("The draft of a.md waits in scene prompt."))
      #expect(await scene.ending() == .exited(128 + signal.rawValue))
      #expect(try await draft(in: folder) == "first\ntyped\n")
    }
  }

  /// Saves a line, says so, and waits for a key.
  private let patient = "save() { echo saved >> \"$1\"; echo READY; read key; }; save"
  /// The same, and does not mind being told to end.
  private let stubborn =
    "save() { trap '' TERM HUP; echo saved >> \"$1\"; echo READY; while :; do read key; done; }; save"

  @Test("Ctrl-C and Ctrl-\\ belong to the editor while it is open", arguments: [EndSignal.interrupt, .quit])
  func forTheEditor(signal: EndSignal) async throws {
    try await TemporaryNotes.with { notes in
      let folder = try await workspace(in: notes)
      let (scene, terminal) = try await scene(on: folder, editor: patient)
      try terminal.type("edit a.md\n")
      _ = try await terminal.text(until: "READY")
      #expect(scene.signal(signal.rawValue))
      try terminal.type("\n")
      #expect(try await terminal.text(until: "a.md*> ").contains("Kept as a draft."))
      try terminal.type("quit\n")
      #expect(try await terminal.text(until: "waits in scene").contains("The draft of a.md"))
      #expect(await scene.ending() == .exited(0))
      #expect(try System.live.list(notes.path + "/copies").isEmpty)
    }
  }

  @Test(
    "What was saved in the editor is a draft when a signal ends both, and no private copy stays behind",
    arguments: [EndSignal.terminate, .hangUp], [false, true])
  func inTheEditor(signal: EndSignal, isStubborn: Bool) async throws {
    try await TemporaryNotes.with { notes in
      let folder = try await workspace(in: notes)
      let (scene, terminal) = try await scene(on: folder, editor: isStubborn ? stubborn : patient)
      try terminal.type("edit a.md\n")
      _ = try await terminal.text(until: "READY")
      #expect(try System.live.list(notes.path + "/copies").count == 1)
      #expect(scene.signal(signal.rawValue))
      #expect(try await terminal.text(until: "in doubt none.").contains("Kept as a draft."))
      #expect(await scene.ending() == .exited(128 + signal.rawValue))
      #expect(try System.live.list(notes.path + "/copies").isEmpty)
      #expect(try await draft(in: folder) == "first\nsaved\n")
    }
  }

  @Test("An editor that is killed has not thrown away what was saved in it")
  func killedEditor() async throws {
    try await TemporaryNotes.with { notes in
      let folder = try await workspace(in: notes)
      let (scene, terminal) = try await scene(
        on: folder, editor: "die() { echo saved >> \"$1\"; kill -9 $$; }; die")
      try terminal.type("edit a.md\n")
      #expect(try await terminal.text(until: "a.md*> ").contains("Kept as a draft."))
      scene.killGroup()
      _ = await scene.ending()
      #expect(try await draft(in: folder) == "first\nsaved\n")
    }
  }

  @Test("A text that cannot be kept stays where the editor saved it, and the scene says where")
  func containerGoneWhileEditing() async throws {
    try await TemporaryNotes.with { notes in
      let folder = try await workspace(in: notes)
      let (scene, terminal) = try await scene(on: folder, editor: patient)
      try terminal.type("edit a.md\n")
      _ = try await terminal.text(until: "READY")
      try System.live.rename(Notebook.container(of: folder), to: notes.path + "/moved")
      #expect(try await terminal.text(until: "saved in the editor is in").contains("was removed or replaced"))
      #expect(await scene.ending() == .exited(74))
      let copies = try System.live.list(notes.path + "/copies")
      let copy = try #require(copies.first)
      let bytes = try System.live.contents(of: "\(notes.path)/copies/\(copy)/a.md", limit: 100)
      #expect(String(decoding: bytes, as: UTF8.self) == "first\nsaved\n")
    }
  }

  @Test(
    "A scene that waits for a line notices by itself that its container is gone", arguments: [true, false])
  func containerGone(isReplaced: Bool) async throws {
    try await TemporaryNotes.with { notes in
      let folder = try await workspace(in: notes)
      let scene = try BuiltTenure().start("scene", folder, input: .pipe)
      try scene.write(line: "select a.md")
      #expect(try await scene.outputLines.line(with: "a.md: version 1") != nil)
      try System.live.rename(Notebook.container(of: folder), to: notes.path + "/moved")
      if isReplaced { _ = try await BuiltTenure().run("run", folder, "--once") }
      #expect(try await scene.outputLines.wholeText().contains("was removed or replaced while it was in use"))
      #expect(await scene.ending() == .exited(74))
      #expect(try System.live.status(Notebook.container(of: folder)) == nil || isReplaced)
    }
  }

  @Test("While nothing is typed a signal means one thing, and another in the editor")
  func meanings() throws {
    let activity = SceneActivity()
    #expect(activity.meaning(of: .interrupt) == .end)
    activity.typing(true)
    #expect(activity.meaning(of: .interrupt) == .startOver)
    #expect(EndSignal.allCases.filter { activity.meaning(of: $0) == .end } == [.hangUp, .quit, .terminate])
    activity.typing(false)
    let editor = try ChildProcess.start("/bin/cat", input: .pipe, output: .nothing)
    activity.editing(in: editor)
    #expect(EndSignal.allCases.filter { activity.meaning(of: $0) == .nothing } == [.interrupt, .quit])
    activity.end(.terminate)
    #expect(editor.waitForEnding() == .killed(signal: 15))
    // From now on every signal is the second one.
    #expect(EndSignal.allCases.allSatisfy { activity.meaning(of: $0) == .end })
  }
}
