import TenureStorage
import TenureSystem
import TenureTrace

/// The stretch of history a consumer was given here since it last acknowledged, page after page without a gap.
struct HistoryStretch: Sendable, Hashable {
  var start: HistoryToken
  var end: HistoryToken

  func contains(_ token: HistoryToken) -> Bool {
    token == end
      || token.epoch == end.epoch && token.sequence > start.sequence && token.sequence < end.sequence
  }

  /// What is left of it when everything up to a token is acknowledged; `nil`: nothing.
  func after(_ token: HistoryToken) -> HistoryStretch? {
    token == end ? nil : contains(token) ? HistoryStretch(start: token, end: end) : self
  }

  /// With one page more; one that does not go on from here begins anew.
  func adding(_ page: HistoryStretch) -> HistoryStretch {
    page.start == end ? HistoryStretch(start: start, end: page.end) : page
  }
}

extension DocumentStore {
  /// The changes after a place in the history, in the order of their commits, none left out (D9).
  ///
  /// ```swift
  /// switch try await store.history(after: nil, for: "search index") {
  /// case .changes(let changes, let next):
  ///   try await store.acknowledge(next, for: "search index", with: [IndexRows(changes)])   // one transaction
  /// case .startFromSnapshot(let token):                     // list everything, then acknowledge `token`
  /// }
  /// ```
  /// A named consumer keeps its place in the container and is registered by its first call; from then on a purge
  /// keeps what it has not acknowledged. `nil` goes on from the consumer's place, or, without a consumer, from
  /// the beginning. A token of before a purge or of another epoch gets `startFromSnapshot`.
  public func history(
    after token: HistoryToken?, for consumer: String? = nil, limit: Int = 1_000
  ) async throws -> HistoryResult {
    let limit = try checked(limit)
    let epoch = try await epoch()
    let start = try await place(of: consumer, token, epoch)
    let stretch = try await reading("history") { connection in
      (
        try HistoryTables.extent(connection),
        try HistoryTables.changes(connection, after: start.sequence, limit: limit)
      )
    }
    let (extent, changes) = stretch
    let isKnown = start.epoch == epoch && start.sequence >= extent.purged && start.sequence <= extent.newest
    let end = HistoryToken(
      epoch: epoch, sequence: isKnown ? changes.last?.sequence ?? start.sequence : extent.newest)
    if let consumer {
      let page = HistoryStretch(start: start, end: end)
      historyReads.withLock { $0[consumer] = $0[consumer]?.adding(page) ?? page }
    }
    trace.record(
      HistoryRead(
        consumer: consumer ?? "", after: start.sequence, through: end.sequence,
        changes: isKnown ? changes.map(\.sequence) : [], snapshot: !isKnown))
    return isKnown ? .changes(changes, next: end) : .startFromSnapshot(end)
  }

  /// Moves a consumer's place, in one transaction with the effect of what it was given: exactly once (D9). One
  /// acknowledgement may stand for several pages that were read one after the other.
  ///
  /// When another process that runs the same consumer was faster, the transaction is undone and
  /// ``DocumentError/acknowledgedElsewhere(consumer:at:)`` thrown. A token that was acknowledged already, with no
  /// participants, is harmless.
  public func acknowledge(
    _ token: HistoryToken, for consumer: String, with participants: [any CommitParticipant] = []
  ) async throws {
    try validate(consumer: consumer)
    let epoch = try await epoch()
    if token.epoch != epoch {
      throw DocumentError.acknowledgedElsewhere(
        consumer: consumer, at: HistoryToken(epoch: epoch, sequence: 0))
    }
    let stretch = historyReads.withLock { $0[consumer] }
    let start = stretch.flatMap { $0.contains(token) ? $0.start : nil }
    try await writing("acknowledge") { transaction in
      let connection = transaction.connection
      if let place = try HistoryTables.consumer(connection, consumer)?.token, place.epoch == epoch {
        // A place behind the newest change is damage, and would be read anew for ever if it stayed.
        if place.sequence >= token.sequence, participants.isEmpty,
          try place.sequence <= HistoryTables.extent(connection).newest
        {
          return
        }
        let isMine = start.map { $0 == place } ?? (place.sequence < token.sequence)
        if !isMine { throw DocumentError.acknowledgedElsewhere(consumer: consumer, at: place) }
      }
      try HistoryTables.put(connection, consumer, token, wall: transaction.wall)
      for participant in participants { try participant.join(transaction) }
    }
    historyReads.withLock { $0[consumer] = $0[consumer]?.after(token) }
  }

  /// The registered consumers, slowest first.
  public func consumers() async throws -> [ConsumerStatus] {
    try await reading("consumers") { connection in
      let newest = try HistoryTables.extent(connection).newest
      return try HistoryTables.consumers(connection).map { $0.status(newest: newest) }
    }
  }

