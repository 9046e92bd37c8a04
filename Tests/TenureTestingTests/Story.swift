import Tenure
import TenureTesting

/// A history written by hand: each line is a request with its answer, in an order of time.
struct Story {
  private(set) var records: [OperationRecord] = []
  private var time: UInt64 = 0

  /// A request that was answered before the next one was made; without an answer, one that never was.
  mutating func ask(_ client: String, _ request: OperationRequest, _ answer: OperationAnswer?) {
    time += 10
    records.append(
      OperationRecord(
        client: client, number: records.count, begun: time, ended: answer == nil ? nil : time + 5,
        request: request, answer: answer))
  }

  /// Versions 1, 2 and 3 of note.md.
  mutating func threeVersions() {
    for (index, name) in ["one", "two", "three"].enumerated() {
      ask("a", .edit(name, on: Int64(index)), .committed(version: Int64(index) + 1))
    }
  }

  /// Makes the last request overlap with the one before it.
  mutating func overlapping() {
    let last = records.count - 1
    records[last - 1].ended = records[last].ended! + 1
  }

  func check(_ outcome: StoredOutcome) -> HistoryReport {
    // Shuffled in a fixed way: the checker may not depend on the order it is given.
    HistoryChecker(Array(records.reversed())).check(against: outcome)
  }
}

/// A change by a short name.
func change(_ name: String) -> ChangeID { ChangeID(derivedFrom: [name]) }

extension OperationRequest {
  /// The edit `name` of note.md; its body's digest is the name.
  static func edit(_ name: String, on expected: Int64) -> OperationRequest {
    .commit("note.md", change: TenureTestingTests.change(name), expected: expected, digest: name)
  }

  static func draft(_ name: String, on base: Int64) -> OperationRequest {
    .checkpoint(
      scene: "left", "note.md", change: TenureTestingTests.change("draft"), base: base, digest: name)
  }
}

extension OperationAnswer {
  /// The body that edit `name` made.
  static func body(_ version: Int64, _ name: String) -> OperationAnswer {
    .body(version: version, claimed: name, found: name)
  }
}

extension OperationAnswer {
  /// A flush's lists, by the names of changes of note.md.
  static func flushed(
    saved: [String] = [], unsaved: [String] = [], inDoubt: [String] = []
  ) -> OperationAnswer {
    func items(_ names: [String]) -> [FlushItem] {
      names.map { FlushItem(document: "note.md", change: TenureTestingTests.change($0), scene: "left") }
    }
    return .flushed(FlushReport(saved: items(saved), unsaved: items(unsaved), inDoubt: items(inDoubt)))
  }
}

extension StoredOutcome {
  /// note.md holds these edits, one after another.
  static func chain(_ names: String...) -> StoredOutcome {
    StoredOutcome(
      versions: names.enumerated().map { index, name in
        Version(
          "note.md", Int64(index + 1), change: TenureTestingTests.change(name), sequence: Int64(index + 1),
          digest: name)
      })
  }
}

extension StoredOutcome {
  /// note.md holds three versions, of which those below `first` were purged.
  static func purged(to first: Int64) -> StoredOutcome {
    var outcome = StoredOutcome.chain("one", "two", "three")
    outcome.versions.removeAll { $0.version < first }
    outcome.purgedThrough = first - 1
    return outcome
  }
}

extension HistoryItem {
  /// A version of note.md, which alone is in the history.
  static func version(_ number: Int64) -> HistoryItem {
    HistoryItem(sequence: number, document: "note.md", version: number)
  }
}

extension RecoveredItem {
  static func draft(_ name: String, on base: Int64, _ standing: Standing = .current) -> RecoveredItem {
    RecoveredItem(
      scene: "left", document: "note.md", change: TenureTestingTests.change("draft"), base: base,
      digest: name, standing: standing)
  }
}
