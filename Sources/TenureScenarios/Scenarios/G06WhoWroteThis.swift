import Tenure
import TenureSystem
import TenureTrace

extension Scenario {
  /// G6: support asks who wrote a strange version.
  static let whoWroteThis = Scenario(
    law: .g6, name: "who wrote this",
    moment:
      "A note is found empty. App, widget and share extension all may write it; support asks which did.",
    rule: "G6.unattributed",
    customary: Side("Writes the file.") { stage in
      let trace = try stage.trace(role: "widget")
      try stage.folder.write("note.md", "")
      trace.record(DatabaseCommitted(first: 1, last: 1, edits: 1, writer: ""))
      let kept = (stage.folder.text("note.md") ?? "") + "\(try System.live.list(stage.path))"
      return kept.contains("widget")
        ? .held("the widget wrote it") : .broken("the file has a time and nothing else")
    },
    tenure: Side("Puts process, role, app version and time beside every change.") { stage in
      let workspace = try await stage.workspace(role: "widget")
      try await workspace.documents.begin("note.md", "")
      await workspace.close()
      let support = try await stage.workspace(role: "support")
      let writer = try await support.documents.revision(of: "note.md")?.writer
      await support.close()
      guard let writer, writer.role == "widget", writer.appVersion == "2.1", writer.pid > 0, writer.wall > 0
      else { return .broken("nobody knows") }
      return .held(
        "\(writer.process) \(writer.pid), the \(writer.role) of version \(writer.appVersion), wrote it")
    })
}
