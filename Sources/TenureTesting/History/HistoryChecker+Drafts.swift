import Tenure

/// What may be offered for one scene and document.
private struct Expectation {
  /// The last checkpoint that was answered; it, or one of `pending`, must come back.
  var durable: (change: ChangeID, digest: String)?
  /// Checkpoints after it that were never answered, or were taken (since when) and not yet said to be durable.
  var pending: [(change: ChangeID, digest: String, taken: UInt64)] = []
  /// The durable draft may have been taken away by a commit or a discard.
  var mayBeGone = true
  /// What a flush called unsaved, until somebody keeps anything again.
  var unsaved: (change: ChangeID, digest: String)?
  /// Until when a discard was, or may have been, under way.
  var discarding: UInt64 = 0

  /// What may be offered once this has happened, too.
  func after(_ record: OperationRecord, scene: String, _ document: DocumentID) -> Self {
    var next = self
    switch record.request {
    case .checkpoint(scene, document, let change, _, let digest):
      next.unsaved = nil
      if record.answer == .done {
        next = Self(durable: (change, digest), mayBeGone: false, discarding: discarding)
      } else if record.answer == nil || record.answer == .taken {
        next.pending.append((change, digest, record.ended ?? .max))
      }
    case .discard(scene, document):
      next.mayBeGone = true
      next.discarding = max(discarding, record.ended ?? .max)
    case .commit(document, let change, _, _):
      let isOurs = next.durable?.change == change || next.pending.contains { $0.change == change }
      if isOurs, record.isPending || record.isAcknowledged { next.mayBeGone = true }
    default: break
    }
    return next
  }

  /// What may be offered once a flush has said that the draft of `change` is saved: the newest that was taken
  /// before the flush. It may be gone already when it was taken away while the flush ran.
  func afterSaving(_ change: ChangeID, by flush: OperationRecord, _ requests: CommitRequests) -> Self {
    guard let last = pending.lastIndex(where: { $0.change == change && $0.taken < flush.begun }) else {
      return self
    }
    var next = self
    next.durable = (change, pending[last].digest)
    next.pending.removeFirst(last + 1)
    let isCommitted = (requests.byChange[change] ?? []).contains {
      $0.begun < flush.ended ?? .max && ($0.isPending || $0.isAcknowledged)
    }
    next.mayBeGone = isCommitted || discarding > flush.begun
    return next
  }
}

extension Expectation {
  /// What may be offered once a flush has said that the draft of `change` is not saved: not the newest content that
  /// was taken before the flush, unless that was kept before. What is typed while the flush runs begins anew.
  fileprivate func afterRefusing(_ change: ChangeID, by flush: OperationRecord) -> Self {
    guard let newest = pending.last, newest.change == change, newest.taken < flush.begun,
      durable.map({ $0.change == change && $0.digest == newest.digest }) != true
    else { return self }
    var next = self
    next.unsaved = (change, newest.digest)
    return next
  }
}

private struct Key: Hashable {
  var scene: String
  var document: DocumentID
}

extension HistoryChecker {
  /// Every checkpointed draft is offered again until it is committed or discarded, with its true standing.
  func checkDrafts(
    _ records: [OperationRecord], _ outcome: StoredOutcome, _ chains: VersionChains, _ knowledge: Knowledge,
    _ requests: CommitRequests, into report: inout HistoryReport
  ) {
    var expectations: [String: [Key: Expectation]] = [:]
    for record in records {
      switch record.request {
      case .recover:
        guard case .drafts(let items) = record.answer else { continue }
        compare(items, with: expectations[record.client] ?? [:], record.name, into: &report)
        checkStandings(items, at: record.begun, record.name, chains, knowledge, into: &report)
      case .flush:
        guard case .flushed(let flush) = record.answer else { continue }
        for item in flush.saved {
          let key = Key(scene: item.scene ?? "", document: item.document)
          guard let expectation = expectations[record.client]?[key] else { continue }
          expectations[record.client]?[key] = expectation.afterSaving(item.change, by: record, requests)
        }
        for item in flush.unsaved {
          let key = Key(scene: item.scene ?? "", document: item.document)
          guard let expectation = expectations[record.client]?[key] else { continue }
          expectations[record.client]?[key] = expectation.afterRefusing(item.change, by: record)
        }
      case .checkpoint, .discard, .commit:
        for (key, expectation) in expectations[record.client] ?? [:] {
          expectations[record.client]?[key] = expectation.after(record, scene: key.scene, key.document)
        }
        if case .checkpoint(let scene, let document, _, _, _) = record.request {
          let key = Key(scene: scene, document: document)
          if expectations[record.client]?[key] == nil {
            expectations[record.client, default: [:]][key] =
              Expectation().after(record, scene: scene, document)
          }
        }
      default: break
      }
    }
    for (client, items) in outcome.drafts {
      compare(items, with: expectations[client] ?? [:], "\(client), at the end,", into: &report)
    }
  }

  private func compare(
    _ items: [RecoveredItem], with expectations: [Key: Expectation], _ name: String,
    into report: inout HistoryReport
  ) {
    let offered = Dictionary(
      items.map { (Key(scene: $0.scene, document: $0.document), $0) }, uniquingKeysWith: { first, _ in first }
    )
    for (key, expectation) in expectations {
      if let item = offered[key], let unsaved = expectation.unsaved, item.change == unsaved.change,
        item.digest == unsaved.digest
      {
        report.add(
          .wrongConflicts,
          """
          \(name) was offered the draft of \(key.document) in \(key.scene) that a flush had called unsaved: it was \
          saved behind that answer
          """)
      }
      guard let durable = expectation.durable else { continue }
      if let item = offered[key] {
        // What is damaged is said elsewhere; which draft it was cannot be told from its bytes.
        if item.standing == .damaged { continue }
        let allowed = [durable] + expectation.pending.map { (change: $0.change, digest: $0.digest) }
        if !allowed.contains(where: { $0.change == item.change && $0.digest == item.digest }) {
          report.add(
            .draftsLost, "\(name) was offered an older draft of \(key.document) in \(key.scene) than was kept"
          )
        }
      } else if !expectation.mayBeGone {
        report.add(.draftsLost, "\(name) was not offered the draft of \(key.document) in \(key.scene)")
      }
    }
  }

  private func checkStandings(
    _ items: [RecoveredItem], at time: UInt64, _ name: String, _ chains: VersionChains,
    _ knowledge: Knowledge, into report: inout HistoryReport
  ) {
    for item in items {
      if item.standing == .damaged {
        report.add(.torn, "\(name) was offered a damaged draft of \(item.document) in \(item.scene)")
      }
      let floor = knowledge.floor(item.document, before: time)
      let made = chains.effects[item.change]
      let wrong =
        switch item.standing {
        case .current: item.base < floor
        case .alreadyCommitted: made == nil && !chains.mayBePurged(item.document, item.base + 1)
        case .movedOn, .deleted: item.base >= chains.highest[item.document] ?? 0 && item.base != 0
        case .inDoubt, .damaged: false
        }
      if wrong {
        report.add(
          .draftsLost,
          """
          \(name) was told that its draft of \(item.document) on v\(item.base) is \(item.standing.rawValue), \
          when v\(floor) was known
          """)
      }
    }
  }
}
