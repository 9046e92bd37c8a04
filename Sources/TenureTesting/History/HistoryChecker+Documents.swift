import Tenure

extension HistoryChecker {
  /// The chain itself: every number once, each made on the one before, by one request, with its own bytes.
  func checkChains(
    _ chains: VersionChains, _ outcome: StoredOutcome, _ requests: CommitRequests,
    into report: inout HistoryReport
  ) {
    var seen: [ChangeID: StoredOutcome.Version] = [:]
    for version in outcome.versions.sorted(by: inOrder) {
      let name = "\(version.document) v\(version.version)"
      if let first = seen.updateValue(version, forKey: version.change) {
        report.add(
          .duplicated,
          "change \(version.change) is v\(first.version) and v\(version.version) of \(version.document)")
      }
      if version.base != version.version - 1 {
        report.add(.lost, "\(name) was made on v\(version.base) and overwrote v\(version.version - 1) unseen")
      }
      guard let asked = requests.byChange[version.change]?.first,
        case .commit(let document, _, _, let digest) = asked.request, document == version.document
      else {
        report.add(.duplicated, "\(name) is the effect of change \(version.change), which nobody asked for")
        continue
      }
      if digest != version.digest { report.add(.torn, "\(name) is not what \(asked.name) asked to save") }
      if version.found != version.digest {
        report.add(.torn, "the bytes of \(name) are not those of that version")
      }
    }
    for (document, numbers) in chains.versions.sorted(by: { $0.key < $1.key }) {
      let highest = chains.highest[document] ?? 0
      for number in stride(from: Int64(1), through: highest, by: 1) {
        let count = numbers[number]?.count ?? 0
        if count > 1 { report.add(.lost, "\(document) has \(count) versions \(number)") }
        if count == 0, !chains.mayBePurged(document, number) {
          report.add(.lost, "\(document) has no v\(number), though v\(highest) is there")
        }
      }
      if let current = outcome.current[document], current != highest {
        report.add(.backward, "\(document) is at v\(current), though v\(highest) was committed")
      }
    }
  }

  private func inOrder(_ left: StoredOutcome.Version, _ right: StoredOutcome.Version) -> Bool {
    (left.document, left.version, left.sequence) < (right.document, right.version, right.sequence)
  }

  /// Every answer about a version agrees with the chain and with what was known before the question.
  func checkAnswers(
    _ records: [OperationRecord], _ chains: VersionChains, _ knowledge: Knowledge,
    _ requests: CommitRequests, into report: inout HistoryReport
  ) {
    for record in records {
      guard let answer = record.answer else { continue }
      switch record.request {
      case .commit(let document, let change, let expected, _):
        let floor = knowledge.floor(document, before: record.begun)
        checkCommit(
          record, document, change, expected: expected, answer, floor: floor, chains, into: &report)
      case .read(let document):
        let floor = knowledge.floor(document, before: record.begun)
        checkRead(record, document, answer, floor: floor, chains, into: &report)
      case .readVersion(let document, let version):
        checkRead(record, document, answer, floor: version, chains, into: &report)
      case .observe(let document, _):
        if case .observed(let version) = answer {
          checkSeen(document, version, by: record, chains, into: &report)
        }
      default: break
      }
    }
    for (change, asked) in requests.byChange
    where !asked.contains(where: { $0.isAcknowledged || $0.isPending }) {
      guard case .commit(let document, _, _, _) = asked[0].request,
        let made = chains.effects[change]
      else { continue }
      report.add(
        .wrongConflicts,
        "\(asked[0].name) was told that nothing was written, but made \(document) v\(made.version)")
    }
  }

  private func checkCommit(
    _ record: OperationRecord, _ document: DocumentID, _ change: ChangeID, expected: Int64,
    _ answer: OperationAnswer, floor: Int64, _ chains: VersionChains, into report: inout HistoryReport
  ) {
    switch answer {
    case .committed(let version):
      checkKept(document, version, change, by: record, chains, into: &report)
      if version != expected + 1 {
        report.add(
          .lost, "\(record.name) expected \(document) v\(expected) and was committed as v\(version)")
      }
      if version <= floor {
        report.add(
          .backward, "\(record.name) was committed as \(document) v\(version) when v\(floor) was known")
      }
    case .alreadyCommitted(let version, let current):
      checkKept(document, version, change, by: record, chains, into: &report)
      checkSeen(document, current, by: record, chains, into: &report)
      if current < max(floor, version) {
        report.add(
          .backward,
          "\(record.name) was told that \(document) is at v\(current) when v\(max(floor, version)) was known")
      }
    case .conflict(let current):
      checkSeen(document, current, by: record, chains, into: &report)
      if let made = chains.effects[change], made.version <= current {
        report.add(
          .wrongConflicts,
          "\(record.name) was told of a conflict, though its change was already \(document) v\(made.version)")
      } else if current == expected {
        report.add(.wrongConflicts, "\(record.name) expected \(document) v\(expected), which was current")
      } else if current < floor {
        report.add(
          .wrongConflicts,
          "\(record.name) was told of a conflict with \(document) v\(current) when v\(floor) was known")
      }
    default: break
    }
  }

  /// An acknowledged change is the version that was acknowledged.
  private func checkKept(
    _ document: DocumentID, _ version: Int64, _ change: ChangeID, by record: OperationRecord,
    _ chains: VersionChains, into report: inout HistoryReport
  ) {
    let kept = chains.versions[document]?[version] ?? []
    if kept.contains(where: { $0.change == change }) { return }
    if kept.isEmpty, chains.mayBePurged(document, version) { return }
    report.add(
      .lost, "\(record.name) was told that change \(change) is \(document) v\(version), which it is not")
  }

  /// A version that anybody saw is still there.
  private func checkSeen(
    _ document: DocumentID, _ version: Int64, by record: OperationRecord, _ chains: VersionChains,
    into report: inout HistoryReport
  ) {
    if version > chains.highest[document] ?? 0 {
      report.add(.lost, "\(record.name) saw \(document) v\(version), which is gone")
    }
  }

  private func checkRead(
    _ record: OperationRecord, _ document: DocumentID, _ answer: OperationAnswer, floor: Int64,
    _ chains: VersionChains, into report: inout HistoryReport
  ) {
    switch answer {
    case .body(let version, let claimed, let found):
      if claimed != found {
        report.add(.torn, "\(record.name) read \(document) v\(version) with bytes that are not its own")
      }
      checkSeen(document, version, by: record, chains, into: &report)
      if let kept = chains.version(document, version), kept.digest != claimed {
        report.add(.lost, "\(record.name) read a \(document) v\(version) that was later replaced")
      }
      if version < floor {
        report.add(.backward, "\(record.name) read \(document) v\(version) when v\(floor) was known")
      }
    default: break
    }
  }

  /// One subscription never hears of an older version after a newer one, nor of one twice.
  func checkObservers(_ records: [OperationRecord], into report: inout HistoryReport) {
    struct Subscription: Hashable {
      var client: String
      var observer: String
      var document: DocumentID
    }
    var last: [Subscription: Int64] = [:]
    for record in records {
      guard case .observe(let document, let observer) = record.request,
        case .observed(let version) = record.answer
      else { continue }
      let key = Subscription(client: record.client, observer: observer, document: document)
      if let before = last[key], version <= before {
        report.add(
          .backward,
          "\(record.name): observer \(observer) of \(document) heard of v\(version) after v\(before)")
      }
      last[key] = version
    }
  }
}
