import TenureStorage
import TenureSystem

/// A body made ready outside the lock: its digest known, its bytes at hand or already in a file of their own.
struct PreparedBody: Sendable {
  /// `nil`: a tombstone.
  var digest: Digest?
  var size: Int64
  var inline: [UInt8]?
  var file: String?
  /// Whether the file was read back and compared; `nil` for what is inline, or was read from a row.
  var wasVerified: Bool?

  static let deleted = PreparedBody(digest: nil, size: 0)
}

/// An edit whose body is ready.
struct PreparedEdit: Sendable {
  let edit: Edit
  let body: PreparedBody
  /// The version seen before the transaction; looked at only where guard D4 is taken away.
  var seen: Int64 = 0
  /// A place of the block reserved ahead; used only where guard D9 is taken away.
  var reserved: Int64?
}

/// What a transaction does for one commit: all of its edits or none (D2, D3, D4).
///
/// A value with no state of its own, because a group that fails is run again.
struct CommitStep: Sendable {
  enum Answer: Sendable {
    case committed([Revision])
    case alreadyCommitted(recorded: [Revision], current: [Revision])
    case conflict([DocumentID: Revision?])
  }

  let edits: [PreparedEdit]
  let batch: ChangeID?
  let writer: Int64
  let guards: DocumentGuards
  let participants: [any CommitParticipant]

  func run(_ transaction: Transaction) throws -> Answer {
    let connection = transaction.connection
    var looks: [DocumentTables.Look] = []
    for item in edits {
      looks.append(
        try DocumentTables.look(
          connection, change: item.edit.change, document: item.edit.document, writer: writer))
    }
    if guards.d2, let answer = try alreadyCommitted(connection, looks) { return answer }
    if let answer = try conflict(connection, looks) { return answer }
    let attribution = Attribution(transaction.process, wall: transaction.wall)
    if looks.contains(where: { !$0.knowsWriter }) {
      try DocumentTables.insertWriter(connection, id: writer, attribution)
    }
    var revisions: [Revision] = []
    for (item, look) in zip(edits, looks) {
      revisions.append(try write(item, look, attribution, transaction))
    }
    for participant in participants { try participant.join(transaction) }
    return .committed(revisions)
  }

  /// D2: the change ID decides, never the number; the content must then be the same.
  private func alreadyCommitted(
    _ connection: SQLiteConnection, _ looks: [DocumentTables.Look]
  ) throws -> Answer? {
    if looks.allSatisfy({ $0.recorded == nil }) { return nil }
    var recorded: [Revision] = []
    var current: [Revision] = []
    for (item, look) in zip(edits, looks) {
      let edit = item.edit
      guard look.recorded != nil, let found = try DocumentTables.revision(connection, change: edit.change)
      else {
        // Of a batch, which is all or nothing, some are recorded: those belong to something else.
        let other = zip(edits, looks).first { $0.1.recorded != nil }?.0.edit ?? edit
        throw DocumentError.changeReused(other.change, other.document)
      }
      guard found.document == edit.document, found.base == edit.expected,
        found.digest == item.body.digest?.description ?? ""
      else { throw DocumentError.changeReused(edit.change, found.document) }
      recorded.append(found)
      current.append(try DocumentTables.current(connection, edit.document) ?? found)
    }
    return .alreadyCommitted(recorded: recorded, current: current)
  }

  /// D3: the expected version is the current one, or nothing of the commit is written.
  private func conflict(_ connection: SQLiteConnection, _ looks: [DocumentTables.Look]) throws -> Answer? {
    if !guards.d3 { return nil }
    var conflicts: [DocumentID: Revision?] = [:]
    for (item, look) in zip(edits, looks) {
      let met = guards.d4 ? look.current : item.seen
      if item.edit.expected == met { continue }
      conflicts.updateValue(
        try DocumentTables.current(connection, item.edit.document), forKey: item.edit.document)
    }
    return conflicts.isEmpty ? nil : .conflict(conflicts)
  }

  private func write(
    _ item: PreparedEdit, _ look: DocumentTables.Look, _ attribution: Attribution, _ transaction: Transaction
  ) throws -> Revision {
    let connection = transaction.connection
    let edit = item.edit
    let change = look.recorded == nil ? edit.change : ChangeID()
    let version = try (guards.d4 ? look.current : item.seen)
      .successor("\(edit.document) has version", in: connection.path)
    let sequence = try item.reserved ?? transaction.nextSequence()
    let revision = Revision(
      document: edit.document, version: version, change: change,
      base: edit.expected, digest: item.body.digest?.description ?? "", size: item.body.size,
      isDeleted: item.body.digest == nil, sequence: sequence, batch: batch, writer: attribution)
    try DocumentTables.insertChange(
      connection, revision, item.body, writer: writer, replacing: !guards.d4)
    try DocumentTables.setCurrent(
      connection, document: edit.document, version: revision.version, sequence: sequence, onlyUp: guards.d4)
    if look.hasDraft { try DraftTable.remove(connection, change: edit.change) }
    return revision
  }
}
