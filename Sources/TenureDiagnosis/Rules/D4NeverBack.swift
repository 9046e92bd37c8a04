import TenureFindings
import TenureTrace

/// An observer was told of an older version after a newer one.
struct ObservedBackward: TraceRule {
  static let description = RuleDescription(
    id: "D4.observed", law: .d4, title: "an observer went back to an older version",
    why: "the screen shows old words, and the next save from it is made of them",
    advice: "Keep what is observed in a StateStore, which drops versions that are not newer.",
    needs: [[DocumentObserved.kind]])
  static let kinds: [any TraceEvent.Type] = [DocumentObserved.self]

  private struct Observer: Hashable {
    let process: ProcessKey
    let name: String
    let document: String
  }
  private struct Seen {
    let version: Int64
    let entry: TraceEntry
  }

  private var seen = BoundedMap<Observer, Seen>()

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? DocumentObserved else { return }
    let observer = Observer(process: moment.process, name: event.observer, document: event.document)
    if let before = seen[observer], event.version < before.version {
      output.found(
        event.document,
        "\(event.observer) was told of version \(event.version) of \(event.document) after"
          + " \(before.version).", before.entry, moment.entry)
      return
    }
    seen[observer] = Seen(version: event.version, entry: moment.entry)
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    output.note(overflowed: seen.overflowed, "observers")
  }
}

/// A lower version stands later in the history than a higher one.
struct SequenceBackward: TraceRule {
  static let description = RuleDescription(
    id: "D4.sequence", law: .d4, title: "an older version committed after a newer one",
    why: "a slow write became current again and hid what came after it",
    advice: "Number versions inside the transaction that commits, not before.",
    needs: [[SaveEnded.kind]])
  static let kinds: [any TraceEvent.Type] = [SaveEnded.self]

  private struct Commit {
    let version: Int64
    let sequence: Int64
    let entry: TraceEntry
  }

  /// The last few commits of each document: events arrive out of order by little.
  private var commits = BoundedMap<String, [Commit]>()

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? SaveEnded, event.madeVersion, let sequence = event.sequence
    else { return }
    let new = Commit(version: event.version, sequence: sequence, entry: moment.entry)
    var known = commits[event.document] ?? []
    if let other = known.first(where: {
      $0.version != new.version && ($0.version < new.version) != ($0.sequence < new.sequence)
    }) {
      output.found(
        event.document,
        "Version \(other.version) of \(event.document) has place \(other.sequence) in the history, and"
          + " version \(new.version) has place \(new.sequence).", other.entry, new.entry)
    }
    known.append(new)
    if known.count > 16 { known.removeFirst() }
    commits[event.document] = known
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    output.note(overflowed: commits.overflowed, "documents")
  }
}
