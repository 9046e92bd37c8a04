import TenureFindings
import TenureTrace

/// A flush answered after its deadline, or not at all.
struct LateFlush: TraceRule {
  /// What a busy machine may take to wake a thread: 50 ms.
  static let grace: UInt64 = 50_000_000

  static let description = RuleDescription(
    id: "D7.late", law: .d7, title: "a flush overran its deadline",
    why: "past the deadline the system suspends or kills the process, whatever it is doing",
    advice: "Answer at the deadline with what is unsaved and in doubt, and let drafts carry the rest.",
    needs: [[FlushBegun.kind]])
  static let kinds: [any TraceEvent.Type] = [FlushBegun.self, FlushEnded.self]

  private struct Flush: Hashable {
    let process: ProcessKey
    let deadline: UInt64
  }
  private var open = BoundedMap<Flush, TraceEntry>(capacity: 4096)

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as FlushBegun:
      open[Flush(process: moment.process, deadline: event.deadline)] = moment.entry
    case let event as FlushEnded:
      let begun = open[Flush(process: moment.process, deadline: event.deadline)]
      open[Flush(process: moment.process, deadline: event.deadline)] = nil
      // A flush that is asked for too late can only answer at once.
      let due = max(event.deadline, begun?.record.monotonic ?? 0)
      guard moment.monotonic > due, moment.monotonic - due > Self.grace else { return }
      output.found(
        moment.record.process.short,
        "The flush answered \((moment.monotonic - due) / 1_000_000) ms after its deadline.",
        begun, moment.entry)
    default: break
    }
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    for (flush, entry) in open.pairs {
      guard let facts = processes[flush.process], facts.last.record.monotonic > flush.deadline,
        facts.last.record.monotonic - flush.deadline > Self.grace
      else { continue }
      output.absent(
        facts.process.short, "A flush never answered, and its process went on past the deadline.", entry,
        facts.last)
    }
  }
}

/// An item of a flush is in none of its three lists.
struct FlushItemMissing: TraceRule {
  static let description = RuleDescription(
    id: "D7.unanswered", law: .d7, title: "a flush left an item out",
    why: "nobody knows whether the edit is safe, so nobody keeps it",
    advice: "Answer saved, unsaved or in doubt for each item the flush began with.",
    needs: [[FlushBegun.kind], [FlushEnded.kind]])
  static let kinds: [any TraceEvent.Type] = [FlushBegun.self, FlushEnded.self]

  private struct Flush: Hashable {
    let process: ProcessKey
    let deadline: UInt64
  }
  private var open = BoundedMap<Flush, (items: [String], entry: TraceEntry)>(capacity: 4096)

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as FlushBegun:
      open[Flush(process: moment.process, deadline: event.deadline)] = (event.items, moment.entry)
    case let event as FlushEnded:
      let key = Flush(process: moment.process, deadline: event.deadline)
      guard let begun = open[key] else { return }
      open[key] = nil
      let answered = Set(event.saved + event.unsaved + event.inDoubt)
      for item in begun.items where !answered.contains(item) {
        output.found(
          item, "The flush began with change \(item) and said nothing of it at its end.", begun.entry,
          moment.entry)
      }
    default: break
    }
  }
}

/// A save of a flush was begun after its deadline.
struct SaveAfterFlush: TraceRule {
  static let description = RuleDescription(
    id: "D7.begun-after", law: .d7, title: "a save began after the flush's deadline",
    why: "the process is suspended in the middle of it, perhaps with a lock",
    advice: "Start nothing once the deadline has passed; go on when the process runs again.",
    needs: [[FlushBegun.kind], [SaveBegun.kind]])
  static let kinds: [any TraceEvent.Type] = [
    FlushBegun.self, FlushEnded.self, SaveBegun.self, SceneForeground.self, SceneBackground.self,
    SceneClosed.self, ProcessResumed.self,
  ]

  private struct Flush {
    let deadline: UInt64
    var items: Set<String>
    let entry: TraceEntry
  }
  private var flushes = BoundedMap<ProcessKey, Flush>(capacity: 4096)
  /// The scenes in the foreground: while there is one, somebody may go on typing after a flush.
  private var visible = BoundedMap<ProcessKey, Set<String>>(capacity: 4096)

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as FlushBegun:
      flushes[moment.process] = Flush(
        deadline: event.deadline, items: Set(event.items), entry: moment.entry)
    case let event as FlushEnded:
      // What the flush saved is over; a later save under its change is of what was typed since.
      if flushes[moment.process]?.deadline == event.deadline {
        flushes[moment.process]?.items.subtract(event.saved)
      }
    case let event as SaveBegun:
      guard visible[moment.process, default: []].isEmpty, let flush = flushes[moment.process],
        moment.monotonic > flush.deadline,
        flush.items.contains(event.change)
      else { return }
      output.found(
        event.document,
        "The save of change \(event.change) began \((moment.monotonic - flush.deadline) / 1_000_000) ms after"
          + " the deadline of the flush it belongs to, while the process was in the background.",
        flush.entry, moment.entry)
    case let event as SceneForeground:
      visible[moment.process, default: []].insert(event.scene)
      flushes[moment.process] = nil
    case let event as SceneBackground: visible[moment.process, default: []].remove(event.scene)
    case let event as SceneClosed: visible[moment.process, default: []].remove(event.scene)
    case is ProcessResumed: flushes[moment.process] = nil
    default: break
    }
  }
}
