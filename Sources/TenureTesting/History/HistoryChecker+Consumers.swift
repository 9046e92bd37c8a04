import Tenure

extension HistoryChecker {
  /// Every page a consumer was given holds all changes of its stretch, in order, and stretches leave no gap.
  func checkConsumers(
    _ records: [OperationRecord], _ outcome: StoredOutcome, into report: inout HistoryReport
  ) {
    let stored = outcome.versions.sorted { $0.sequence < $1.sequence }
    var reached: [String: Int64] = [:]
    for record in records {
      guard case .history(let consumer, let after) = record.request, let answer = record.answer else {
        continue
      }
      switch answer {
      case .changes(let items, let through):
        let before = reached[consumer] ?? 0
        if after > before {
          report.add(
            .historyGaps, "\(consumer) went on after change \(after), but had only been shown up to \(before)"
          )
        }
        reached[consumer] = max(before, through)
        checkPage(items, after: after, through: through, of: consumer, stored, outcome, into: &report)
      case .snapshot(let through):
        if outcome.purgedThrough <= after {
          report.add(
            .historyGaps, "\(consumer) was sent to a snapshot though nothing after \(after) is purged")
        }
        reached[consumer] = max(reached[consumer] ?? 0, through)
      default: break
      }
    }
  }

  private func checkPage(
    _ items: [HistoryItem], after: Int64, through: Int64, of consumer: String,
    _ stored: [StoredOutcome.Version], _ outcome: StoredOutcome, into report: inout HistoryReport
  ) {
    for (left, right) in zip(items, items.dropFirst()) where left.sequence >= right.sequence {
      report.add(
        .historyGaps, "\(consumer) was shown change \(right.sequence) after \(left.sequence)")
    }
    let shown = Set(items)
    var low = stored.partitioningIndex { $0.sequence > max(after, outcome.purgedThrough) }
    while low < stored.count, stored[low].sequence <= through {
      let version = stored[low]
      let item = HistoryItem(
        sequence: version.sequence, document: version.document, version: version.version)
      if !shown.contains(item) {
        report.add(
          .historyGaps,
          """
          \(consumer) was never shown change \(version.sequence) (\(version.document) v\(version.version)) \
          between \(after) and \(through)
          """)
      }
      low += 1
    }
  }
}

extension Array {
  /// The first index whose element satisfies `predicate`, in an array where all that do come last.
  fileprivate func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
