import Tenure

/// The places of a consumer, as far as its records tell.
private struct ConsumerPlace {
  /// Up to where it has been shown everything.
  var shown: Int64 = 0
  /// The lowest place a purge may reckon with; `nil`: it may not be registered yet.
  var registered: Int64?
  /// The highest place a purge may reckon with: an acknowledgement that was never answered may have counted.
  var acknowledged: Int64 = 0
}

extension HistoryChecker {
  /// Every page a consumer was given holds all changes of its stretch, in order, stretches leave no gap, and no
  /// purge takes what a registered consumer still needs.
  func checkConsumers(
    _ records: [OperationRecord], _ outcome: StoredOutcome, into report: inout HistoryReport
  ) {
    let known = knownChanges(records, outcome)
    var places: [String: ConsumerPlace] = [:]
    for record in records {
      switch record.request {
      case .acknowledge(let consumer, let through):
        let before = places[consumer]?.acknowledged ?? 0
        places[consumer, default: ConsumerPlace()].acknowledged = max(before, through)
      case .history(let consumer, let after):
        guard let answer = record.answer else { continue }
        var place = places[consumer] ?? ConsumerPlace()
        switch answer {
        case .changes(let items, let through):
          if after > place.shown {
            report.add(
              .historyGaps,
              "\(consumer) went on after change \(after), but had only been shown up to \(place.shown)")
          }
          place.shown = max(place.shown, through)
          checkPage(items, after: after, through: through, of: consumer, known, into: &report)
        case .snapshot(let through):
          if outcome.purgedThrough <= after {
            report.add(
              .historyGaps, "\(consumer) was sent to a snapshot though nothing after \(after) is purged")
          } else if let registered = place.registered, after >= max(registered, place.acknowledged) {
            report.add(
              .historyGaps,
              "\(consumer) was sent to a snapshot: what it still needed after \(after) was purged")
          }
          place.shown = max(place.shown, through)
        default: continue
        }
        if place.registered == nil { place.registered = after }
        places[consumer] = place
      default: break
      }
    }
  }

  /// The changes that are there at the end, and those somebody was shown before they were purged.
  private func knownChanges(_ records: [OperationRecord], _ outcome: StoredOutcome) -> [HistoryItem] {
    var known = Set(
      outcome.versions.map {
        HistoryItem(sequence: $0.sequence, document: $0.document, version: $0.version)
      })
    for record in records {
      guard case .changes(let items, _) = record.answer else { continue }
      known.formUnion(items.filter { $0.sequence <= outcome.purgedThrough })
    }
    return known.sorted { $0.sequence < $1.sequence }
  }

  private func checkPage(
    _ items: [HistoryItem], after: Int64, through: Int64, of consumer: String,
    _ known: [HistoryItem], into report: inout HistoryReport
  ) {
    for (left, right) in zip(items, items.dropFirst()) where left.sequence >= right.sequence {
      report.add(
        .historyGaps, "\(consumer) was shown change \(right.sequence) after \(left.sequence)")
    }
    let shown = Set(items)
    var index = known.partitioningIndex { $0.sequence > after }
    while index < known.count, known[index].sequence <= through {
      let item = known[index]
      if !shown.contains(item) {
        report.add(
          .historyGaps,
          """
          \(consumer) was never shown change \(item.sequence) (\(item.document) v\(item.version)) \
          between \(after) and \(through)
          """)
      }
      index += 1
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
