import Tenure

extension HistoryChecker {
  /// What a flush called saved is there, and what it called unsaved does not come to light behind its answer (D7).
  ///
  /// Drafts that were saved are looked for with all other drafts: they must be offered again.
  func checkFlushes(
    _ records: [OperationRecord], _ chains: VersionChains, _ requests: CommitRequests,
    into report: inout HistoryReport
  ) {
    var drafts: Set<ChangeID> = []
    for record in records {
      if case .checkpoint(_, _, let change, _, _) = record.request { drafts.insert(change) }
    }
    for record in records {
      guard case .flush = record.request, case .flushed(let flush) = record.answer else { continue }
      for item in flush.saved where !drafts.contains(item.change) && chains.effects[item.change] == nil {
        if chains.mayBePurged(item, requests) { continue }
        report.add(
          .lost,
          "\(record.name) was told that change \(item.change) of \(item.document) is saved; it is not there")
      }
      for item in flush.unsaved {
        guard let made = chains.effects[item.change], let asked = requests.byChange[item.change],
          isOver(asked, before: record)
        else { continue }
        report.add(
          .wrongConflicts,
          """
          \(record.name) was told that change \(item.change) of \(item.document) is not saved, and it became \
          v\(made.version) behind that answer
          """)
      }
    }
  }

  /// Whether the one request that a flush could speak of was made before it, so that nobody has asked again since.
  /// A change that was sent several times may be there for another sending's sake.
  private func isOver(_ asked: [OperationRecord], before flush: OperationRecord) -> Bool {
    asked.count == 1 && asked[0].client == flush.client && asked[0].begun < flush.begun
  }
}

extension VersionChains {
  /// Whether the version that an item's commit made may have been purged.
  fileprivate func mayBePurged(_ item: FlushItem, _ requests: CommitRequests) -> Bool {
    (requests.byChange[item.change] ?? []).contains { record in
      guard case .commit(_, _, let expected, _) = record.request else { return false }
      return mayBePurged(item.document, expected + 1)
    }
  }
}
