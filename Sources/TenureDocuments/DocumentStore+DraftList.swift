import TenureStorage
import TenureSystem

/// A kept draft as a list shows it, without its content.
public struct DraftEntry: Sendable, Hashable {
  /// The scene it belongs to.
  public let scene: String
  /// The document.
  public let document: DocumentID
  /// The change its commit will have.
  public let change: ChangeID
  /// The version it was started from; 0 for a new document.
  public let base: Int64
  /// Bytes of its content.
  public let size: Int64
  /// The document's current version, a tombstone included; `nil`: it does not exist.
  public let current: Int64?

  /// Whether the document moved on since the draft began.
  public var isConflict: Bool { (current ?? 0) != base }

  /// An entry by its parts.
  public init(
    scene: String, document: DocumentID, change: ChangeID, base: Int64, size: Int64, current: Int64?
  ) {
    self.scene = scene
    self.document = document
    self.change = change
    self.base = base
    self.size = size
    self.current = current
  }
}

extension DocumentStore {
  /// All kept drafts and how they stand to their documents, by scene and document, at one moment. No content is
  /// read, however large: which of them are damaged is for ``damagedDrafts(scene:)`` to say.
  public func draftEntries(scene: String? = nil) async throws -> [DraftEntry] {
    try await reading("draft list") { try DraftTable.entries($0, scene: scene) }
  }
}

extension DraftTable {
  fileprivate static func entries(_ connection: SQLiteConnection, scene: String?) throws -> [DraftEntry] {
    try connection.query(
      """
      SELECT scene, document, change, base, size,
        (SELECT version FROM documents WHERE documents.id = drafts.document)
      FROM drafts WHERE ?1 IS NULL OR scene = ?1 ORDER BY scene, document
      """, .optional(scene)
    ) { row in
      DraftEntry(
        scene: row.text(0), document: DocumentID(row.text(1)),
        change: ChangeID(bytes: row.blob(2)) ?? standIn(row.text(0), row.text(1)), base: row.integer(3),
        size: row.integer(4),
        current: row.optionalInteger(5))
    }
  }
}
