import TenureSystem

/// The tables that belong to the storage itself, the components' versions and the epoch.
///
/// `tenure_state` has one row. Its `generation` moves whenever a component's version or the epoch does, so one
/// look at that row inside a transaction tells whether this code may write (D12, D14).
struct Schema: Sendable {
  static let own = Component(name: "storage", version: 1) { connection, from in
    if from < 1 {
      try connection.script(
        """
        CREATE TABLE tenure_component(name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE tenure_state(
          id INTEGER PRIMARY KEY CHECK (id = 1), generation INTEGER NOT NULL, epoch TEXT NOT NULL,
          sequence INTEGER NOT NULL, barrier INTEGER NOT NULL);
        CREATE TABLE tenure_sweep(name TEXT PRIMARY KEY) WITHOUT ROWID;
        """)
      let epoch = (0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
      try connection.run(
        "INSERT INTO tenure_state(id, generation, epoch, sequence, barrier) VALUES (1, 0, ?, 0, 0)",
        .text(epoch))
    }
  }

  let components: [Component]

  init(_ components: [Component]) { self.components = [Self.own] + components }

  /// Looks and changes in one transaction. Call under the commit lock, which makes the two one step for
  /// processes too (G4).
  func migrate(_ connection: SQLiteConnection) throws -> SchemaState {
    try connection.run("BEGIN IMMEDIATE")
    do {
      var changed = false
      for component in components {
        let found = try Self.version(of: component, connection)
        if found > component.version {
          throw StorageError.newerSchema(component: component.name, found: found, known: component.version)
        }
        if found == component.version { continue }
        do {
          try component.migrate(connection, found)
        } catch {
          throw StorageError.migrationFailed(
            component: component.name, from: found, to: component.version, reason: "\(error)")
        }
        try connection.run(
          "INSERT INTO tenure_component(name, version) VALUES (?, ?) "
            + "ON CONFLICT(name) DO UPDATE SET version = excluded.version",
          .text(component.name), .integer(component.version))
        changed = true
      }
      if changed { try connection.run("UPDATE tenure_state SET generation = generation + 1") }
      let state = try Self.state(connection)
      try connection.run("COMMIT")
      return state
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Throws when a component's tables are newer than this code.
  func check(_ connection: SQLiteConnection) throws {
    for component in components {
      let found = try Self.version(of: component, connection)
      if found > component.version {
        throw StorageError.newerSchema(component: component.name, found: found, known: component.version)
      }
    }
  }

  static func state(_ connection: SQLiteConnection) throws -> SchemaState {
    let state = try connection.first("SELECT generation, epoch, sequence FROM tenure_state") {
      SchemaState(generation: $0.integer(0), epoch: $0.text(1), sequence: $0.integer(2))
    }
    guard let state else {
      throw StorageError.impossible("tenure_state has no row", in: connection.path)
    }
    return state
  }

  private static func version(of component: Component, _ connection: SQLiteConnection) throws -> Int64 {
    let exists = try connection.integer(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'tenure_component'")
    if exists == nil { return 0 }
    return try connection.integer(
      "SELECT version FROM tenure_component WHERE name = ?", .text(component.name)) ?? 0
  }
}

/// The one row that is looked at inside each transaction.
struct SchemaState: Sendable {
  var generation: Int64
  var epoch: String
  var sequence: Int64
}
