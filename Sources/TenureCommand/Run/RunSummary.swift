import Notebook
import Tenure
import TenureSystem

/// What a workspace holds and what one pass did to it.
struct RunSummary: Encodable, Hashable, Sendable {
  /// Documents that are not deleted.
  var documents = 0
  /// Kept versions of all documents.
  var versions = 0
  /// Versions made by this pass.
  var edits = 0
  /// Drafts whose documents moved on, and files in conflict that were too large to keep as drafts.
  var conflicts = 0
  /// Drafts that are kept.
  var drafts = 0
  /// Drafts that interrupted scenes left, offered again.
  var recovered = 0
  /// How long the pass took.
  var elapsedMs = 0

  /// One line.
  var line: String {
    [
      "\(documents) documents", "\(versions) versions", "\(edits) edits", "\(conflicts) conflicts",
      "\(drafts) drafts", "\(recovered) recovered", "\(elapsedMs) ms",
    ].joined(separator: " · ")
  }
}

/// Counts of what a workspace holds.
struct Holdings: Hashable, Sendable {
  var documents = 0
  var versions = 0
  /// Every draft.
  var drafts: [DraftEntry] = []

  var conflicts: [DraftEntry] { drafts.filter(\.isConflict) }

  /// Counts, in reads that are short each.
  static func count(in workspace: Workspace) async throws -> Holdings {
    var holdings = Holdings()
    let store = workspace.documents
    let counts = try await store.counts()
    holdings.documents = Int(counts.documents)
    holdings.versions = Int(counts.versions)
    holdings.drafts = try await store.draftEntries()
    return holdings
  }
}
