import Notebook
import Tenure
import TenureState
import TenureSystem

/// The conversation of `tenure scene`: one line, one action, and what came of it.
final class ScenePrompt: Sendable {
  private let scene: NotebookScene
  private let workspace: Workspace
  private let context: CommandContext
  private let activity: SceneActivity
  private let watch: ContainerWatch
  private let news = Lock<[String]>([])
  private let watched = Lock<(document: DocumentID, subscription: Subscription)?>(nil)

  private var terminal: Terminal { context.terminal }
  private var documents: DocumentStore { workspace.documents }

  init(
    scene: NotebookScene, workspace: Workspace, context: CommandContext,
    activity: SceneActivity = SceneActivity(), watch: ContainerWatch
  ) {
    self.scene = scene
    self.workspace = workspace
    self.context = context
    self.activity = activity
    self.watch = watch
  }

  /// Says one thing. Names in it may come from anywhere.
  private func say(_ text: String) { terminal.print(text.printable()) }

  private static let help = """
    list [PREFIX]          documents, with versions
    select ID              the document the words below are about; it need not exist yet
    show [ID[@VERSION]]    its text, or this scene's draft of it
    edit                   with $VISUAL or $EDITOR
    edit ID TEXT…          adds a line at the end, in place; `edit . TEXT…` for the selection
    save                   makes the draft the next version
    settle mine|theirs|merge   ends a conflict of the draft
    discard                drops the draft
    versions [ID]          what is kept
    back VERSION           makes an earlier version the newest
    help, quit
    """

  /// Talks until `quit` or the end of the input, and keeps what is not saved as a draft. From a pipe, anything that
  /// failed makes the exit code 1.
  func run(_ source: LineSource) async throws -> ExitCode {
    for item in scene.recovered { say("Recovered: \(item.sentence)") }
    if source.isInteractive {
      say("Scene \(scene.name) on \(workspace.container.path). `help` says what can be done.")
    }
    await follow()
    let code = try await talk(source)
    watched.withLock { $0 }?.subscription.cancel()
    try await scene.keep()
    if await scene.isEdited, let document = await scene.selection {
      say("The draft of \(document) waits in scene \(scene.name).")
    }
    return code
  }

  private func talk(_ source: LineSource) async throws -> ExitCode {
    var allWent = true
    while true {
      for line in news.withLock({ lines in
        defer { lines = [] }
        return lines
      }) { terminal.print(terminal.styled(line.printable(), .cyan)) }
      activity.typing(source.isInteractive)
      let input = try await source.next(prompt: await promptText())
      activity.typing(false)
      guard case .line(let line) = input else {
        if input == .hungUp { return .hungUp }
        return allWent || source.isInteractive ? .success : .findings
      }
      let words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
      guard let verb = words.first else { continue }
      if verb == "quit" || verb == "exit" { return allWent || source.isInteractive ? .success : .findings }
      do {
        try watch.check()
        if try await !act(verb, Array(words.dropFirst()), line, isInteractive: source.isInteractive) {
          allWent = false
        }
      } catch {
        allWent = false
        terminal.complain("\(error)".printable(keepingLines: true))
      }
    }
  }

  private func promptText() async -> String {
    let selection = await scene.selection.map { " \($0)" } ?? ""
    return "\(scene.name)\(selection)\(await scene.isEdited ? "*" : "")> ".printable()
  }

  /// `false`: it was understood, and did not go through.
  private func act(
    _ verb: String, _ words: [String], _ line: String, isInteractive: Bool
  ) async throws -> Bool {
    switch verb {
    case "help", "?": terminal.print(Self.help)
    case "list", "ls": try await list(words.first ?? "")
    case "select":
      guard let id = rest(of: line, after: 1) else { throw UsageError("select needs a document's ID.") }
      try await select(DocumentID(id))
    case "show", "cat": try await show(rest(of: line, after: 1))
    case "edit": return try await edit(words, line, isInteractive: isInteractive)
    case "save": return said(try await scene.save())
    case "settle":
      guard let choice = words.first.flatMap(Settlement.init(rawValue:)) else {
        throw UsageError("settle takes mine, theirs or merge.")
      }
      return try await settle(choice)
    case "discard":
      try await scene.discard()
      say("The draft is gone.")
    case "versions": try await versions(rest(of: line, after: 1))
    case "back":
      guard let version = words.first.flatMap(Int64.init) else {
        throw UsageError("back needs a version's number.")
      }
      if await scene.isEdited { throw UsageError("There is unsaved work. Save or discard it first.") }
      return said(try await scene.goBack(to: version))
    default:
      let verbs = [
        "list", "select", "show", "edit", "save", "settle", "discard", "versions", "back", "help", "quit",
      ]
      throw UsageError(
        "\u{201C}\(verb)\u{201D} is not something a scene does.",
        suggestion: nearest(to: verb, among: verbs) ?? "help")
    }
    return true
  }

  /// What stands after so many words of a line, with its spaces.
  private func rest(of line: String, after count: Int) -> String? {
    let parts = line.split(separator: " ", maxSplits: count, omittingEmptySubsequences: true)
    return parts.count > count ? String(parts[count]).trimmed : nil
  }

