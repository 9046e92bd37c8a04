import Tenure

/// Decides whether some order of events explains what every client was told and what the store finally holds.
///
/// ```swift
/// let report = HistoryChecker(records).check(against: outcome)
/// #expect(report.isExplained, "\(report)")
/// ```
/// A document is one register with numbered versions, so no search is needed: the version chain *is* the order,
/// and every answer must agree with it and with real time (an answer given before a question was asked happened
/// before it). Requests that were never answered are pending: they may have taken effect at any time after they
/// were asked, also long after their client died, or never. Work is proportional to records, times a logarithm.
public struct HistoryChecker: Sendable {
  /// Every client's records, in any order.
  public var records: [OperationRecord]

  /// A checker of these records.
  public init(_ records: [OperationRecord]) { self.records = records }

  /// Goes over everything.
  public func check(against outcome: StoredOutcome) -> HistoryReport {
    var report = HistoryReport()
    let sorted = records.sorted { ($0.begun, $0.client, $0.number) < ($1.begun, $1.client, $1.number) }
    let requests = CommitRequests(sorted)
    report.acknowledged = requests.byChange.values.count { $0.contains(where: \.isAcknowledged) }
    report.inDoubt = requests.byChange.values.reduce(0) { $0 + $1.count(where: \.isPending) }

    let purges = Purges(sorted)
    let chains = VersionChains(outcome, purges)
    let knowledge = Knowledge(sorted)
    checkChains(chains, outcome, requests, into: &report)
    checkAnswers(sorted, chains, knowledge, requests, into: &report)
    checkObservers(sorted, into: &report)
    checkPurges(sorted, chains, purges, into: &report)
    checkConsumers(sorted, outcome, into: &report)
    checkDrafts(sorted, outcome, chains, knowledge, requests, into: &report)
    checkFiles(sorted, outcome, into: &report)
    checkLocks(sorted, into: &report)
    checkFlushes(sorted, chains, requests, into: &report)
    checkDamage(sorted, outcome, into: &report)
    return report
  }

  /// Whatever was asked, an answer that could not be made because of damage is a fault.
  private func checkDamage(
    _ records: [OperationRecord], _ outcome: StoredOutcome, into report: inout HistoryReport
  ) {
    for record in records {
      guard case .damaged(let detail) = record.answer else { continue }
      report.add(.torn, "\(record.name) (\(record.request.fields[0])) met damage: \(detail)")
    }
    for detail in outcome.damage { report.add(.torn, "at the end could not be read: \(detail)") }
  }

  private func checkLocks(_ records: [OperationRecord], into report: inout HistoryReport) {
    for record in records {
      if case .probe(let lock) = record.request, record.answer != .lock(isFree: true) {
        report.add(.locksLeft, "\(lock) cannot be had though everyone who held it has ended")
      }
    }
  }
}

extension OperationRecord {
  var isAcknowledged: Bool {
    switch answer {
    case .committed, .alreadyCommitted: true
    default: false
    }
  }

  /// Its effect may come at any time or never.
  var isPending: Bool { answer == nil || answer == .inDoubt }

  /// `client 12`, for a sentence.
  var name: String { "\(client) #\(number)" }
}

/// Every commit request by its change: one edit may be sent many times.
struct CommitRequests {
  var byChange: [ChangeID: [OperationRecord]] = [:]

  init(_ records: [OperationRecord]) {
    for record in records {
      guard case .commit(_, let change, _, _) = record.request else { continue }
      byChange[change, default: []].append(record)
    }
  }
}

/// The versions of each document, by number.
struct VersionChains {
  private(set) var versions: [DocumentID: [Int64: [StoredOutcome.Version]]] = [:]
  private(set) var highest: [DocumentID: Int64] = [:]
  /// The version each change made; the first, if there are more.
  private(set) var effects: [ChangeID: StoredOutcome.Version] = [:]
  private let purgedThrough: Int64
  private let purges: Purges

  init(_ outcome: StoredOutcome, _ purges: Purges) {
    purgedThrough = outcome.purgedThrough
    self.purges = purges
    for version in outcome.versions {
      versions[version.document, default: [:]][version.version, default: []].append(version)
      if effects[version.change] == nil { effects[version.change] = version }
      highest[version.document] = max(highest[version.document] ?? 0, version.version)
    }
  }

  /// The version with this number.
  func version(_ document: DocumentID, _ number: Int64) -> StoredOutcome.Version? {
    versions[document]?[number]?.first
  }

  /// Whether a version that is not there may have been purged.
  func mayBePurged(_ document: DocumentID, _ number: Int64) -> Bool {
    purgedThrough > 0 && number <= (highest[document] ?? 0) - (purges.keeping ?? 1)
  }
}

/// From when on which version of each document was known to somebody.
struct Knowledge {
  private var points: [DocumentID: [(time: UInt64, version: Int64)]] = [:]

  init(_ records: [OperationRecord]) {
    for record in records {
      guard let ended = record.ended, let answer = record.answer else { continue }
      for (document, version) in answer.versionsKnown(from: record.request) {
        points[document, default: []].append((ended, version))
      }
    }
    for document in points.keys {
      points[document]?.sort { $0.time < $1.time }
      var highest: Int64 = 0
      for index in points[document]!.indices {
        highest = max(highest, points[document]![index].version)
        points[document]![index].version = highest
      }
    }
  }

  /// The highest version anybody had been told of before `time`.
  func floor(_ document: DocumentID, before time: UInt64) -> Int64 {
    guard let points = points[document] else { return 0 }
    var low = 0
    var high = points.count
    while low < high {
      let middle = (low + high) / 2
      if points[middle].time < time { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? 0 : points[low - 1].version
  }
}

extension OperationAnswer {
  /// The versions this answer proves to exist.
  func versionsKnown(from request: OperationRequest) -> [(DocumentID, Int64)] {
    switch (request, self) {
    case (.commit(let document, _, _, _), .committed(let version)): [(document, version)]
    case (.commit(let document, _, _, _), .alreadyCommitted(let version, let current)):
      [(document, max(version, current))]
    case (.commit(let document, _, _, _), .conflict(let current)): [(document, current)]
    case (.read(let document), .body(let version, _, _)),
      (.readVersion(let document, _), .body(let version, _, _)):
      [(document, version)]
    case (.observe(let document, _), .observed(let version)): [(document, version)]
    case (.history, .changes(let items, _)): items.map { ($0.document, $0.version) }
    default: []
    }
  }
}
