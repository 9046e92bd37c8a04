import Tenure

extension Scenario {
  /// D4: a slow write of an older version ends after a newer one.
  static let slowWriteAfterAFastOne = Scenario(
    law: .d4, name: "slow write after a fast one",
    moment:
      "A save hangs on a slow disk. A newer one is asked for and ends meanwhile; then the slow one ends.",
    rule: "D4.sequence",
    customary: Side("Numbers the version when it is typed, and writes when the disk allows.") { stage in
      let trace = try stage.trace()
      let folder = stage.folder
      try folder.write("log.md", "monday")
      let slow = (change: ChangeID(), text: "monday, tuesday")
      let fast = (change: ChangeID(), text: "monday, tuesday, wednesday")
      trace.begun("log.md", slow.change, base: 1, slow.text)
      trace.begun("log.md", fast.change, base: 2, fast.text)
      try folder.write("log.md", fast.text)
      trace.ended("log.md", fast.change, version: 3, base: 2, fast.text, sequence: 2)
      try folder.write("log.md", slow.text)
      trace.ended("log.md", slow.change, version: 2, base: 1, slow.text, sequence: 3)
      let text = folder.text("log.md") ?? ""
      return text == fast.text
        ? .held("the log ends with wednesday") : .broken("the log went back to: \(text)")
    },
    tenure: Side("Numbers the version in the transaction; the slow edit finds that it came too late.") {
      stage in
      let workspace = try await stage.workspace()
      let documents = workspace.documents
      try await documents.begin("log.md", "monday")
      let slow = Edit("log.md", on: 1, "monday, tuesday")
      let fast = Edit("log.md", on: 1, "monday, tuesday, wednesday")
      _ = try await documents.commit(fast)
      let answer = try await documents.commit(slow)
      let note = try await documents.note("log.md")
      await workspace.close()
      guard case .conflict = answer, note.text.hasSuffix("wednesday") else {
        return .broken("the log went back to: \(note.text)")
      }
      return .held("the log ends with wednesday; the slow edit was told so")
    })
}