  // MARK: Looking

  private func list(_ prefix: String) async throws {
    var after: DocumentID?
    var isEmpty = true
    repeat {
      let page = try await documents.list(prefix: prefix, after: after, limit: 200)
      for revision in page.items {
        say("\(revision.document)  v\(revision.version)  \(revision.size) bytes")
        isEmpty = false
      }
      after = page.next
    } while after != nil
    if isEmpty { say(prefix.isEmpty ? "No documents." : "No documents begin with \(prefix).") }
  }

  private func show(_ words: String?) async throws {
    if let words, words != "." {
      let (document, version) = DocumentReference.parts(of: words)
      write(try await documents.body(of: document, version: version).data)
      return
    }
    let shown = try await scene.content()
    if shown.isDraft {
      terminal.complain("(this scene's draft; the document is at version \(shown.current?.version ?? 0))")
    }
    write(shown.body)
  }

  private func write(_ body: Data) {
    if terminal.isInteractive, body.contains(0) {
      say("(\(body.count) bytes that are not text)")
      return
    }
    body.withUnsafeBytes { terminal.write($0) }
    if let last = body.last, last != UInt8(ascii: "\n"), terminal.isInteractive { terminal.print() }
  }

  private func versions(_ id: String?) async throws {
    let selected = await scene.selection
    guard let document = id.map({ DocumentID($0) }) ?? selected else { throw NotebookError.nothingSelected }
    for revision in try await documents.versions(of: document) { say(revision.row) }
  }

  private func select(_ document: DocumentID) async throws {
    let revision = try await scene.select(document)
    await follow()
    let what =
      revision.map { $0.isDeleted ? "deleted by version \($0.version)" : "version \($0.version)" } ?? "new"
    say("\(document): \(what)\(await scene.isEdited ? ", with this scene's draft" : "")")
  }

  /// Notes changes by others to the selection, to be told before the next prompt.
  private func follow() async {
    let old = watched.withLock { watched in
      defer { watched = nil }
      return watched
    }
    old?.subscription.cancel()
    guard let document = await scene.selection else { return }
    let own = workspace.trace.process.pid
    let following = try? await scene.observe(document) { [weak self] seen in
      guard let revision = seen.value, revision.writer.pid != own else { return }
      self?.news.withLock {
        $0.append(
          "\(document) is version \(revision.version) now, by \(revision.writer.role) \(revision.writer.pid)."
        )
      }
    }
    if let following { watched.withLock { $0 = (document, following.subscription) } }
  }

  // MARK: Changing

  private func edit(_ words: [String], _ line: String, isInteractive: Bool) async throws -> Bool {
    if words.isEmpty {
      guard isInteractive else { throw UsageError("From a pipe, say `edit ID TEXT…`.") }
      return try await edit(with: Editor(system: context.system, activity: activity).edit)
    }
    if words[0] != "." {
      let document = DocumentID(words[0])
      if await scene.selection != document { try await select(document) }
    }
    guard let text = rest(of: line, after: 2) else {
      if isInteractive {
        return try await edit(with: Editor(system: context.system, activity: activity).edit)
      }
      throw UsageError("`edit ID TEXT…` needs the text of the line to add.")
    }
    var shown = try await scene.contentToEdit()
    if let last = shown.body.last, last != UInt8(ascii: "\n") { shown.body.append(UInt8(ascii: "\n")) }
    shown.body.append(contentsOf: Array((text + "\n").utf8))
    try await scene.edit(shown.body, basedOn: shown.base)
    try await scene.keep()
    say("Kept as a draft.")
    return true
  }

  /// Has the selection's text edited: `editor` is given it, a name, and what keeps a new text; it answers whether
  /// there was one.
  func edit(
    with editor: (_ text: Data, _ name: String, _ keep: (Data) async throws -> Void) async throws -> Bool
  ) async throws -> Bool {
    let shown = try await scene.contentToEdit()
    let name =
      await scene.selection.map { $0.rawValue.split(separator: "/").last.map(String.init) ?? "" } ?? ""
    let isChanged = try await editor(shown.body, name) { after in
      // On the version that was shown to the editor, whatever came meanwhile.
      try await scene.edit(after, basedOn: shown.base)
      try await scene.keep()
      // Kept in a file that nobody will find is not kept.
      try watch.check()
    }
    say(isChanged ? "Kept as a draft. `save` makes it a version." : "Nothing changed.")
    return true
  }

  private func said(_ result: NotebookScene.SaveResult) -> Bool {
    switch result {
    case .nothingToSave: say("There is nothing to save.")
    case .saved(let revision): say("Saved \(revision.document) as version \(revision.version).")
    case .conflict(let current):
      say(
        "Conflict: the document is version \(current?.version ?? 0) now. Nothing was overwritten; "
          + "`settle mine|theirs|merge` ends it.")
      return false
    }
    return true
  }

  private func settle(_ choice: Settlement) async throws -> Bool {
    guard let result = try await scene.settle(choice) else {
      say("There is no draft to settle.")
      return true
    }
    say(result.sentence)
    return result.isSettled
  }
}

extension String {
  /// Without spaces at both ends.
  var trimmed: String {
    var text = drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
