import Notebook
import Tenure
import TenureSystem

extension Settlement: ArgumentValue {}

extension Command {
  struct StoreDraftsInput: StoreLookInput {
    var folder: String?
    var container: String?
    var json = false
    var copy = false
  }

  private struct DraftRow: Encodable {
    var scene: String
    var document: DocumentID
    var change: ChangeID
    var base: Int64
    var size: Int64
    var current: Int64?
    var isConflict: Bool
    /// Why its content is not what was kept; absent when it is.
    var damage: String?

    init(_ draft: DraftEntry, damage: String?) {
      scene = draft.scene
      document = draft.document
      change = draft.change
      base = draft.base
      size = draft.size
      current = draft.current
      isConflict = draft.isConflict
      self.damage = damage
    }

    var standing: String {
      if let damage { return "damaged: \(damage)" }
      return isConflict ? "in conflict, the document is v\(current ?? 0)" : "current"
    }
  }

  /// `tenure store drafts`
  static let storeDrafts = Command(
    "drafts",
    "Lists unfinished work: whose, on which version, and where it stands now.",
    discussion:
      "The scene \u{201C}import\u{201D} holds files that changed outside while their documents changed here.",
    taking: StoreDraftsInput(), Parameter<StoreDraftsInput>.lookingPlace,
    exits: [.findings: "a draft is in conflict or damaged"],
    examples: [Example("tenure store drafts ~/Notes", "What waits to be saved or settled.")]
  ) { input, context in
    try await looking(input, context) { workspace in
      let damaged = try await workspace.documents.damagedDrafts()
      let rows = try await workspace.documents.draftEntries().map { entry in
        let found = damaged.first { $0.draft.scene == entry.scene && $0.draft.document == entry.document }
        return DraftRow(entry, damage: found?.damage)
      }
      if input.json {
        try context.terminal.print(json: rows)
      } else {
        for row in rows {
          context.terminal.print(
            "\(row.scene)  \(row.document) on v\(row.base)  \(row.size) bytes  \(row.standing)".printable())
        }
        if rows.isEmpty { context.terminal.print("No drafts.") }
      }
      return rows.contains { $0.isConflict || $0.damage != nil } ? .findings : .success
    }
  }

  struct StoreSettleInput: StoreInput {
    var folder: String?
    var container: String?
    var json = false
    var document = ""
    var choice = Settlement.merge
    var scene: String?
  }

  private struct SettledRow: Encodable {
    var document: DocumentID
    var scene: String
    var choice: String
    var settled: Bool
    var version: Int64?
    var sentence: String
  }

  /// `tenure store settle`
  static let storeSettle = Command(
    "settle", "Ends the conflict of a draft: mine keeps the draft, theirs the document, merge both.",
    taking: StoreSettleInput(),
    [
      .argument("ID", \.document, "The document."),
      .argument("CHOICE", \.choice, "Which side."),
      .option("scene", "NAME", \.scene, "Whose draft, when several scenes have one."),
    ] + Parameter<StoreSettleInput>.place,
    exits: [.findings: "the conflict stays"],
    examples: [
      Example("tenure store settle Shopping.md merge", "Both changes, by lines."),
      Example("tenure store settle Shopping.md theirs --scene import", "Keeps the document as it is."),
    ]
  ) { input, context in
    let document = DocumentID(input.document)
    return try await withWorkspace(input.folder, input.container, context) { workspace in
      let damaged = try await workspace.documents.damagedDrafts(scene: input.scene)
        .filter { $0.draft.document == document }
      let drafts =
        try await workspace.documents.drafts(scene: input.scene).filter { $0.document == document }
        + damaged.map(\.draft)
      guard let draft = drafts.first else {
        let whose = input.scene.map { " of scene \($0)" } ?? ""
        throw CommandFailure("There is no draft\(whose) of \(document) to settle. See `tenure store drafts`.")
      }
      if drafts.count > 1 {
        let scenes = drafts.map(\.scene).joined(separator: ", ")
        throw UsageError("Several scenes have drafts of \(document): \(scenes). Choose one with --scene.")
      }
      if let reason = damaged.first?.damage, input.choice != .theirs {
        throw CommandFailure(
          "The draft of \(document) in scene \(draft.scene) is damaged: \(reason). The choice \u{201C}theirs\u{201D} removes it."
        )
      }
      let result = try await Notebook.settle(draft, input.choice, in: workspace)
      if input.json {
        try context.terminal.print(
          json: SettledRow(
            document: document, scene: draft.scene, choice: input.choice.rawValue, settled: result.isSettled,
            version: result.version, sentence: result.sentence))
      } else {
        context.terminal.print(result.sentence.printable())
      }
      return result.isSettled ? .success : .findings
    }
  }

  struct StoreCheckInput: StoreLookInput {
    var folder: String?
    var container: String?
    var json = false
    var copy = false
  }

  private struct ProblemRow: Encodable {
    var damage: Bool
    var problem: String
  }

  /// `tenure store check`
  static let storeCheck = Command(
    "check", "Verifies the database and every kept body against its digest.",
    taking: StoreCheckInput(), Parameter<StoreCheckInput>.lookingPlace,
    exits: [.findings: "something saved is damaged"],
    examples: [Example("tenure store check ~/Notes", "Reads everything once.")]
  ) { input, context in
    try await looking(input, context) { workspace in
      let problems = try await workspace.documents.check()
      if input.json {
        try context.terminal.print(json: problems.map { ProblemRow(damage: $0.isDamage, problem: "\($0)") })
      } else {
        for problem in problems { context.terminal.print("\(problem)".printable()) }
        if problems.isEmpty { context.terminal.print("Nothing is wrong.") }
      }
      return problems.contains(where: \.isDamage) ? .findings : .success
    }
  }
}

extension SettleResult {
  fileprivate var version: Int64? {
    switch self {
    case .saved(let revision): revision.version
    case .dropped(let current), .movedOnAgain(let current): current?.version
    case .cannotMerge, .noRule: nil
    }
  }
}
