import TenureFindings
import TenureTrace

/// An acknowledged version is not there later.
struct LostCommit: TraceRule {
  static let description = RuleDescription(
    id: "D1.lost", law: .d1, title: "an acknowledged edit is gone",
    why: "whoever was told \"committed\" threw their own copy away",
    advice: """
      Commit with synchronous=FULL through DocumentStore.commit, never write the database file from outside, \
      and look at what happened between the two events: a restored copy, a kill, a full disk.
      """,
    needs: [[SaveBegun.kind], [SaveEnded.kind]])
  static let kinds: [any TraceEvent.Type] = [
    ProcessStarted.self, SaveBegun.self, SaveEnded.self, SaveConflict.self, InDoubtResolved.self,
    DraftRecovered.self, HistoryPurged.self,
  ]

  private struct Told {
    let version: Int64
    let sequence: Int64?
    let process: ProcessKey
    let number: Int
    let entry: TraceEntry
  }
  /// An acknowledged change that is not known any more; no fault when its version was purged.
  private struct Unknown {
    let change: String
    let before: Told
    let entry: TraceEntry
  }
  private struct Attempt: Hashable {
    let process: ProcessKey
    let change: String
  }

  /// The highest acknowledged version of each document.
  private var told = BoundedMap<String, Told>()
  private var committed = BoundedMap<String, Told>()
  /// What was acknowledged of a document when a save of it began; of several under way, when the first did.
  private var begun = BoundedMap<Attempt, Told?>()
  private var unknown = BoundedMap<String, Unknown>(capacity: RuleOutput.limit)
  /// History is purged through here.
  private var purged: Int64 = 0
  private var starts = BoundedMap<ProcessKey, Int>(capacity: 4096)

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case is ProcessStarted:
      if starts[moment.process] == nil { starts[moment.process] = moment.number }
    case let event as HistoryPurged: purged = max(purged, event.through)
    case let event as SaveBegun where event.purpose == .commit:
      let attempt = Attempt(process: moment.process, change: event.change)
      if begun[attempt] == nil { begun[attempt] = .some(told[event.document]) }
    case let event as SaveConflict:
      compare(event.document, event.current, event.change, moment, &output)
    case let event as SaveEnded where event.madeVersion:
      compare(event.document, event.version, event.change, moment, &output)
      let new = Told(
        version: event.version, sequence: event.sequence, process: moment.process, number: moment.number,
        entry: moment.entry)
      if event.version > told[event.document]?.version ?? 0 { told[event.document] = new }
      committed[event.change] = new
      begun[Attempt(process: moment.process, change: event.change)] = nil
    case let event as SaveEnded where event.purpose == .commit:
      begun[Attempt(process: moment.process, change: event.change)] = nil
    case let event as InDoubtResolved where !event.committed:
      // Another process may have looked before the change was committed, and recorded it after.
      if let before = committed[event.change],
        before.process == moment.process || before.number < starts[moment.process] ?? 0
      {
        unknown[event.change] = Unknown(change: event.change, before: before, entry: moment.entry)
      }
    case let event as DraftRecovered:
      if let before = told[event.document], event.current < before.version,
        before.number < starts[moment.process] ?? 0
      {
        output.found(
          event.document,
          "Version \(before.version) of \(event.document) was acknowledged, and a process that began later"
            + " found \(event.current) to be current.", before.entry, moment.entry)
      }
    default: break
    }
  }

  /// An answer to a save that began after the acknowledgement may not rest on an older version.
  private func compare(
    _ document: String, _ version: Int64, _ change: String, _ moment: Moment, _ output: inout RuleOutput
  ) {
    guard let known = begun[Attempt(process: moment.process, change: change)], let before = known,
      version < before.version
    else { return }
    output.found(
      document,
      "Version \(before.version) of \(document) was acknowledged, and a save that began later met"
        + " \(version).", before.entry, moment.entry)
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    for (_, item) in unknown.pairs where item.before.sequence ?? .max > purged {
      output.found(
        item.change,
        "Change \(item.change) was acknowledged as version \(item.before.version), and is now found not to"
          + " have happened.", item.before.entry, item.entry)
    }
    output.note(overflowed: told.overflowed || begun.overflowed || committed.overflowed, "saves")
  }
}

/// A save was told to have failed, and had happened.
struct FailedButCommitted: TraceRule {
  static let description = RuleDescription(
    id: "D1.told-failed", law: .d1, title: "told failed, but committed",
    why: "an outcome that cannot be known must be in doubt: told \"failed\", people do it again",
    advice: "Answer CommitInDoubt when COMMIT or a sync fails, and ask outcome(of:) by the change ID.",
    needs: [[SaveEnded.kind]])
  static let kinds: [any TraceEvent.Type] = FailedThenFound.kinds

  private var failures = FailedThenFound(cancelled: false)

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) { failures.take(moment, &output) }
  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    output.note(overflowed: failures.overflowed, "changes")
  }
}

/// Changes that were answered "failed" and are found committed although nobody tried them again.
struct FailedThenFound {
  static let kinds: [any TraceEvent.Type] = [
    SaveBegun.self, SaveEnded.self, InDoubtResolved.self, CancelRequested.self,
  ]

  private struct Change {
    /// Processes whose attempt has no answer: one that was killed may have committed after all.
    var open: Set<ProcessKey> = []
    var failed: TraceEntry?
    /// Known to have happened: what is refused after that was another content under its ID.
    var committed = false
    var cancelled = false
  }

  private var changes = BoundedMap<String, Change>()
  private let cancelled: Bool

  /// Looks at cancelled changes only, or at the others only.
  init(cancelled: Bool) { self.cancelled = cancelled }

  var overflowed: Bool { changes.overflowed }

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as SaveBegun where event.purpose == .commit:
      changes[event.change, default: Change()].open.insert(moment.process)
    case let event as CancelRequested:
      changes[event.change, default: Change()].cancelled = true
    case let event as SaveEnded where event.purpose == .commit:
      var change = changes[event.change] ?? Change()
      change.open.remove(moment.process)
      switch event.outcome {
      case .refused, .retryable:
        // Another attempt may still commit it; then there is nothing wrong.
        if change.open.isEmpty && !change.committed { change.failed = moment.entry }
      case .alreadyCommitted:
        report(change, event.change, moment, &output)
        change.failed = nil
        change.committed = true
      case .committed:
        change.failed = nil
        change.committed = true
      case .inDoubt, .conflict: change.failed = nil
      }
      changes[event.change] = change
    case let event as InDoubtResolved where event.committed:
      if let change = changes[event.change], change.open.isEmpty {
        report(change, event.change, moment, &output)
        changes[event.change]?.failed = nil
      }
    default: break
    }
  }

  private func report(_ change: Change, _ id: String, _ moment: Moment, _ output: inout RuleOutput) {
    guard let failed = change.failed, change.cancelled == cancelled, change.open.isEmpty else { return }
    let how = cancelled ? "was cancelled and told to have failed" : "was told to have failed"
    output.found(id, "Change \(id) \(how), and it had been committed.", failed, moment.entry)
  }
}
