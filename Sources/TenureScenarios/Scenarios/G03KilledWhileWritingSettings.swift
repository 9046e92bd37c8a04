import Tenure
import TenureTesting
import TenureTrace

extension Scenario {
  private static let old = "theme light\nsize 12\n"
  private static let new = "theme dark\nsize 14\n"

  /// G3: a shared file is changed.
  static let killedWhileWritingSettings = Scenario(
    law: .g3, name: "killed while writing settings",
    moment:
      "The app changes two settings in a file that the widget reads. It is killed in the middle of writing.",
    rule: "G3.in-place",
    customary: Side(
      "Opens the file and writes it, setting by setting.",
      acts: [
        "write": { actor in
          let trace = try actor.trace()
          let file = try actor.system.open(actor.path.appendingPath("settings"), [.write, .truncate])
          trace.record(FileWritten(file: "settings", bytes: Int64(new.utf8.count)))
          for line in new.split(separator: "\n") { try file.append("\(line)\n") }
        }
      ]
    ) { stage in
      try stage.folder.write("settings", old)
      try await stage.kill("write", at: .call(.write, 2))
      return verdict(stage.folder.text("settings") ?? "")
    },
    tenure: Side(
      "Writes a new file, verified and synced, and gives it the name in one step.",
      acts: [
        "write": { actor in
          try AtomicFile.update(
            actor.path.appendingPath("settings"), system: actor.system, trace: try actor.trace()
          ) { _ in Array(new.utf8) }
        }
      ]
    ) { stage in
      try AtomicFile.replace(
        stage.path.appendingPath("settings"), with: Array(old.utf8), trace: try stage.trace())
      // All is written, and nothing has its name yet.
      try await stage.kill("write", at: .call(.rename, 1))
      return verdict(stage.folder.text("settings") ?? "")
    })

  private static func verdict(_ text: String) -> Verdict {
    text == old || text == new
      ? .held("the widget reads whole settings") : .broken("the widget reads half of the settings")
  }
}
