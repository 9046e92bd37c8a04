import TenureStorage
import TenureSystem

/// The statements on drafts and on the state of scenes.
enum DraftTable {
  /// A draft as stored: where its body is, not the body itself.
  struct Row: Sendable {
    var scene: String
    var document: DocumentID
    var change: ChangeID
    var base: Int64
    var body: PreparedBody
    /// What is wrong with the row itself.
    var flaw: String?
  }

  private static let select = "SELECT scene, document, change, base, digest, size, inline, file FROM drafts "

  private static func row(_ row: borrowing SQLiteRow) -> Row {
    let (scene, document, change) = (row.text(0), row.text(1), ChangeID(bytes: row.blob(2)))
    return Row(
      scene: scene, document: DocumentID(document), change: change ?? standIn(scene, document),
      base: row.integer(3),
      body: PreparedBody(
        digest: Digest(bytes: row.blob(4)), size: row.integer(5), inline: row.optionalBlob(6),
        file: row.optionalText(7)),
      flaw: change == nil ? "its change ID cannot be read" : nil)
  }

  /// The change of a draft whose own cannot be read: no edit's, and the same at every look.
  static func standIn(_ scene: String, _ document: String) -> ChangeID {
    ChangeID(derivedFrom: ["damaged draft", scene, document])
  }

  static func all(_ connection: SQLiteConnection, scene: String?) throws -> [Row] {
    try connection.query(
      select + "WHERE ?1 IS NULL OR scene = ?1 ORDER BY scene, document", .optional(scene), row: row)
  }

  static func find(_ connection: SQLiteConnection, scene: String, document: DocumentID) throws -> Row? {
    try connection.first(
      select + "WHERE scene = ? AND document = ?", .text(scene), .text(document.rawValue), row: row)
  }

  static func count(_ connection: SQLiteConnection) throws -> Int64 {
    try connection.integer("SELECT count(*) FROM drafts") ?? 0
  }

  /// The scene that has most drafts.
  static func fullestScene(_ connection: SQLiteConnection) throws -> String? {
    try connection.first("SELECT scene FROM drafts GROUP BY scene ORDER BY count(*) DESC, scene LIMIT 1") {
      $0.text(0)
    }
  }

  static func put(
    _ connection: SQLiteConnection, _ draft: Draft, _ body: PreparedBody, wall: Int64
  ) throws {
    try connection.run(
      """
      INSERT INTO drafts(scene, document, change, base, digest, size, inline, file, wall)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT(scene, document) DO UPDATE SET change = excluded.change, base = excluded.base,
        digest = excluded.digest, size = excluded.size, inline = excluded.inline, file = excluded.file,
        wall = excluded.wall
      """,
      .text(draft.scene), .text(draft.document.rawValue), .blob(draft.change.bytes), .integer(draft.base),
      .optional(body.digest?.bytes), .integer(body.size), .optional(body.inline), .optional(body.file),
      .integer(wall))
  }

  static func remove(_ connection: SQLiteConnection, change: ChangeID) throws {
    try connection.run("DELETE FROM drafts WHERE change = ?", .blob(change.bytes))
  }

  static func remove(_ connection: SQLiteConnection, scene: String, document: DocumentID) throws {
    try connection.run(
      "DELETE FROM drafts WHERE scene = ? AND document = ?", .text(scene), .text(document.rawValue))
  }

  // MARK: Scene state

  static func putState(_ connection: SQLiteConnection, scene: String, _ state: [UInt8], wall: Int64) throws {
    try connection.run(
      "INSERT INTO scene_state(scene, state, wall) VALUES (?, ?, ?) "
        + "ON CONFLICT(scene) DO UPDATE SET state = excluded.state, wall = excluded.wall",
      .text(scene), .blob(state), .integer(wall))
  }

  static func removeState(_ connection: SQLiteConnection, scene: String) throws {
    try connection.run("DELETE FROM scene_state WHERE scene = ?", .text(scene))
  }

  static func state(_ connection: SQLiteConnection, scene: String) throws -> [UInt8]? {
    try connection.first("SELECT state FROM scene_state WHERE scene = ?", .text(scene)) { $0.blob(0) }
  }
}
