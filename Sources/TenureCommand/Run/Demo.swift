import Notebook
import Tenure
import TenureSystem

/// A scene that edits by itself: it adds lines to notes, saves them, and settles what meets it. Only in the
/// container; the files of the folder stay as they are.
struct Demo: Sendable {
  let scene: NotebookScene
  let workspace: Workspace
  let tell: @Sendable (MemberReport.Kind, String) -> Void

  private static let lines = [
    "- [ ] ask Ines about Saturday", "- remember the lamp oil", "- [x] returned the clamps",
    "- the swallows are back", "- two more jars for the cellar", "- call about the ferry",
  ]
  private static let pause = Duration.milliseconds(900)

  func run() async {
    var step = scene.name == AppProcess.scenes.first ? 0 : 1
    while !Task.isCancelled {
      do {
        try await edit(step)
      } catch {
        if !Task.isCancelled { tell(.failed, "\(error)") }
      }
      step += 1
      // Cancelled at the end.
      guard (try? await workspace.container.system.clock.sleep(for: Self.pause)) != nil else { return }
    }
  }

  private func edit(_ step: Int) async throws {
    let notes = try await workspace.documents.list(limit: 200).items
      .filter { ["md", "txt"].contains($0.document.kind) && $0.size < 64 << 10 }
    if notes.isEmpty { return }
    // Both scenes come to the same few notes, so that now and then they meet.
    let document = notes[(step / 2) % min(notes.count, 3)].document
    if await scene.selection != document { try await scene.select(document) }
    let line = Self.lines[step % Self.lines.count]
    let shown = try await scene.content()
    let text = adding(line, to: String(decoding: shown.body, as: UTF8.self))
    try await scene.edit(Data(text.utf8), basedOn: shown.base)
    try await scene.keep()
    try await workspace.container.system.clock.sleep(for: Self.pause)
    switch try await scene.save() {
    case .nothingToSave, .saved: break
    case .conflict(let current):
      tell(.did, "\(document) moved on to version \(current?.version ?? 0) while it was edited; merging")
      try await settle(document)
    }
  }

  /// One scene adds at the end, the other under the first line: what both changed can often be merged.
  private func adding(_ line: String, to text: String) -> String {
    if scene.name == AppProcess.scenes.first {
      return text + (text.utf8.last == UInt8(ascii: "\n") || text.isEmpty ? "" : "\n") + line + "\n"
    }
    let end =
      text.utf8.firstIndex(of: UInt8(ascii: "\n")).map { text.utf8.index(after: $0) } ?? text.endIndex
    return text[..<end] + line + "\n" + text[end...]
  }

  private func settle(_ document: DocumentID) async throws {
    switch try await scene.settle(.merge) {
    case .saved(let revision): tell(.did, "merged both into version \(revision.version) of \(document)")
    case .cannotMerge(let regions):
      tell(
        .did,
        "both changed the same \(regions.count == 1 ? "place" : "places") of \(document); keeping this one")
      _ = try await scene.settle(.mine)
    case .noRule, .movedOnAgain, .dropped, nil:
      _ = try await scene.settle(.mine)
    }
  }
}
