import Tenure
import TenureSystem
import TenureTesting
import TenureTrace

/// Reads what the lab's container finally holds.
struct LabOutcome {
  let container: String
  let system: System

  func collect() async throws -> StoredOutcome {
    let store = try await LabBox.open(
      container, system: system, trace: .off(as: .current(role: "lab")), guards: LabGuards(without: nil))
    var outcome = StoredOutcome()
    outcome.purgedThrough = try await purgedThrough(store)
    for document in LabBox.documents {
      guard let current = try await store.revision(of: document) else { continue }
      outcome.current[document] = current.version
      var before: Int64?
      while true {
        let page = try await store.versions(of: document, before: before, limit: 500)
        guard let last = page.last else { break }
        for revision in page {
          outcome.versions.append(
            StoredOutcome.Version(
              document, revision.version, change: revision.change, base: revision.base,
              sequence: revision.sequence, digest: revision.digest,
              found: .some(try await found(revision, in: store))))
        }
        before = last.version
      }
    }
    for recovered in try await store.recover() {
      let draft = recovered.draft
      let client = draft.scene.split(separator: "/").first.map(String.init) ?? ""
      outcome.drafts[client, default: []].append(RecoveredItem(recovered))
      if let reason = recovered.damage {
        outcome.damage.append("the draft of \(draft.document) in \(draft.scene): \(reason)")
      }
    }
    if let bytes = try contents(LabBox.counter) {
      // A torn counter has lost every count.
      outcome.counters[LabBox.counter] = LabBox.number(in: bytes) ?? 0
    }
    if let bytes = try contents(LabBox.journal) { outcome.tokens[LabBox.journal] = LabBox.tokens(in: bytes) }
    await store.database.close()
    return outcome
  }

  /// The first place from which the history goes on without a gap.
  private func purgedThrough(_ store: DocumentStore) async throws -> Int64 {
    let epoch = try await store.database.epoch
    var low: Int64 = 0
    var high = Int64.max / 2
    while low < high {
      let middle = (low + high) / 2
      let token = HistoryToken(epoch: epoch, sequence: middle)
      switch try await store.history(after: token, limit: 1) {
      case .changes: high = middle
      // Behind the last change, too, one is sent to a snapshot.
      case .startFromSnapshot(let newest):
        if middle > newest.sequence { high = newest.sequence } else { low = middle + 1 }
      }
    }
    return low
  }

  /// The digest of a version's bytes; empty for a tombstone, `nil` when they are damaged.
  private func found(_ revision: Revision, in store: DocumentStore) async throws -> String? {
    if revision.isDeleted { return "" }
    do {
      return LabBox.digest(try await store.body(of: revision.document, version: revision.version).data)
    } catch DocumentError.bodyDamaged { return nil }
  }

  private func contents(_ name: String) throws -> [UInt8]? {
    let path = container.appendingPath(name)
    return try system.status(path) == nil ? nil : try system.contents(of: path, limit: 64 << 20)
  }
}