  /// Takes a consumer away, so that it no longer keeps history from being purged. `false`: there is none.
  @discardableResult
  public func retire(consumer: String) async throws -> Bool {
    try await writing("retire", freesSpace: true) { try HistoryTables.retire($0.connection, consumer) }
  }

  // MARK: Purging

  /// Removes old versions: all but the current one and the newest `keepingVersions` of each document, up to what
  /// the slowest live consumer has acknowledged (D9, D13).
  ///
  /// Kept whatever their age: current versions, tombstones among them, and the bases of drafts, without which
  /// they could not be merged (D8). Works in short transactions, so it may be cancelled between two of them.
  public func purge(keepingVersions: Int = 10) async throws -> PurgeReport {
    if keepingVersions < 1 {
      throw DocumentError.invalidArgument(
        "A purge keeps at least the current version, not \(keepingVersions).")
    }
    let keeping = Int64(keepingVersions)
    let epoch = try await epoch()
    var cursor: Int64 = 0
    var removed: Int64 = 0
    var isMore = true
    while isMore {
      try Task.checkCancellation()
      let start = cursor
      // The bound is looked up in each transaction: a consumer may have registered since the last.
      let gone = try await writing("purge", freesSpace: true) { transaction -> [HistoryTables.Old] in
        let connection = transaction.connection
        let bound = try Self.purgeBound(connection, epoch)
        let old = try HistoryTables.old(
          connection, after: start, through: bound.sequence, keeping: keeping, limit: 500)
        try HistoryTables.remove(connection, old)
        for file in old.compactMap(\.file) { try transaction.sweep(file) }
        if old.isEmpty { try HistoryTables.removeUnnamedWriters(connection) }
        return old
      }
      removed += Int64(gone.count)
      cursor = gone.last?.sequence ?? cursor
      isMore = !gone.isEmpty
    }
    let swept = try await sweep()
    return try await report(removed: removed, files: Int64(swept), keeping: keeping, epoch)
  }

  /// Removes body files that interrupted saves left behind; how many.
  func sweep() async throws -> Int {
    do {
      return try await database.sweep { connection, names in
        Set(try names.filter { try DocumentTables.isReferenced(connection, file: $0) })
      }.removed.count
    } catch let error as StorageError {
      throw DocumentError.storage(error)
    }
  }

  private func report(
    removed: Int64, files: Int64, keeping: Int64, _ epoch: String
  ) async throws -> PurgeReport {
    let report = try await reading("purge") { connection -> PurgeReport in
      let extent = try HistoryTables.extent(connection)
      let bound = try Self.purgeBound(connection, epoch)
      let held = try HistoryTables.old(
        connection, after: bound.sequence, through: extent.newest, keeping: keeping, limit: 1)
      return PurgeReport(
        removed: removed, through: extent.purged, filesRemoved: files,
        slowest: held.isEmpty ? nil : bound.consumer?.status(newest: extent.newest),
        keptForDrafts: try HistoryTables.draftsInTheWay(connection, through: bound.sequence, keeping: keeping)
      )
    }
    trace.record(HistoryPurged(through: report.through, slowest: report.slowest?.name))
    return report
  }

  private static func purgeBound(
    _ connection: SQLiteConnection, _ epoch: String
  ) throws -> (sequence: Int64, consumer: HistoryTables.Consumer?) {
    // A consumer of an earlier epoch starts from a snapshot in any case.
    let slowest = try HistoryTables.consumers(connection).first { $0.token.epoch == epoch }
    return (slowest?.token.sequence ?? .max, slowest)
  }

  // MARK: Places

  private func epoch() async throws -> String {
    do { return try await database.epoch } catch let error as StorageError {
      throw DocumentError.storage(error)
    }
  }

  private func place(of consumer: String?, _ token: HistoryToken?, _ epoch: String) async throws
    -> HistoryToken
  {
    guard let consumer else { return token ?? HistoryToken(epoch: epoch, sequence: 0) }
    try validate(consumer: consumer)
    let known = try await reading("consumer") { try HistoryTables.consumer($0, consumer)?.token }
    if let known { return token ?? known }
    let first = token ?? HistoryToken(epoch: epoch, sequence: 0)
    return try await writing("register") { transaction in
      if let known = try HistoryTables.consumer(transaction.connection, consumer)?.token {
        return token ?? known
      }
      try HistoryTables.put(transaction.connection, consumer, first, wall: transaction.wall)
      return first
    }
  }

  private func validate(consumer: String) throws(DocumentError) {
    if consumer.isEmpty || consumer.utf8.count > 256 {
      throw .invalidArgument("A consumer's name has 1 to 256 bytes, this one has \(consumer.utf8.count).")
    }
  }
}

extension HistoryTables.Consumer {
  func status(newest: Int64) -> ConsumerStatus {
    // A place before the beginning is damage; it is as far behind as one can be.
    ConsumerStatus(name: name, token: token, behind: max(0, newest - max(0, token.sequence)), wall: wall)
  }
}
