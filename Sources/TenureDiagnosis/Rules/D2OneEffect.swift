import TenureFindings
import TenureTrace

/// One change ID made two versions.
struct CommittedTwice: TraceRule {
  static let description = RuleDescription(
    id: "D2.twice", law: .d2, title: "one change committed twice",
    why: "the same edit stands in the history twice, and its operations run twice",
    advice: """
      Make the change ID once for each edit and keep it across retries; commit through DocumentStore, which \
      looks the ID up in the transaction that writes.
      """,
    needs: [[SaveEnded.kind]])
  static let kinds: [any TraceEvent.Type] = [SaveEnded.self]

  private struct Effect {
    let event: SaveEnded
    let entry: TraceEntry
  }

  private var effects = BoundedMap<String, Effect>()

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? SaveEnded, event.madeVersion
    else { return }
    guard let before = effects[event.change] else {
      effects[event.change] = Effect(event: event, entry: moment.entry)
      return
    }
    let sequences = (before.event.sequence ?? 0, event.sequence ?? 0)
    let differ = sequences.0 != 0 && sequences.1 != 0 && sequences.0 != sequences.1
    if before.event.version != event.version || before.event.document != event.document || differ {
      output.found(
        event.document,
        "Change \(event.change) was committed as version \(before.event.version) of"
          + " \(before.event.document) and again as version \(event.version) of \(event.document).",
        before.entry, moment.entry)
    }
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    output.note(overflowed: effects.overflowed, "changes")
  }
}
