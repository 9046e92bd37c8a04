import TenureFindings
import TenureTrace

/// A user's complaint, answered from traces in order of time.
public enum Complaint: String, CaseIterable, Sendable {
  /// "My note vanished."
  case vanished

  /// Follows the saves of each document, or of one. Feed it every item of a ``TraceMerge``, then ask its report.
  public static func vanished(document: String? = nil) -> VanishedInquiry {
    VanishedInquiry(document: document)
  }
}

/// Follows saves from their beginning to where they stopped, in bounded memory.
public struct VanishedInquiry: Sendable {
  private struct Attempt: Hashable {
    let process: ProcessKey
    let change: String
  }

  private let document: String?
  private var stories = BoundedMap<String, VanishedStory>(capacity: 10_000)
  private var open = BoundedMap<Attempt, (document: String, number: Int)>()
  private var bases = BoundedMap<String, VanishedStory.Save>()
  private var processes = ProcessBook()
  private var reaped: Set<String> = []
  private var events = 0
  private var problems: [TraceProblem] = []

  init(document: String?) { self.document = document }

  /// Takes the next item of the trace.
  public mutating func take(_ item: TraceItem) {
    switch item {
    case .entry(let entry): take(entry)
    case .problem(let problem): if problems.count < 100 { problems.append(problem) }
    }
  }

  private mutating func take(_ entry: TraceEntry) {
    events += 1
    let moment = processes.note(entry)
    switch entry.record.event {
    case let event as SaveBegun: begin(event, moment)
    case let event as BodyWritten:
      advance(Attempt(process: moment.process, change: event.change), to: .bodyWritten, entry) {
        $0.bodyVerified = event.verified
      }
    case is LockWanted: advanceAll(of: moment.process, to: .lockWanted, entry)
    case is LockTaken: advanceAll(of: moment.process, to: .lockTaken, entry)
    case is DatabaseCommitted: advanceAll(of: moment.process, to: .committed, entry)
    case let event as SaveInDoubt:
      advance(Attempt(process: moment.process, change: event.change), to: .inDoubt, entry)
    case let event as SaveConflict: conflict(event, entry)
    case let event as SaveEnded: end(event, moment)
    case let event as InDoubtResolved: resolve(event, entry)
    case let event as DraftDiscarded:
      settle(event.document, event.change)
      change(event.document) { Self.append(Evidence(entry), to: &$0.others, &$0.shortened) }
    case let event as LeaseReaped: if let holder = event.holder { reaped.insert(holder) }
    default: break
    }
  }

  private mutating func change(_ document: String, _ body: (inout VanishedStory) -> Void) {
    if let only = self.document, only != document { return }
    var story = stories[document] ?? VanishedStory(document: document)
    body(&story)
    stories[document] = story
  }

  private static func append<Item>(_ item: Item, to list: inout [Item], _ shortened: inout Bool) {
    list.append(item)
    if list.count > 32 {
      list.removeFirst()
      shortened = true
    }
  }

  private mutating func begin(_ event: SaveBegun, _ moment: Moment) {
    let evidence = Evidence(moment.entry)
    open[Attempt(process: moment.process, change: event.change)] = (event.document, moment.number)
    change(event.document) { story in
      Self.append(
        VanishedStory.Unfinished(
          change: event.change, base: event.base, purpose: event.purpose, scene: event.scene,
          begun: evidence, reached: evidence),
        to: &story.unfinished, &story.shortened)
    }
  }

  private mutating func advance(
    _ attempt: Attempt, to stage: SaveStage, _ entry: TraceEntry,
    _ body: (inout VanishedStory.Unfinished) -> Void = { _ in }
  ) {
    guard let document = open[attempt]?.document else { return }
    change(document) { story in
      guard let index = story.unfinished.lastIndex(where: { $0.change == attempt.change }) else { return }
      body(&story.unfinished[index])
      if story.unfinished[index].stage < stage {
        story.unfinished[index].stage = stage
        story.unfinished[index].reached = Evidence(entry)
      }
    }
  }

  private mutating func advanceAll(of process: ProcessKey, to stage: SaveStage, _ entry: TraceEntry) {
    if open.isEmpty { return }
    for (attempt, _) in open.pairs where attempt.process == process { advance(attempt, to: stage, entry) }
  }

