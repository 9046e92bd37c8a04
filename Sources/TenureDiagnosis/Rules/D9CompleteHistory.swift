import TenureFindings
import TenureTrace

/// A consumer was not given a change that lies in what it read.
struct HistoryGap: TraceRule {
  static let description = RuleDescription(
    id: "D9.gap", law: .d9, title: "a gap in the history",
    why: "an index, a widget or another device never learns of the change",
    advice: """
      Keep the token a read ended with, together with its effect (acknowledge(_:for:with:)); answer a token \
      that is too old with a snapshot.
      """,
    needs: [[HistoryRead.kind], [SaveEnded.kind, HistoryPurged.kind]])
  static let kinds: [any TraceEvent.Type] = [HistoryRead.self, HistoryPurged.self, SaveEnded.self]

  private struct Read {
    let event: HistoryRead
    let entry: TraceEntry
  }

  /// The last reads of each consumer, and the last commits: either may be recorded first.
  private var reads = BoundedMap<String, [Read]>(capacity: 256)
  private var commits: [(sequence: Int64, entry: TraceEntry)] = []
  private var purged: (through: Int64, entry: TraceEntry)?

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as SaveEnded where event.madeVersion:
      guard let sequence = event.sequence, sequence > 0 else { return }
      for (_, known) in reads.pairs {
        if let read = known.last(where: { Self.misses(sequence, $0.event) }) {
          missed(sequence, read.event, read.entry, moment.entry, &output)
        }
      }
      if !commits.contains(where: { $0.sequence == sequence }) {
        commits.append((sequence, moment.entry))
        if commits.count > 1024 { commits.removeFirst(512) }
      }
    case let event as HistoryPurged:
      if event.through > purged?.through ?? 0 { purged = (event.through, moment.entry) }
    case let event as HistoryRead: take(event, moment, &output)
    default: break
    }
  }

  private static func misses(_ sequence: Int64, _ read: HistoryRead) -> Bool {
    !read.snapshot && read.after < sequence && sequence <= read.through && !read.changes.contains(sequence)
  }

  private func missed(
    _ sequence: Int64, _ read: HistoryRead, _ first: TraceEntry, _ second: TraceEntry,
    _ output: inout RuleOutput
  ) {
    output.found(
      read.consumer,
      "\(read.consumer) read the history after \(read.after) through \(read.through) and was not given"
        + " \(sequence).", first, second)
  }

  private mutating func take(_ event: HistoryRead, _ moment: Moment, _ output: inout RuleOutput) {
    var known = reads[event.consumer] ?? []
    if !event.snapshot {
      // Who has no name has no place to go on from: each read is for itself.
      if !event.consumer.isEmpty, let last = known.last, event.after > last.event.through {
        output.found(
          event.consumer,
          "\(event.consumer) had read through \(last.event.through) and went on after \(event.after).",
          last.entry, moment.entry)
      }
      if let purged, event.after < purged.through {
        output.found(
          event.consumer,
          "\(event.consumer) came with the token \(event.after); history is purged through"
            + " \(purged.through), and it was not told to start from a snapshot.",
          purged.entry, moment.entry)
      }
      for commit in commits where Self.misses(commit.sequence, event) {
        missed(commit.sequence, event, commit.entry, moment.entry, &output)
      }
    }
    known.append(Read(event: event, entry: moment.entry))
    if known.count > 32 { known.removeFirst() }
    reads[event.consumer] = known
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    output.note(overflowed: reads.overflowed, "consumers")
  }
}

/// A read gave changes out of order, twice or from outside its stretch.
struct HistoryDisorder: TraceRule {
  static let description = RuleDescription(
    id: "D9.order", law: .d9, title: "history out of order",
    why: "the consumer applies an older change over a newer one, or one twice",
    advice: "Read history by sequence number, in order, inside one read transaction.",
    needs: [[HistoryRead.kind]])
  static let kinds: [any TraceEvent.Type] = [HistoryRead.self]

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? HistoryRead else { return }
    var previous = event.after
    for sequence in event.changes {
      if sequence <= previous || sequence > event.through {
        output.found(
          event.consumer,
          "\(event.consumer) read after \(event.after) through \(event.through) and was given \(sequence)"
            + " behind \(previous).", moment.entry)
        return
      }
      previous = sequence
    }
    if event.through < event.after {
      output.found(
        event.consumer, "\(event.consumer) came with \(event.after) and left with \(event.through).",
        moment.entry)
    }
  }
}
