import Tenure

/// The purges that were asked for. What one asked for may have been done whether or not it was answered.
struct Purges {
  private var asked: [(begun: UInt64, keeping: Int64)] = []

  init(_ records: [OperationRecord]) {
    for record in records {
      if case .purge(let keeping) = record.request { asked.append((record.begun, max(1, keeping))) }
    }
  }

  /// How many of the newest versions every purge left; `nil`: none was asked for.
  var keeping: Int64? { asked.map(\.keeping).min() }

  /// The same for those that were asked for before `time`.
  func keeping(before time: UInt64) -> Int64? { asked.filter { $0.begun < time }.map(\.keeping).min() }
}

extension HistoryChecker {
  /// A version is gone only if a purge was asked for that may take it: never the current one.
  func checkPurges(
    _ records: [OperationRecord], _ chains: VersionChains, _ purges: Purges, into report: inout HistoryReport
  ) {
    for record in records {
      guard case .readVersion(let document, let version) = record.request, record.answer == .gone,
        let ended = record.ended
      else { continue }
      guard let keeping = purges.keeping(before: ended) else {
        report.add(.lost, "\(record.name) was told that \(document) v\(version) is gone, and nobody purged")
        continue
      }
      let highest = chains.highest[document] ?? 0
      if version > highest - keeping {
        report.add(
          .lost,
          """
          \(record.name) was told that \(document) v\(version) is gone, though v\(highest) is the newest and every \
          purge kept \(keeping)
          """)
      }
    }
  }
}
