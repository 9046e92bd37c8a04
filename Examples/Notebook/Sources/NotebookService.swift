import Tenure
import TenureStorage

/// The app's service: reads the history and keeps an index of titles and words (D9).
///
/// Its place in the history moves in the transaction that writes the entries, so that each change is indexed
/// exactly once, whenever the service is killed.
public struct NotebookService: Sendable {
  /// The name the history knows it by.
  public static let consumer = "index"
  /// Larger bodies are listed without being read.
  static let readLimit: Int64 = 4 << 20
  static let pageSize = 200

  let workspace: Workspace

  /// The service of a workspace.
  public init(workspace: Workspace) { self.workspace = workspace }

  /// Indexes all there is; the number of changes that were new.
  public func catchUp() async throws -> Int {
    var count = 0
    while true {
      switch try await workspace.documents.history(
        after: nil, for: Self.consumer, limit: Self.pageSize)
      {
      case .changes(let revisions, let next):
        if revisions.isEmpty { return count }
        do {
          try await index(revisions, next)
          count += revisions.count
        } catch DocumentError.acknowledgedElsewhere {
          // Another process of the same service was quicker; what it did is done.
        }
      case .startFromSnapshot(let token):
        count += try await startOver(at: token)
      }
    }
  }

  /// Everything in the index, by document.
  public func entries() async throws -> [IndexEntry] {
    try await workspace.database.read("index") { try IndexTable.all($0) }
  }

  private func startOver(at token: HistoryToken) async throws -> Int {
    var after: DocumentID?
    var count = 0
    repeat {
      let page = try await workspace.documents.list(after: after, limit: Self.pageSize)
      let work = try await read(page.items)
      try await workspace.database.write("index") { try work.join($0) }
      count += page.items.count
      after = page.next
    } while after != nil
    try await workspace.documents.acknowledge(token, for: Self.consumer)
    return count
  }

  private func index(_ revisions: [Revision], _ next: HistoryToken) async throws {
    let work = try await read(revisions)
    try await workspace.documents.acknowledge(next, for: Self.consumer, with: [work])
  }

  private func read(_ revisions: [Revision]) async throws -> WriteIndex {
    var work = WriteIndex(entries: [], removed: [])
    for revision in revisions {
      if revision.isDeleted {
        work.removed.append(revision.document)
      } else {
        work.entries.append(try await entry(revision))
      }
    }
    return work
  }

  private func entry(_ revision: Revision) async throws -> IndexEntry {
    var entry = IndexEntry(document: revision.document, version: revision.version, title: "", words: 0)
    guard revision.size <= Self.readLimit, ["md", "txt", "csv"].contains(revision.document.kind) else {
      return entry
    }
    let data: Data
    do {
      data = try await workspace.documents.body(of: revision.document, version: revision.version).data
    } catch DocumentError.noSuchVersion, DocumentError.noSuchDocument {
      // Purged since; a later change says what the document is now.
      return entry
    }
    let text = String(decoding: data, as: UTF8.self)
    let firstLine = text.split(whereSeparator: \.isNewline).lazy
      .map { $0.drop { $0 == "#" || $0 == " " } }.first { !$0.isEmpty }
    entry.title = String((firstLine ?? "").prefix(80))
    entry.words = Int64(text.split { $0.isWhitespace || $0.isNewline }.count)
    return entry
  }
}
