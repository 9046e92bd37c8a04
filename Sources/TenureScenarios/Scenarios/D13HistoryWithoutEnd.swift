import Tenure
import TenureTrace

extension Scenario {
  private static let saves = 60

  /// D13: a note that is saved every few seconds, for years.
  static let historyWithoutEnd = Scenario(
    law: .d13, name: "history without end",
    moment: "One note is saved sixty times; of its history ten versions are to be kept.",
    rule: "D13.over",
    customary: Side("Appends each version to a history file, which nobody ever shortens.") { stage in
      let trace = try stage.trace()
      for save in 0..<saves {
        let old = stage.folder.text("history") ?? ""
        try stage.folder.write("history", old + "version \(save + 1)\n")
      }
      let kept = (stage.folder.text("history") ?? "").split(separator: "\n").count
      trace.record(BoundReached(what: "history", size: Int64(kept), bound: 10, refused: false))
      return kept > 10
        ? .broken("\(kept) versions are kept, and nobody will ever purge them")
        : .held("\(kept) versions are kept")
    },
    tenure: Side("Purges down to the bound, and never past what a consumer or a draft still needs.") {
      stage in
      let workspace = try await stage.workspace()
      let documents = workspace.documents
      for save in 0..<saves {
        _ = try await documents.commit(Edit("diary.md", on: Int64(save), "version \(save + 1)"))
      }
      _ = try await documents.purge(keepingVersions: 10)
      let kept = try await documents.versions(of: "diary.md", limit: 100)
      let note = try await documents.note("diary.md")
      await workspace.close()
      return kept.count <= 10 && note.version == Int64(saves)
        ? .held("\(kept.count) versions are kept, the newest is version \(note.version)")
        : .broken("\(kept.count) versions are kept")
    })
}
