import Tenure
import TenureStorage

/// What the service knows of a document.
public struct IndexEntry: Hashable, Sendable {
  /// The document.
  public var document: DocumentID
  /// The version it read.
  public var version: Int64
  /// The first line that says something; empty for what is not text.
  public var title: String
  /// Words, 0 for what is not text.
  public var words: Int64
}

/// The statements on the service's index.
enum IndexTable {
  static let migration = """
    CREATE TABLE notebook_index(
      document TEXT PRIMARY KEY,
      version INTEGER NOT NULL,
      title TEXT NOT NULL,
      words INTEGER NOT NULL
    ) WITHOUT ROWID;
    """

  static func put(_ connection: SQLiteConnection, _ entry: IndexEntry) throws {
    // History comes at least once: an older version never replaces a newer one.
    try connection.run(
      """
      INSERT INTO notebook_index(document, version, title, words) VALUES (?, ?, ?, ?)
      ON CONFLICT(document) DO UPDATE SET version = excluded.version, title = excluded.title,
        words = excluded.words WHERE excluded.version > version
      """,
      .text(entry.document.rawValue), .integer(entry.version), .text(entry.title), .integer(entry.words))
  }

  static func remove(_ connection: SQLiteConnection, _ document: DocumentID) throws {
    try connection.run("DELETE FROM notebook_index WHERE document = ?", .text(document.rawValue))
  }

  static func all(_ connection: SQLiteConnection) throws -> [IndexEntry] {
    try connection.query("SELECT document, version, title, words FROM notebook_index ORDER BY document") {
      IndexEntry(
        document: DocumentID($0.text(0)), version: $0.integer(1), title: $0.text(2), words: $0.integer(3))
    }
  }
}

/// Writes index entries in the transaction that acknowledges the history they came from (D9).
struct WriteIndex: CommitParticipant {
  var entries: [IndexEntry]
  var removed: [DocumentID]

  func join(_ transaction: Transaction) throws {
    for entry in entries { try IndexTable.put(transaction.connection, entry) }
    for document in removed { try IndexTable.remove(transaction.connection, document) }
  }
}