  private mutating func conflict(_ event: SaveConflict, _ entry: TraceEntry) {
    change(event.document) { story in
      Self.append(
        VanishedStory.Overlap(
          change: event.change, scene: event.scene, expected: event.expected, current: event.current,
          evidence: Evidence(entry)),
        to: &story.overlaps, &story.shortened)
    }
  }

  private mutating func end(_ event: SaveEnded, _ moment: Moment) {
    let evidence = Evidence(moment.entry)
    if event.outcome == .inDoubt {
      return advance(Attempt(process: moment.process, change: event.change), to: .inDoubt, moment.entry)
    }
    open[Attempt(process: moment.process, change: event.change)] = nil
    let base = "\(event.base) \(event.document)"
    let overwritten = event.madeVersion ? bases[base] : nil
    change(event.document) { story in
      if let index = story.unfinished.lastIndex(where: { $0.change == event.change }) {
        story.unfinished.remove(at: index)
      }
      switch event.outcome {
      case .refused, .retryable: Self.append(evidence, to: &story.others, &story.shortened)
      case .committed where event.purpose == .commit:
        let save = VanishedStory.Save(event: event, evidence: evidence)
        if event.version >= story.lastSave?.event.version ?? 0 { story.lastSave = save }
        if let overwritten, overwritten.event.change != event.change {
          Self.append(overwritten, to: &story.overwritten, &story.shortened)
        }
      case .committed, .alreadyCommitted, .conflict, .inDoubt: break
      }
    }
    guard event.purpose == .commit else { return }
    if event.outcome == .committed {
      bases[base] = VanishedStory.Save(event: event, evidence: evidence)
    }
    if event.outcome == .committed || event.outcome == .alreadyCommitted {
      settle(event.document, event.change)
    }
  }

  private mutating func settle(_ document: String, _ id: String) {
    guard stories[document] != nil else { return }
    change(document) { story in
      for index in story.overlaps.indices where story.overlaps[index].change == id {
        story.overlaps[index].settled = true
      }
      // Another process may have finished what a killed one began.
      story.unfinished.removeAll { $0.change == id && $0.purpose == .commit }
      // A refused attempt that succeeded later is no more to be told.
      story.others.removeAll { $0.kind == SaveEnded.kind && $0.fields.contains("\"change\":\"\(id)\"") }
    }
  }

  private mutating func resolve(_ event: InDoubtResolved, _ entry: TraceEntry) {
    for (attempt, place) in open.pairs where attempt.change == event.change {
      open[attempt] = nil
      change(place.document) { story in
        story.unfinished.removeAll { $0.change == event.change && $0.purpose == .commit }
        if !event.committed { Self.append(Evidence(entry), to: &story.others, &story.shortened) }
      }
    }
  }

  /// The answer. The inquiry is used up.
  public consuming func report() -> VanishedReport {
    for (attempt, place) in open.pairs {
      let end = end(of: attempt.process, after: place.number)
      change(place.document) { story in
        for index in story.unfinished.indices where story.unfinished[index].change == attempt.change {
          story.unfinished[index].process = end
        }
      }
    }
    let all = stories.pairs.map(\.value)
    var notes: [String] = []
    if stories.overflowed || open.overflowed {
      notes.append("there were more documents or saves than are kept in memory; the oldest are not told of")
    }
    if all.isEmpty {
      notes.append(
        document.map { "no save of \($0) was recorded" } ?? "no save was recorded: record with"
          + " Workspace.open(…, trace: .file) in every process that shares the container")
    }
    return VanishedReport(
      stories: all.filter { $0.isSuspicious || document != nil }.sorted { $0.document < $1.document },
      documents: all.count, events: events, problems: problems, notes: notes)
  }

  private func end(of process: ProcessKey, after number: Int) -> VanishedStory.ProcessEnd {
    guard let facts = processes[process], let last = processes.last else { return .unknown }
    let pid = String(facts.process.pid)
    let isReaped = reaped.contains { holder in
      holder.split(whereSeparator: { !$0.isNumber }).contains { $0 == pid }
    }
    if isReaped { return .reaped }
    let silence =
      last.record.monotonic > facts.last.record.monotonic && last.boot == process.boot
      ? last.record.monotonic - facts.last.record.monotonic : 0
    // A tenth of a second: processes do not record at every moment.
    if silence > 100_000_000 || last.boot != process.boot { return .silent(silence) }
    return facts.lastNumber > number ? .wentOn : .endOfTrace
  }
}
