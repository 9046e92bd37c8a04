import Tenure

extension Scenario {
  /// D12: the app was updated while an old process of it is still open.
  static let oldAppAfterTheUpdate = Scenario(
    law: .d12, name: "old app after the update",
    moment: """
      An old share extension has the notes open. The app is updated and changes their format: notes can be \
      pinned now. Then the extension saves.
      """,
    rule: "D12.wrote",
    customary: Side("Looks at the format when it opens the file, and writes what it knows.") { stage in
      let trace = try stage.trace(role: "share")
      let folder = stage.folder
      try folder.write("notes", "format 1\nplan\n")
      // The old extension opens; then the new app changes the format.
      let known: Int64 = 1
      try folder.write("notes", "format 2\npinned plan\n")
      try folder.write("notes", "format \(known)\nplan\nshared\n")
      trace.record(SchemaFound(component: "notes", expected: known, found: 2, wrote: true))
      let text = folder.text("notes") ?? ""
      return text.contains("pinned")
        ? .held("the plan is still pinned") : .broken("the plan is no longer pinned")
    },
    tenure: Side("Looks at the schema in each transaction, and writes nothing into a newer one.") { stage in
      let old = try await stage.workspace(role: "share", components: [component(1)])
      try await old.database.write("plan") { transaction in
        try transaction.connection.run("INSERT INTO note(title) VALUES ('plan')")
      }
      let new = try await stage.workspace(role: "app", components: [component(2)])
      try await new.database.write("pin") { try $0.connection.run("UPDATE note SET pinned = 1") }
      var refusal: String?
      do {
        try await old.database.write("share") { transaction in
          try transaction.connection.run("INSERT INTO note(title) VALUES ('shared')")
        }
      } catch let error as StorageError {
        if case .newerSchema = error { refusal = "\(error)" }
      }
      let rows = try await new.database.read { try $0.integer("SELECT count(*) FROM note WHERE pinned = 1") }
      await old.close()
      await new.close()
      guard let refusal, rows == 1 else { return .broken("the old extension wrote into the new schema") }
      return .held("the old extension was refused: \(refusal)")
    })

  private static func component(_ version: Int64) -> Component {
    Component(name: "notes", version: version) { connection, from in
      if from < 1 { try connection.run("CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL)") }
      if from < 2, version >= 2 {
        try connection.run("ALTER TABLE note ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0")
      }
    }
  }
}
