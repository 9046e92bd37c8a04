import Tenure
import TenureSystem

/// Writes what a client asks and is told as lines, so that the record survives the client.
///
/// ```swift
/// let number = log.ask(.read("note.md"))          // a line goes out before the request is made
/// log.tell(number, .body(version: 3, …))           // and one after it was answered
/// ```
/// A line is written whole or, by a kill, not at all; ``RecordReader`` puts the pairs together again. Fields are
/// parted by tabs, which no document ID can hold.
public final class RecordLog: Sendable {
  private let clock: any SystemClock
  private let write: @Sendable (String) -> Void
  private let last: Lock<Int>

  /// Numbers begin after `last`, so that a restarted client goes on where it was killed. `write` takes one line.
  public init(
    after last: Int = 0, clock: any SystemClock = LiveClock(), write: @escaping @Sendable (String) -> Void
  ) {
    self.last = Lock(last)
    self.clock = clock
    self.write = write
  }

  /// Notes a request that is about to be made; its number.
  public func ask(_ request: OperationRequest) -> Int {
    let number = last.withLock { last in
      last += 1
      return last
    }
    write("asked\t\(number)\t\(clock.monotonic)\t\(request.fields.joined(separator: "\t"))")
    return number
  }

  /// Notes the answer.
  public func tell(_ number: Int, _ answer: OperationAnswer) {
    write("told\t\(number)\t\(clock.monotonic)\t\(answer.fields.joined(separator: "\t"))")
  }

  /// Notes something that was told without being asked for, such as an observation.
  public func note(_ request: OperationRequest, _ answer: OperationAnswer) {
    tell(ask(request), answer)
  }
}

/// Puts the lines of one client's ``RecordLog`` together, over all its restarts.
public struct RecordReader: Sendable {
  /// Every request so far, in the order asked.
  public private(set) var records: [OperationRecord] = []
  /// The number of the last request.
  public private(set) var last = 0
  private let client: String
  private var places: [Int: Int] = [:]

  /// A reader of `client`'s lines.
  public init(client: String) { self.client = client }

  /// Takes one line; `false` when it is none of a ``RecordLog``.
  public mutating func take(_ line: String) -> Bool {
    var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)[...]
    guard let kind = fields.popFirst(), let number = fields.popFirst().flatMap({ Int($0) }),
      let time = fields.popFirst().flatMap({ UInt64($0) })
    else { return false }
    switch kind {
    case "asked":
      guard let request = OperationRequest(fields: fields) else { return false }
      places[number] = records.count
      last = max(last, number)
      records.append(
        OperationRecord(client: client, number: number, begun: time, request: request))
    case "told":
      guard let answer = OperationAnswer(fields: fields), let place = places[number] else { return false }
      records[place].ended = time
      records[place].answer = answer
    default: return false
    }
    return true
  }

  /// Commits that were never answered: to be sent again when the client is back.
  public var unanswered: [OperationRecord] {
    var settled: Set<ChangeID> = []
    for record in records where !record.isPending {
      if case .commit(_, let change, _, _) = record.request { settled.insert(change) }
    }
    return records.filter { record in
      guard case .commit(_, let change, _, _) = record.request else { return false }
      return settled.insert(change).inserted
    }
  }
}

extension OperationRequest {
  var fields: [String] {
    switch self {
    case .commit(let document, let change, let expected, let digest):
      ["commit", document.rawValue, "\(change)", "\(expected)", digest]
    case .read(let document): ["read", document.rawValue]
    case .readVersion(let document, let version): ["version", document.rawValue, "\(version)"]
    case .observe(let document, let observer): ["observe", document.rawValue, observer]
    case .history(let consumer, let after): ["history", consumer, "\(after)"]
    case .acknowledge(let consumer, let through): ["acknowledge", consumer, "\(through)"]
    case .purge(let keeping): ["purge", "\(keeping)"]
    case .checkpoint(let scene, let document, let change, let base, let digest):
      ["checkpoint", scene, document.rawValue, "\(change)", "\(base)", digest]
    case .discard(let scene, let document): ["discard", scene, document.rawValue]
    case .recover: ["recover"]
    case .flush: ["flush"]
    case .count(let file): ["count", file]
    case .append(let file, let token): ["append", file, token]
    case .probe(let lock): ["probe", lock]
    }
  }

  init?(fields: ArraySlice<String>) {
    var fields = FieldScanner(fields)
    let request: OperationRequest? =
      switch fields.text() {
      case "commit":
        .commit(fields.document(), change: fields.change(), expected: fields.number(), digest: fields.text())
      case "read": .read(fields.document())
      case "version": .readVersion(fields.document(), version: fields.number())
      case "observe": .observe(fields.document(), observer: fields.text())
      case "history": .history(consumer: fields.text(), after: fields.number())
      case "acknowledge": .acknowledge(consumer: fields.text(), through: fields.number())
      case "purge": .purge(keeping: fields.number())
      case "checkpoint":
        .checkpoint(
          scene: fields.text(), fields.document(), change: fields.change(), base: fields.number(),
          digest: fields.text())
      case "discard": .discard(scene: fields.text(), fields.document())
      case "recover": .recover
      case "flush": .flush
      case "count": .count(file: fields.text())
      case "append": .append(file: fields.text(), token: fields.text())
      case "probe": .probe(lock: fields.text())
      default: nil
      }
    guard let request, fields.isGood else { return nil }
    self = request
  }
}

