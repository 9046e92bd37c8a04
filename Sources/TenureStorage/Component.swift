/// A part of the database with tables of its own and a version of them.
///
/// ```swift
/// static let component = Component(name: "notes", version: 2) { connection, from in
///   if from < 1 { try connection.script("CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT)") }
///   if from < 2 { try connection.script("ALTER TABLE note ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0") }
/// }
/// ```
/// Migrations run once, in one transaction under the commit lock, however many processes open at the same
/// time and whichever of them is killed (G4).
public struct Component: Sendable {
  /// Names the part; the same for ever.
  public let name: String
  /// The version of its tables that this code knows, from 1.
  public let version: Int64
  /// Brings the tables from version `from` (0: none) to ``version``, in a transaction that is already open.
  public let migrate: @Sendable (SQLiteConnection, _ from: Int64) throws -> Void

  /// A part by its name, version and way there.
  public init(
    name: String, version: Int64,
    migrate: @escaping @Sendable (SQLiteConnection, _ from: Int64) throws -> Void
  ) {
    self.name = name
    self.version = version
    self.migrate = migrate
  }
}
