import TenureStorage
import TenureSystem

/// The tables of documents, and the statements on them that a commit and a read are made of.
///
/// ```
/// documents(id → version, sequence)      the current version: one row a document, never taken away
/// changes(sequence → one version each)   history and bodies; unique by change ID and by (document, version)
/// writers(id → process, version …)       who wrote (G6); the ID is drawn at open, so no row ID is ever cached
/// drafts · scene_state · consumers · history
/// ```
/// A commit costs three statements: one look, one insert, one upsert.
enum DocumentTables {
  static let component = Component(name: "documents", version: 1) { connection, from in
    if from < 1 {
      try connection.script(
        """
        CREATE TABLE documents(
          id TEXT PRIMARY KEY, version INTEGER NOT NULL, sequence INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE changes(
          sequence INTEGER PRIMARY KEY, document TEXT NOT NULL, version INTEGER NOT NULL, change BLOB NOT NULL,
          base INTEGER NOT NULL, digest BLOB, size INTEGER NOT NULL, inline BLOB, file TEXT, batch BLOB,
          wall INTEGER NOT NULL, writer INTEGER NOT NULL);
        CREATE UNIQUE INDEX changes_by_change ON changes(change);
        CREATE UNIQUE INDEX changes_by_version ON changes(document, version);
        CREATE INDEX changes_by_file ON changes(file) WHERE file IS NOT NULL;
        CREATE TABLE writers(
          id INTEGER PRIMARY KEY, process TEXT NOT NULL, pid INTEGER NOT NULL, bundle TEXT NOT NULL,
          role TEXT NOT NULL, app TEXT NOT NULL);
        CREATE TABLE drafts(
          id INTEGER PRIMARY KEY, scene TEXT NOT NULL, document TEXT NOT NULL, change BLOB NOT NULL,
          base INTEGER NOT NULL, digest BLOB NOT NULL, size INTEGER NOT NULL, inline BLOB, file TEXT,
          wall INTEGER NOT NULL, UNIQUE(scene, document));
        CREATE INDEX drafts_by_change ON drafts(change);
        CREATE INDEX drafts_by_document ON drafts(document, base);
        CREATE TABLE scene_state(scene TEXT PRIMARY KEY, state BLOB NOT NULL, wall INTEGER NOT NULL);
        CREATE TABLE consumers(
          name TEXT PRIMARY KEY, epoch TEXT NOT NULL, sequence INTEGER NOT NULL, wall INTEGER NOT NULL)
          WITHOUT ROWID;
        CREATE TABLE history(id INTEGER PRIMARY KEY CHECK (id = 1), purged INTEGER NOT NULL);
        INSERT INTO history(id, purged) VALUES (1, 0);
        """)
    }
  }

  static func counts(_ connection: SQLiteConnection) throws -> StoreCounts {
    StoreCounts(
      documents: try connection.integer(
        "SELECT count(*) FROM documents JOIN changes USING (sequence) WHERE digest IS NOT NULL") ?? 0,
      versions: try connection.integer("SELECT count(*) FROM changes") ?? 0,
      drafts: try DraftTable.count(connection))
  }

  /// What the first statement of a commit finds.
  struct Look {
    var recorded: Int64?
    var current: Int64
    var hasDraft: Bool
    var knowsWriter: Bool
  }

  static func look(
    _ connection: SQLiteConnection, change: ChangeID, document: DocumentID, writer: Int64
  ) throws -> Look {
    let look = try connection.first(
      """
      SELECT (SELECT sequence FROM changes WHERE change = ?1), (SELECT version FROM documents WHERE id = ?2),
        EXISTS (SELECT 1 FROM drafts WHERE change = ?1), EXISTS (SELECT 1 FROM writers WHERE id = ?3)
      """, .blob(change.bytes), .text(document.rawValue), .integer(writer)
    ) { row in
      Look(
        recorded: row.optionalInteger(0), current: row.integer(1), hasDraft: row.flag(2),
        knowsWriter: row.flag(3))
    }
    return look ?? Look(current: 0, hasDraft: false, knowsWriter: false)
  }

  static func insertWriter(_ connection: SQLiteConnection, id: Int64, _ writer: Attribution) throws {
    try connection.run(
      "INSERT OR IGNORE INTO writers(id, process, pid, bundle, role, app) VALUES (?, ?, ?, ?, ?, ?)",
      .integer(id), .text(writer.process), .integer(Int64(writer.pid)), .text(writer.bundleIdentifier),
      .text(writer.role), .text(writer.appVersion))
  }

  /// Makes a version current; a smaller number never replaces a larger one (D4).
  static func setCurrent(
    _ connection: SQLiteConnection, document: DocumentID, version: Int64, sequence: Int64, onlyUp: Bool
  ) throws {
    let condition = onlyUp ? " WHERE excluded.version > documents.version" : ""
    try connection.run(
      "INSERT INTO documents(id, version, sequence) VALUES (?, ?, ?) ON CONFLICT(id) DO UPDATE "
        + "SET version = excluded.version, sequence = excluded.sequence" + condition,
      .text(document.rawValue), .integer(version), .integer(sequence))
  }

