import TenureFindings
import TenureTrace

/// A commit was not noticed by a process that watches.
struct CommitUnseen: TraceRule {
  /// The slow poll covers a lost bell within this time: 5 s.
  static let limit: UInt64 = 5_000_000_000

  static let description = RuleDescription(
    id: "G5.unseen", law: .g5, title: "a commit another process did not see",
    why: "its screen shows an old version for as long as nobody touches it",
    advice: "Watch the bell, the closing of the lock file and a slow poll together: GroupSignal.watch.",
    needs: [[DatabaseCommitted.kind], [SignalSeen.kind]])
  static let kinds: [any TraceEvent.Type] = [
    DatabaseCommitted.self, SignalSeen.self, SignalWatchEnded.self, ProcessSuspending.self,
    ProcessResumed.self,
  ]

  private struct Watcher {
    var seen: Int64
    /// The first commit it has not noticed yet.
    var owed: (sequence: Int64, since: UInt64, entry: TraceEntry)?
    var suspended = false
  }
  private var watchers = BoundedMap<ProcessKey, Watcher>(capacity: 4096)

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as DatabaseCommitted where event.last > 0:
      for (key, watcher) in watchers.pairs
      where key != moment.process && key.boot == moment.process.boot && !watcher.suspended
        && watcher.owed == nil && watcher.seen < event.last
      {
        watchers[key]?.owed = (event.last, moment.monotonic, moment.entry)
      }
    case let event as SignalSeen:
      var watcher = watchers[moment.process] ?? Watcher(seen: event.sequence)
      if let owed = watcher.owed, moment.monotonic >= owed.since {
        if moment.monotonic - owed.since > Self.limit {
          report(moment.record.process, owed, moment.entry, &output)
        }
        // Woken after the commit it looks at the database, whatever the bell's mark says: the mark of a writer
        // that was killed before it rang is missing, and the closing of its lock file wakes all the same.
        watcher.owed = nil
      }
      watcher.seen = max(watcher.seen, event.sequence)
      if let owed = watcher.owed, owed.sequence <= watcher.seen { watcher.owed = nil }
      watchers[moment.process] = watcher
    case is SignalWatchEnded: watchers[moment.process] = nil
    case is ProcessSuspending:
      watchers[moment.process]?.suspended = true
      watchers[moment.process]?.owed = nil
    case is ProcessResumed: watchers[moment.process]?.suspended = false
    default: break
    }
  }

  private func report(
    _ process: ProcessIdentity, _ owed: (sequence: Int64, since: UInt64, entry: TraceEntry),
    _ last: TraceEntry, _ output: inout RuleOutput
  ) {
    output.absent(
      process.short,
      "\(process.short) watches for changes and had not noticed sequence \(owed.sequence) after"
        + " \((last.record.monotonic - owed.since) / 1_000_000) ms.", owed.entry, last)
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    for (key, watcher) in watchers.pairs {
      guard let owed = watcher.owed, let facts = processes[key], facts.last.record.monotonic > owed.since,
        facts.last.record.monotonic - owed.since > Self.limit
      else { continue }
      report(facts.process, owed, facts.last, &output)
    }
  }
}

/// A process committed, went on and did not ring.
struct BellNotRung: TraceRule {
  static let description = RuleDescription(
    id: "G5.unrung", law: .g5, severity: .warning, title: "a commit without its bell",
    why: "other processes learn of it seconds late, by their slow poll",
    advice: "Ring the bell after each commit: GroupSignal.ring(sequence:).",
    needs: [[DatabaseCommitted.kind]])
  static let kinds: [any TraceEvent.Type] = [DatabaseCommitted.self, SignalRung.self]

  private var owed = BoundedMap<ProcessKey, (sequence: Int64, since: UInt64, entry: TraceEntry)>(
    capacity: 4096)

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as DatabaseCommitted where event.last > 0:
      if owed[moment.process] == nil {
        owed[moment.process] = (event.last, moment.monotonic, moment.entry)
      }
    case let event as SignalRung:
      if let first = owed[moment.process], event.sequence >= first.sequence { owed[moment.process] = nil }
    default: break
    }
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    for (key, first) in owed.pairs {
      guard let facts = processes[key], facts.last.record.monotonic > first.since,
        facts.last.record.monotonic - first.since > CommitUnseen.limit
      else { continue }
      output.absent(
        facts.process.short,
        "\(facts.process.short) committed sequence \(first.sequence), went on for"
          + " \((facts.last.record.monotonic - first.since) / 1_000_000) ms and did not ring.",
        first.entry, facts.last)
    }
  }
}
