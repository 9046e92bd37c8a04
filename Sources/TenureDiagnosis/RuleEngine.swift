import TenureFindings
import TenureSystem
import TenureTrace

/// Runs rules over a trace, in one pass and bounded memory.
///
/// ```swift
/// var engine = RuleEngine()
/// var merge = TraceMerge(try paths.map { try TraceReader(path: $0) })
/// while let item = merge.next() { engine.take(item) }
/// let report = engine.report(inputs: paths)
/// ```
/// The order of the items must be that of ``TraceMerge``. For one thread.
public struct RuleEngine: Sendable {
  /// The most problems that are kept one by one.
  public static let problemLimit = 100

  private struct Running: Sendable {
    var rule: any TraceRule
    var output: RuleOutput

    mutating func take(_ moment: Moment) { rule.take(moment, &output) }

    mutating func answer(_ processes: ProcessBook, seen: Set<String>, lost: String?) -> RuleAnswer {
      output.lost = lost
      rule.end(processes, &output)
      return output.answer(seen: seen)
    }
  }

  private var running: [Running]
  /// Which rules are shown a kind.
  private var audience: [String: [Int]] = [:]
  private var processes = ProcessBook()
  private var seen: Set<String> = []
  private var events = 0
  private var problems: [TraceProblem] = []
  private var problemCount = 0
  private var lost: String?

  /// With every rule there is.
  public init() { self.init(RuleRegistry.rules) }

  /// With the rules of these IDs or laws. Unknown names pick none.
  public init(rules: Set<String>) {
    self.init(
      RuleRegistry.rules.filter {
        rules.contains($0.description.id) || rules.contains($0.description.law.rawValue)
      })
  }

  init(_ types: [any TraceRule.Type]) {
    running = types.map { Running(rule: $0.init(), output: RuleOutput(rule: $0.description)) }
    for (index, type) in types.enumerated() {
      for kind in type.kinds { audience[kind.kind, default: []].append(index) }
    }
  }

  /// Takes the next item of the trace.
  public mutating func take(_ item: TraceItem) {
    switch item {
    case .entry(let entry): take(entry)
    case .problem(let problem):
      problemCount += 1
      if problems.count < Self.problemLimit { problems.append(problem) }
      lose("\(problem.place) could not be read")
    }
  }

  /// Takes the next event of the trace.
  public mutating func take(_ entry: TraceEntry) {
    events += 1
    let kind = entry.record.kind
    seen.insert(kind)
    let moment = processes.note(entry)
    switch entry.record.event {
    case let dropped as TraceDropped:
      lose("\(dropped.count) events could not be recorded before \(entry.place)")
    case let started as ProcessStarted
    where started.segment ?? 1 > 1 && processes[moment.process]?.firstNumber == moment.number:
      lose("the beginning of \(entry.place.file) was removed to keep the bound of traces")
    default: break
    }
    for index in audience[kind] ?? [] {
      running[index].take(moment)
    }
  }

  private mutating func lose(_ why: String) { lost = lost ?? why }

  /// The verdicts. The engine is used up.
  public consuming func report(inputs: [String], unknownKinds: [String: Int] = [:]) -> Report {
    let (processes, seen, lost) = (processes, seen, lost)
    let answers = running.indices.map { running[$0].answer(processes, seen: seen, lost: lost) }
    return Report(
      inputs: inputs, events: events, answers: answers, problems: problems, problemCount: problemCount,
      unknownKinds: unknownKinds)
  }
}

extension RuleEngine {
  /// The verdicts on what a ring in memory holds, for tests and for an app that looks at itself.
  public static func check(_ ring: TraceRing) -> Report {
    var engine = RuleEngine()
    if ring.dropped > 0 { engine.lose("\(ring.dropped) events went from the ring") }
    for (index, record) in ring.records.enumerated() {
      let place = TracePlace(file: "memory", line: index + 1, offset: 0)
      engine.take(TraceEntry(place: place, boot: "memory", record: record))
    }
    return engine.report(inputs: ["memory"])
  }
}
