import Tenure

extension Scenario {
  private static let base = "milk\nbread\ncheese\n"
  private static let mine = "oat milk\nbread\ncheese\n"
  private static let theirs = "milk\nbread\ncheese\nolives\n"

  /// D8: two versions of a shopping list.
  static let newestWins = Scenario(
    law: .d8, name: "newest wins",
    moment: "One scene changes a shopping list's first line, another adds a line at its end.",
    rule: "D8.no-rule",
    customary: Side("Takes the newer file and calls it a merge.") { stage in
      let trace = try stage.trace()
      let change = ChangeID()
      try stage.folder.write("list.md", theirs)
      trace.record(
        MergeTried(document: "list.md", base: 1, mine: change.description, theirs: 2, merged: true))
      try stage.folder.write("list.md", mine)
      return verdict(stage.folder.text("list.md") ?? "")
    },
    tenure: Side("Leaves the conflict, unless a rule for that kind of document merges against the base.") {
      stage in
      let workspace = try await stage.workspace()
      let documents = workspace.documents
      try await documents.begin("list.md", base, theirs)
      let edit = Edit("list.md", on: 1, mine)
      guard case .noRule = try await documents.merge(edit, onto: 2) else {
        return .broken("it was merged without a rule")
      }
      documents.register(LineMerge(), forKind: "md")
      guard case .merged(let body) = try await documents.merge(edit, onto: 2) else {
        return .broken("two changes that do not touch were not merged")
      }
      _ = try await documents.commit(Edit(of: "list.md", expecting: 2, body: .data(body)))
      let note = try await documents.note("list.md")
      await workspace.close()
      return verdict(note.text)
    })

  private static func verdict(_ text: String) -> Verdict {
    text.contains("oat milk") && text.contains("olives")
      ? .held("oat milk and olives are both on the list") : .broken("the olives are gone")
  }
}
