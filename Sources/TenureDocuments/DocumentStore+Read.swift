import TenureStorage
import TenureSystem
import TenureTrace

extension DocumentStore {
  /// A version of a document as it was committed; the current one unless said, which may be a tombstone.
  /// `nil`: there is no such document or version (any more).
  public func revision(of document: DocumentID, version: Int64? = nil) async throws -> Revision? {
    try document.validated()
    let revision = try await reading("revision") { connection in
      try Self.find(connection, document, version)
    }
    if let revision, trace.isOn {
      trace.record(
        DocumentRead(
          document: document.rawValue, version: revision.version, digest: String(revision.digest.prefix(16))))
    }
    return revision
  }

  /// A version with its bytes, which are those that were committed, or an error (D5). The current one unless
  /// said. Loads the body: for large ones see ``withBodyFile(of:version:_:)``.
  public func body(
    of document: DocumentID, version: Int64? = nil
  ) async throws -> (revision: Revision, data: Data) {
    try document.validated()
    let (revision, source) = try await open(document, version)
    let data: Data
    switch source {
    case .inline(let bytes):
      if guards.d5 { try Self.verify(bytes, revision) }
      data = Data(bytes)
    case .file(let file):
      let (bodies, isVerified) = (database.bodies, guards.d5)
      data = try await files.run {
        Data(try Self.contents(of: revision, in: file, bodies, verified: isVerified))
      }
    }
    let digest = guards.d5 ? revision.digest : Digest(of: data).description
    trace.record(
      DocumentRead(
        document: document.rawValue, version: revision.version, digest: String(digest.prefix(16))))
    return (revision, data)
  }

  /// Documents whose IDs begin with `prefix`, in the order of their IDs, a page at a time.
  public func list(
    prefix: String = "", after: DocumentID? = nil, limit: Int = 100, includingDeleted: Bool = false
  ) async throws -> Page<Revision> {
    let limit = try checked(limit)
    let found = try await reading("list") { connection in
      try DocumentTables.list(
        connection, prefix: prefix, after: after, limit: limit + 1, includingDeleted: includingDeleted)
    }
    let items = Array(found.prefix(limit))
    return Page(items: items, next: found.count > limit ? items.last?.document : nil)
  }

  /// The kept versions of a document below `before` (all unless said), newest first.
  public func versions(
    of document: DocumentID, before: Int64? = nil, limit: Int = 100
  ) async throws -> [Revision] {
    try document.validated()
    let limit = try checked(limit)
    return try await reading("versions") { connection in
      try DocumentTables.versions(connection, document, before: before, limit: limit)
    }
  }

  func checked(_ limit: Int) throws(DocumentError) -> Int {
    if limit < 1 { throw .invalidArgument("A limit of \(limit) gives nothing. Ask for at least 1.") }
    return min(limit, 100_000)
  }

  // MARK: Bodies

  enum BodySource: Sendable {
    case inline([UInt8])
    case file(OpenFile)
  }

  static func find(
    _ connection: SQLiteConnection, _ document: DocumentID, _ version: Int64?
  ) throws -> Revision? {
    guard let version else { return try DocumentTables.current(connection, document) }
    return try DocumentTables.revision(connection, document, version: version)
  }

  /// Selects the version and opens its body inside one read transaction; a file that a purge took away between
  /// the two is looked for again on a new snapshot.
  private func open(_ document: DocumentID, _ version: Int64?) async throws -> (Revision, BodySource) {
    try await locating(document, version) { files, name, _ in
      try files.open(name).map(BodySource.file)
    }
  }

  /// Selects, then has `reach` get hold of the body file inside the same read transaction.
  func locating(
    _ document: DocumentID, _ version: Int64?,
    _ reach: @escaping @Sendable (BodyFiles, _ name: String, Revision) throws -> BodySource?
  ) async throws -> (Revision, BodySource) {
    let bodies = database.bodies
    var missing: String?
    while true {
      let before = missing
      let found = try await reading("body") { connection -> (Revision, Located) in
        guard let revision = try Self.find(connection, document, version) else {
          throw try DocumentTables.current(connection, document) == nil
            ? DocumentError.noSuchDocument(document)
            : DocumentError.noSuchVersion(document, version: version ?? 0)
        }
        if revision.isDeleted { throw DocumentError.deleted(document, version: revision.version) }
        guard let place = try DocumentTables.place(connection, sequence: revision.sequence) else {
          throw DocumentError.noSuchVersion(document, version: revision.version)
        }
        if let bytes = place.inline { return (revision, .found(.inline(bytes))) }
        guard let file = place.file else {
          throw DocumentError.bodyDamaged(
            document, version: revision.version, detail: "the row has neither bytes nor a file")
        }
        return (revision, try reach(bodies, file, revision).map(Located.found) ?? .missing(file))
      }
      switch found.1 {
      case .found(let source): return (found.0, source)
      case .missing(let file):
        // Two snapshots that name the same missing file: nobody is taking it away, it is gone.
        if file == before {
          throw DocumentError.bodyDamaged(
            document, version: found.0.version, detail: "the file bodies/\(file) is missing")
        }
        missing = file
      }
    }
  }

  private enum Located: Sendable {
    case found(BodySource)
    case missing(String)
  }
}