  static func insertChange(
    _ connection: SQLiteConnection, _ revision: Revision, _ body: PreparedBody, writer: Int64, replacing: Bool
  ) throws {
    try connection.run(
      "INSERT" + (replacing ? " OR REPLACE" : "")
        + " INTO changes(sequence, document, version, change, base, "
        + "digest, size, inline, file, batch, wall, writer) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      .integer(revision.sequence), .text(revision.document.rawValue), .integer(revision.version),
      .blob(revision.change.bytes), .integer(revision.base), .optional(body.digest?.bytes),
      .integer(revision.size), .optional(body.inline), .optional(body.file),
      .optional(revision.batch?.bytes), .integer(revision.writer.wall), .integer(writer))
  }

  // MARK: Revisions

  private static let revisionColumns = """
    c.sequence, c.document, c.version, c.change, c.base, c.digest, c.size, c.batch, c.wall, \
    w.process, w.pid, w.bundle, w.role, w.app
    """
  static let selectRevision =
    "SELECT \(revisionColumns) FROM changes c LEFT JOIN writers w ON w.id = c.writer "
  static let selectCurrent =
    "SELECT \(revisionColumns) FROM documents d JOIN changes c ON c.sequence = d.sequence "
    + "LEFT JOIN writers w ON w.id = c.writer "

  private static let selectCurrentOfOne = selectCurrent + "WHERE d.id = ?"

  static func revision(_ row: borrowing SQLiteRow) -> Revision {
    Revision(
      document: DocumentID(row.text(1)), version: row.integer(2),
      // 16 bytes by every insert; anything else is damage that reads as an ID nobody has.
      change: ChangeID(bytes: row.blob(3)) ?? ChangeID(), base: row.integer(4),
      digest: row.blob(5).hexadecimal, size: row.integer(6), isDeleted: row.isNull(5),
      sequence: row.integer(0), batch: row.optionalBlob(7).flatMap(ChangeID.init(bytes:)),
      writer: Attribution(
        process: row.text(9), pid: Int32(truncatingIfNeeded: row.integer(10)), bundleIdentifier: row.text(11),
        role: row.text(12), appVersion: row.text(13), wall: row.integer(8)))
  }

  static func current(_ connection: SQLiteConnection, _ document: DocumentID) throws -> Revision? {
    try connection.first(selectCurrentOfOne, .text(document.rawValue), row: revision)
  }

  static func revision(
    _ connection: SQLiteConnection, _ document: DocumentID, version: Int64
  ) throws -> Revision? {
    try connection.first(
      selectRevision + "WHERE c.document = ? AND c.version = ?", .text(document.rawValue), .integer(version),
      row: revision)
  }

  static func revision(_ connection: SQLiteConnection, change: ChangeID) throws -> Revision? {
    try connection.first(selectRevision + "WHERE c.change = ?", .blob(change.bytes), row: revision)
  }

  static func list(
    _ connection: SQLiteConnection, prefix: String, after: DocumentID?, limit: Int, includingDeleted: Bool
  ) throws -> [Revision] {
    // No UTF-8 byte is 0xFF: the prefix with one behind it ends the stretch.
    try connection.query(
      selectCurrent
        + "WHERE d.id > ? AND d.id >= ? AND d.id < CAST(? AS TEXT) AND (? OR c.digest IS NOT NULL) "
        + "ORDER BY d.id LIMIT ?",
      .text(after?.rawValue ?? ""), .text(prefix), .blob(Array(prefix.utf8) + [0xFF]),
      .flag(includingDeleted), .integer(Int64(limit)), row: revision)
  }

  static func versions(
    _ connection: SQLiteConnection, _ document: DocumentID, before: Int64?, limit: Int
  ) throws -> [Revision] {
    try connection.query(
      selectRevision + "WHERE c.document = ? AND c.version < ? ORDER BY c.version DESC LIMIT ?",
      .text(document.rawValue), .integer(before ?? .max), .integer(Int64(limit)), row: revision)
  }

  /// Where the body of a version is, to be opened inside the same read transaction.
  static func place(
    _ connection: SQLiteConnection, sequence: Int64
  ) throws -> (inline: [UInt8]?, file: String?)? {
    try connection.first("SELECT inline, file FROM changes WHERE sequence = ?", .integer(sequence)) { row in
      (row.optionalBlob(0), row.optionalText(1))
    }
  }

  /// Whether a body file belongs to a version or a draft.
  static func isReferenced(_ connection: SQLiteConnection, file: String) throws -> Bool {
    try connection.integer(
      "SELECT 1 WHERE EXISTS (SELECT 1 FROM changes WHERE file = ?1) "
        + "OR EXISTS (SELECT 1 FROM drafts WHERE file = ?1)", .text(file)) != nil
  }
}
