import Tenure

extension DocumentModel {
  /// What `DocumentStore.history(after:for:limit:)` answers: after `token`, or else after what `consumer` has
  /// acknowledged, or else from the beginning.
  public func history(
    after token: HistoryToken? = nil, for consumer: String? = nil, limit: Int
  ) throws(DocumentError) -> HistoryResult {
    if let token, token.epoch != epoch { return .startFromSnapshot(place(lastSequence)) }
    let after = token?.sequence ?? consumer.flatMap { consumers[$0] } ?? 0
    if after > lastSequence || after < purgedThrough { return .startFromSnapshot(place(lastSequence)) }
    let changes = history.map(\.revision).filter { $0.sequence > after }.prefix(limit)
    return .changes(Array(changes), next: place(changes.last?.sequence ?? after))
  }

  /// A consumer has seen everything up to `token`. Its place never goes back.
  public mutating func acknowledge(_ token: HistoryToken, for consumer: String) {
    consumers[consumer] = max(consumers[consumer] ?? 0, token.sequence)
  }

  /// Forgets all but the newest `count` version numbers of each document, except what a consumer has not acknowledged
  /// and what a draft is based on; the number of versions that went.
  @discardableResult
  public mutating func purge(keepingVersions count: Int) -> Int {
    let slowest = consumers.values.min() ?? .max
    let bases = Set(drafts.values.map { Base(document: $0.document, version: $0.base) })
    var gone: Set<Int64> = []
    for entries in versions.values {
      guard let current = entries.last?.revision.version else { continue }
      for entry in entries where entry.revision.version <= current - Int64(max(1, count)) {
        let base = Base(document: entry.revision.document, version: entry.revision.version)
        if entry.revision.sequence <= slowest, !bases.contains(base) { gone.insert(entry.revision.sequence) }
      }
    }
    for entry in history where gone.contains(entry.revision.sequence) { changes[entry.revision.change] = nil }
    history.removeAll { gone.contains($0.revision.sequence) }
    for document in versions.keys {
      versions[document]?.removeAll { gone.contains($0.revision.sequence) }
    }
    purgedThrough = max(purgedThrough, gone.max() ?? 0)
    return gone.count
  }

  private struct Base: Hashable {
    var document: DocumentID
    var version: Int64
  }

  private func place(_ sequence: Int64) -> HistoryToken { HistoryToken(epoch: epoch, sequence: sequence) }
}
