import Tenure
import TenureStorage

/// What was last imported of each file: the memory that makes an import happen exactly once.
///
/// The row changes in the same transaction as the commit it is about, so that no kill can part the two.
struct ImportedFile: Hashable, Sendable {
  /// The version the file's content became, or was settled against.
  var version: Int64
  /// The digest of that content.
  var digest: String
}

/// The statements on the imported files.
enum ImportTable {
  static let migration = """
    CREATE TABLE notebook_imported(
      document TEXT PRIMARY KEY,
      version INTEGER NOT NULL,
      digest TEXT NOT NULL
    ) WITHOUT ROWID;
    """

  static func all(_ connection: SQLiteConnection) throws -> [DocumentID: ImportedFile] {
    let rows = try connection.query("SELECT document, version, digest FROM notebook_imported") { row in
      (DocumentID(row.text(0)), ImportedFile(version: row.integer(1), digest: row.text(2)))
    }
    return Dictionary(rows) { first, _ in first }
  }

  static func put(_ connection: SQLiteConnection, _ document: DocumentID, _ file: ImportedFile) throws {
    try connection.run(
      """
      INSERT INTO notebook_imported(document, version, digest) VALUES (?, ?, ?)
      ON CONFLICT(document) DO UPDATE SET version = excluded.version, digest = excluded.digest
      """,
      .text(document.rawValue), .integer(file.version), .text(file.digest))
  }
}

/// Notes in a commit's own transaction that this version is what the file holds.
struct RecordImport: CommitParticipant {
  let document: DocumentID
  let file: ImportedFile

  func join(_ transaction: Transaction) throws {
    try ImportTable.put(transaction.connection, document, file)
  }
}
