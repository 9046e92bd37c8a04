import TenureTrace

/// A process that recorded: a process ID alone repeats.
struct ProcessKey: Hashable, Sendable {
  let boot: String
  let pid: Int32
  /// The trace's name without what rotation adds.
  let trace: String
  /// Counts the processes that continued one file.
  let run: Int
}

/// What is known of a process that recorded.
struct ProcessFacts: Sendable {
  let process: ProcessIdentity
  /// Its first and its last event so far.
  let first: TraceEntry
  var last: TraceEntry
  /// Places of them in the merged order.
  let firstNumber: Int
  var lastNumber: Int
  /// Told to suspend, and nothing since.
  var suspended = false
}

/// One event with what the engine knows around it.
struct Moment: Sendable {
  let entry: TraceEntry
  let process: ProcessKey
  /// Its place in the merged order.
  let number: Int

  var record: TraceRecord { entry.record }
  var monotonic: UInt64 { entry.record.monotonic }
}

/// Who recorded when.
struct ProcessBook: Sendable {
  private var facts = BoundedMap<ProcessKey, ProcessFacts>(capacity: 4096)
  private var runs = BoundedMap<String, Int>(capacity: 4096)
  private var number = 0
  /// The last event of all.
  private(set) var last: TraceEntry?

  /// All processes, in the order in which they were met.
  var all: [(key: ProcessKey, value: ProcessFacts)] { facts.pairs }

  subscript(key: ProcessKey) -> ProcessFacts? { facts[key] }

  /// Takes the next event down.
  mutating func note(_ entry: TraceEntry) -> Moment {
    number += 1
    last = entry
    let trace = Self.stem(of: entry.place.file)
    let name = "\(entry.boot) \(entry.record.process.pid) \(trace)"
    if let started = entry.record.event as? ProcessStarted, started.segment ?? 1 == 1 {
      runs[name, default: 0] += 1
    }
    let key = ProcessKey(
      boot: entry.boot, pid: entry.record.process.pid, trace: trace, run: runs[name] ?? 0)
    var known =
      facts[key]
      ?? ProcessFacts(
        process: entry.record.process, first: entry, last: entry, firstNumber: number, lastNumber: number)
    known.last = entry
    known.lastNumber = number
    known.suspended = entry.record.event is ProcessSuspending
    facts[key] = known
    return Moment(entry: entry, process: key, number: number)
  }

  /// `app-41-17.3.jsonl` is the third file of `app-41-17`.
  private static func stem(of file: String) -> String {
    var stem = Substring(file)
    if stem.hasSuffix(TraceFormat.suffix) { stem.removeLast(TraceFormat.suffix.count) }
    if let dot = stem.lastIndex(of: "."), Int(stem[stem.index(after: dot)...]) != nil { stem = stem[..<dot] }
    return String(stem)
  }
}
