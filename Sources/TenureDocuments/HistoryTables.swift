import TenureStorage

/// The statements on history, its consumers and its purge (D9).
enum HistoryTables {
  /// Where history stands.
  struct Extent: Sendable {
    /// Changes up to here may be gone.
    var purged: Int64
    /// The newest change.
    var newest: Int64

    /// A purge keeps current versions, so the newest change is never among what it took.
    var isPossible: Bool { purged >= 0 && newest >= purged }
  }

  /// Throws when the numbers cannot be: going by them, a consumer would be sent in circles.
  static func extent(_ connection: SQLiteConnection) throws -> Extent {
    let extent = try storedExtent(connection)
    if !extent.isPossible {
      throw StorageError.impossible(
        "the history is said to be purged up to \(extent.purged), and its newest change is \(extent.newest)",
        in: connection.path)
    }
    return extent
  }

  /// As it stands in the tables.
  static func storedExtent(_ connection: SQLiteConnection) throws -> Extent {
    let extent = try connection.first(
      "SELECT (SELECT purged FROM history), (SELECT max(sequence) FROM changes)"
    ) { Extent(purged: $0.integer(0), newest: $0.integer(1)) }
    return extent ?? Extent(purged: 0, newest: 0)
  }

  static func changes(_ connection: SQLiteConnection, after: Int64, limit: Int) throws -> [Revision] {
    try connection.query(
      DocumentTables.selectRevision + "WHERE c.sequence > ? ORDER BY c.sequence LIMIT ?", .integer(after),
      .integer(Int64(limit)), row: DocumentTables.revision)
  }

  // MARK: Consumers

  struct Consumer: Sendable {
    var name: String
    var token: HistoryToken
    var wall: Int64
  }

  private static let selectConsumer = "SELECT name, epoch, sequence, wall FROM consumers "

  private static func consumer(_ row: borrowing SQLiteRow) -> Consumer {
    Consumer(
      name: row.text(0), token: HistoryToken(epoch: row.text(1), sequence: row.integer(2)),
      wall: row.integer(3))
  }

  static func consumer(_ connection: SQLiteConnection, _ name: String) throws -> Consumer? {
    try connection.first(selectConsumer + "WHERE name = ?", .text(name), row: consumer)
  }

  static func consumers(_ connection: SQLiteConnection) throws -> [Consumer] {
    try connection.query(selectConsumer + "ORDER BY sequence, name", row: consumer)
  }

  static func put(_ connection: SQLiteConnection, _ name: String, _ token: HistoryToken, wall: Int64) throws {
    try connection.run(
      "INSERT INTO consumers(name, epoch, sequence, wall) VALUES (?, ?, ?, ?) ON CONFLICT(name) DO UPDATE "
        + "SET epoch = excluded.epoch, sequence = excluded.sequence, wall = excluded.wall",
      .text(name), .text(token.epoch), .integer(token.sequence), .integer(wall))
  }

  static func retire(_ connection: SQLiteConnection, _ name: String) throws -> Bool {
    try connection.run("DELETE FROM consumers WHERE name = ?", .text(name))
    return connection.changes > 0
  }

  // MARK: Purging

  struct Old: Sendable {
    var sequence: Int64
    var file: String?
  }

  /// Old versions after `after` and up to `bound`, except current ones, the newest `keeping` of each document
  /// and the bases of drafts.
  static func old(
    _ connection: SQLiteConnection, after: Int64, through bound: Int64, keeping: Int64, limit: Int
  ) throws -> [Old] {
    try connection.query(
      """
      SELECT c.sequence, c.file FROM changes c JOIN documents d ON d.id = c.document
      WHERE c.sequence > ? AND c.sequence <= ? AND c.version <= d.version - ?
        AND NOT EXISTS (SELECT 1 FROM drafts r WHERE r.document = c.document AND r.base = c.version)
      ORDER BY c.sequence LIMIT ?
      """,
      .integer(after), .integer(bound), .integer(keeping), .integer(Int64(limit))
    ) { Old(sequence: $0.integer(0), file: $0.optionalText(1)) }
  }

  /// Drafts that keep a version which would otherwise go.
  static func draftsInTheWay(
    _ connection: SQLiteConnection, through bound: Int64, keeping: Int64
  ) throws -> [FlushItem] {
    try connection.query(
      """
      SELECT r.document, r.change, r.scene FROM drafts r
      JOIN changes c ON c.document = r.document AND c.version = r.base
      JOIN documents d ON d.id = r.document
      WHERE c.sequence <= ? AND c.version <= d.version - ? ORDER BY r.scene, r.document
      """, .integer(bound), .integer(keeping)
    ) { row in
      FlushItem(
        document: DocumentID(row.text(0)), change: ChangeID(bytes: row.blob(1)) ?? ChangeID(),
        scene: row.text(2))
    }
  }

  static func remove(_ connection: SQLiteConnection, _ old: [Old]) throws {
    guard let last = old.last else { return }
    for row in old { try connection.run("DELETE FROM changes WHERE sequence = ?", .integer(row.sequence)) }
    try connection.run("UPDATE history SET purged = max(purged, ?)", .integer(last.sequence))
  }

  /// Writers that no change names any more; a live process puts itself back with its next commit.
  static func removeUnnamedWriters(_ connection: SQLiteConnection) throws {
    try connection.run("DELETE FROM writers WHERE id NOT IN (SELECT writer FROM changes)")
  }
}
