import Notebook
import Tenure
import TenureSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Command {
  struct StoreListInput: StoreLookInput {
    var folder: String?
    var container: String?
    var json = false
    var copy = false
    var prefix = ""
    var deleted = false
  }

  /// `tenure store list`
  static let storeList = Command(
    "list", "Lists the documents with their current versions.", taking: StoreListInput(),
    Parameter<StoreListInput>.lookingPlace + [
      .option("prefix", "TEXT", \.prefix, "Only documents whose IDs begin so.").orEmpty(),
      .flag("deleted", \.deleted, "Deleted ones, too."),
    ],
    examples: [Example("tenure store list --prefix Trips/", "One folder of the sample.")]
  ) { input, context in
    try await looking(input, context) { workspace in
      var all: [Revision] = []
      var after: DocumentID?
      repeat {
        let page = try await workspace.documents.list(
          prefix: input.prefix, after: after, limit: 500, includingDeleted: input.deleted)
        if input.json {
          all += page.items
        } else {
          for item in page.items { context.terminal.print(item.row.printable()) }
        }
        after = page.next
      } while after != nil
      if input.json { try context.terminal.print(json: all) }
      return .success
    }
  }

  struct StoreShowInput: StoreLookInput {
    var folder: String?
    var container: String?
    var json = false
    var copy = false
    var document = ""
  }

  private struct ShownBody: Encodable {
    var revision: Revision
    /// The body, when it is UTF-8 text.
    var text: String?
    /// The body, when it is not.
    var base64: String?
  }

  /// `tenure store show`
  static let storeShow = Command(
    "show", "Prints the body of a document, as it was committed.", taking: StoreShowInput(),
    [.argument("ID[@VERSION]", \.document, "The document, and which version when not the current one.")]
      + Parameter<StoreShowInput>.lookingPlace,
    examples: [
      Example("tenure store show Pictures/lighthouse.png > lighthouse.png", "Gets a picture out."),
      Example("tenure store show Shopping.md@1 --json", "The first version with who wrote it."),
    ]
  ) { input, context in
    let (document, version) = DocumentReference.parts(of: input.document)
    return try await looking(input, context) { workspace in
      let revision: Revision
      let data: Data
      do {
        (revision, data) = try await workspace.documents.body(of: document, version: version)
      } catch DocumentError.noSuchDocument(let document) {
        guard version == nil, let at = input.document.lastIndex(of: "@") else {
          throw DocumentError.noSuchDocument(document)
        }
        let word = input.document[input.document.index(after: at)...]
        throw CommandFailure(
          "There is no document \(document), and \u{201C}\(word)\u{201D} is not the number of a version.")
      }
      if input.json {
        let text = String(validating: data, as: UTF8.self)
        try context.terminal.print(
          json: ShownBody(
            revision: revision, text: text, base64: text == nil ? data.base64EncodedString() : nil))
      } else if context.terminal.isInteractive, data.contains(0) {
        context.terminal.complain("(\(data.count) bytes that are not text; send them to a file to have them)")
      } else {
        data.withUnsafeBytes { context.terminal.write($0) }
      }
      return .success
    }
  }

  struct StoreHistoryInput: StoreLookInput {
    var folder: String?
    var container: String?
    var json = false
    var copy = false
    var document: String?
  }

  /// `tenure store history`
  static let storeHistory = Command(
    "history", "Lists the changes of one document (newest first) or of all (oldest first).",
    taking: StoreHistoryInput(),
    [.argument("ID", \.document, "The document; all when none is named.")]
      + Parameter<StoreHistoryInput>.lookingPlace,
    examples: [Example("tenure store history Shopping.md", "Who saved the shopping list, and when.")]
  ) { input, context in
    var input = input
    // `history FOLDER`: the only argument is a workspace rather than a document.
    if let only = input.document, input.folder == nil, input.container == nil,
      try context.system.status(Notebook.container(of: only)) != nil
    {
      (input.document, input.folder) = (nil, only)
    }
    let named = input.document.map { DocumentID($0) }
    let json = input.json
    return try await looking(input, context) { workspace in
      let documents = workspace.documents
      let revisions =
        if let named { try await versions(of: named, documents) } else {
          try await wholeHistory(documents, context.terminal)
        }
      if json {
        try context.terminal.print(json: revisions)
      } else {
        for revision in revisions { context.terminal.print(revision.row.printable()) }
      }
      return .success
    }
  }

  private static func versions(of document: DocumentID, _ documents: DocumentStore) async throws -> [Revision]
  {
    var all: [Revision] = []
    var before: Int64?
    while true {
      let some = try await documents.versions(of: document, before: before, limit: 500)
      all += some
      guard some.count == 500, let last = some.last else { break }
      before = last.version
    }
    if all.isEmpty { throw DocumentError.noSuchDocument(document) }
    return all
  }

  private static func wholeHistory(
    _ documents: DocumentStore, _ terminal: Terminal
  ) async throws -> [Revision] {
    var all: [Revision] = []
    var token: HistoryToken?
    while true {
      switch try await documents.history(after: token, for: nil, limit: 1_000) {
      case .changes(let some, let next):
        if some.isEmpty { return all }
        all += some
        token = next
      case .startFromSnapshot:
        // Only documents of which everything is kept begin at the beginning.
        terminal.complain("Earlier changes were purged; these are the documents as they are.")
        var after: DocumentID?
        repeat {
          let page = try await documents.list(after: after, limit: 500, includingDeleted: true)
          all += page.items
          after = page.next
        } while after != nil
        return all.sorted { $0.sequence < $1.sequence }
      }
    }
  }

  struct StoreDiffInput: StoreLookInput {
    var folder: String?
    var container: String?
    var json = false
    var copy = false
    var document = ""
    var old: Int64 = 0
    var new: Int64 = 0
  }

  /// `tenure store diff`
  static let storeDiff = Command(
    "diff", "Shows how two versions of a document differ, line by line.", taking: StoreDiffInput(),
    [
      .argument("ID", \.document, "The document."),
      .argument("A", \.old, "The older version's number."),
      .argument("B", \.new, "The newer version's number."),
    ] + Parameter<StoreDiffInput>.lookingPlace,
    exits: [.success: "the versions are equal", .findings: "they differ"],
    examples: [Example("tenure store diff Shopping.md 1 2", "What was added to the list.")]
  ) { input, context in
    let document = DocumentID(input.document)
    return try await looking(input, context) { workspace in
      let old = try await workspace.documents.body(of: document, version: input.old).data
      let new = try await workspace.documents.body(of: document, version: input.new).data
      let difference = TextDifference(from: old, to: new)
      if input.json {
        try context.terminal.print(json: difference)
      } else if difference.isBinary {
        context.terminal.print(
          "\(document) version \(input.old) (\(old.count) bytes) and version \(input.new) (\(new.count) bytes) differ"
        )
      } else if !difference.hunks.isEmpty {
        context.terminal.write(
          difference.unified(
            from: "\(document)@\(input.old)", to: "\(document)@\(input.new)", on: context.terminal))
      }
      return difference.isEmpty ? .success : .findings
    }
  }
}