extension OperationAnswer {
  var fields: [String] {
    switch self {
    case .committed(let version): ["committed", "\(version)"]
    case .alreadyCommitted(let version, let current): ["already", "\(version)", "\(current)"]
    case .conflict(let current): ["conflict", "\(current)"]
    case .inDoubt: ["doubt"]
    case .refused(let reason): ["refused", reason.oneField]
    case .body(let version, let claimed, let found): ["body", "\(version)", claimed, found]
    case .gone: ["gone"]
    case .damaged(let detail): ["damaged", detail.oneField]
    case .observed(let version): ["observed", "\(version)"]
    case .changes(let items, let through):
      ["changes", "\(through)"]
        + items.flatMap { ["\($0.sequence)", $0.document.rawValue, "\($0.version)"] }
    case .snapshot(let through): ["snapshot", "\(through)"]
    case .done: ["done"]
    case .taken: ["taken"]
    case .drafts(let items):
      ["drafts"]
        + items.flatMap { item in
          [
            item.scene, item.document.rawValue, "\(item.change)", "\(item.base)", item.digest,
            item.standing.rawValue,
          ]
        }
    case .flushed(let report):
      ["flushed"]
        + [("saved", report.saved), ("unsaved", report.unsaved), ("doubt", report.inDoubt)].flatMap { list in
          list.1.flatMap { [list.0, $0.document.rawValue, "\($0.change)", $0.scene ?? ""] }
        }
    case .counted(let number): ["counted", "\(number)"]
    case .lock(let isFree): ["lock", isFree ? "free" : "held"]
    }
  }

  init?(fields: ArraySlice<String>) {
    var fields = FieldScanner(fields)
    let answer: OperationAnswer?
    switch fields.text() {
    case "committed": answer = .committed(version: fields.number())
    case "already": answer = .alreadyCommitted(version: fields.number(), current: fields.number())
    case "conflict": answer = .conflict(current: fields.number())
    case "doubt": answer = .inDoubt
    case "refused": answer = .refused(fields.text())
    case "body": answer = .body(version: fields.number(), claimed: fields.text(), found: fields.text())
    case "gone": answer = .gone
    case "damaged": answer = .damaged(fields.text())
    case "observed": answer = .observed(version: fields.number())
    case "changes":
      let through = fields.number()
      var items: [HistoryItem] = []
      while !fields.isAtEnd {
        items.append(
          HistoryItem(sequence: fields.number(), document: fields.document(), version: fields.number()))
      }
      answer = .changes(items, through: through)
    case "snapshot": answer = .snapshot(through: fields.number())
    case "done": answer = .done
    case "taken": answer = .taken
    case "drafts":
      var items: [RecoveredItem] = []
      while !fields.isAtEnd {
        items.append(
          RecoveredItem(
            scene: fields.text(), document: fields.document(), change: fields.change(),
            base: fields.number(), digest: fields.text(), standing: fields.standing()))
      }
      answer = .drafts(items)
    case "flushed": answer = .flushed(fields.flushReport())
    case "counted": answer = .counted(fields.number())
    case "lock": answer = .lock(isFree: fields.text() == "free")
    default: answer = nil
    }
    guard let answer, fields.isGood else { return nil }
    self = answer
  }
}

/// Reads fields in order; notes when one is missing or is not what it should be.
private struct FieldScanner {
  private var rest: ArraySlice<String>
  private var isBad = false

  init(_ fields: ArraySlice<String>) { rest = fields }

  /// Whether every field was there, good and used.
  var isGood: Bool { !isBad && rest.isEmpty }
  var isAtEnd: Bool { isBad || rest.isEmpty }

  mutating func text() -> String { read { $0 } ?? "" }
  mutating func number() -> Int64 { read { Int64($0) } ?? 0 }
  mutating func document() -> DocumentID { DocumentID(text()) }
  mutating func change() -> ChangeID { read { ChangeID(hexadecimal: $0) } ?? ChangeID() }
  mutating func standing() -> RecoveredItem.Standing {
    read { RecoveredItem.Standing(rawValue: $0) } ?? .inDoubt
  }

  mutating func flushReport() -> FlushReport {
    var lists: [String: [FlushItem]] = ["saved": [], "unsaved": [], "doubt": []]
    while !isAtEnd {
      let list = read { lists.keys.contains($0) ? $0 : nil } ?? "doubt"
      let (document, change, scene) = (self.document(), self.change(), text())
      lists[list]?.append(FlushItem(document: document, change: change, scene: scene.isEmpty ? nil : scene))
    }
    return FlushReport(
      saved: lists["saved"] ?? [], unsaved: lists["unsaved"] ?? [], inDoubt: lists["doubt"] ?? [])
  }

  private mutating func read<Value>(_ parse: (String) -> Value?) -> Value? {
    guard let field = rest.popFirst(), let value = parse(field) else {
      isBad = true
      return nil
    }
    return value
  }
}

extension String {
  /// Without what would end a field or a line.
  fileprivate var oneField: String {
    String(map { $0 == "\t" || $0.isNewline ? " " : $0 })
  }
}
