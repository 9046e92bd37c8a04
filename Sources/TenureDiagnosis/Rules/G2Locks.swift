import TenureFindings
import TenureTrace

/// Which process holds which lock, as far as the trace tells.
private struct HeldLocks {
  struct Holding: Hashable {
    let process: ProcessKey
    let lock: String
  }
  var held = BoundedMap<Holding, TraceEntry>(capacity: 4096)

  mutating func take(_ moment: Moment) {
    switch moment.record.event {
    case let event as LockTaken:
      held[Holding(process: moment.process, lock: event.lock)] = moment.entry
    case let event as LockReleased: held[Holding(process: moment.process, lock: event.lock)] = nil
    default: break
    }
  }
}

/// A process was suspended while it held a lock.
struct LockHeldInSuspension: TraceRule {
  static let description = RuleDescription(
    id: "G2.suspended", law: .g2, title: "suspended with a lock held",
    why: "the system kills it (0xdead10cc), and until then every other process waits",
    advice: "Call suspend() before the system suspends the process: it finishes or interrupts and unlocks.",
    needs: [[ProcessSuspending.kind], [LockTaken.kind]])
  static let kinds: [any TraceEvent.Type] = [
    LockTaken.self, LockReleased.self, ProcessSuspending.self, ProcessResumed.self,
  ]

  private var locks = HeldLocks()
  private var suspensions = BoundedMap<ProcessKey, TraceEntry>(capacity: 4096)
  /// Locks that were not given back since their process announced its suspension.
  private var pending = BoundedMap<HeldLocks.Holding, TraceEntry>(capacity: 4096)

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    locks.take(moment)
    switch moment.record.event {
    case is ProcessSuspending:
      suspensions[moment.process] = moment.entry
      for (holding, _) in locks.held.pairs where holding.process == moment.process {
        pending[holding] = moment.entry
      }
    case let event as LockReleased:
      pending[HeldLocks.Holding(process: moment.process, lock: event.lock)] = nil
    case let event as LockTaken:
      // Taken between the announcement and running again is as bad as held on to.
      pending[HeldLocks.Holding(process: moment.process, lock: event.lock)] = suspensions[moment.process]
    case is ProcessResumed:
      suspensions[moment.process] = nil
      for (holding, suspending) in pending.pairs where holding.process == moment.process {
        report(holding, suspending, moment.entry, &output)
        pending[holding] = nil
      }
    default: break
    }
  }

  private func report(
    _ holding: HeldLocks.Holding, _ suspending: TraceEntry, _ resumed: TraceEntry?,
    _ output: inout RuleOutput
  ) {
    output.absent(
      holding.lock,
      "\(suspending.record.process.short) was suspended while it held \(holding.lock).",
      locks.held[holding], suspending, resumed)
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    for (holding, suspending) in pending.pairs { report(holding, suspending, nil, &output) }
  }
}

/// A lock was held for long, or never given back by a process that went on.
struct LockHeldLong: TraceRule {
  /// A second: others have waited long enough to be seen waiting.
  static let limit: UInt64 = 1_000_000_000

  static let description = RuleDescription(
    id: "G2.held-long", law: .g2, severity: .warning, title: "a lock held for long",
    why: "every other process waits, and a suspension in that time kills this one",
    advice: "Do under the lock only what needs it: prepare bodies before, page long work.",
    needs: [[LockReleased.kind]])
  static let kinds: [any TraceEvent.Type] = [LockTaken.self, LockReleased.self]

  private var locks = HeldLocks()

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    if let event = moment.record.event as? LockReleased, event.held > Self.limit {
      output.found(
        event.lock,
        "\(moment.record.process.short) held \(event.lock) for \(event.held / 1_000_000) ms, for"
          + " \(event.purpose).",
        locks.held[HeldLocks.Holding(process: moment.process, lock: event.lock)], moment.entry)
    }
    locks.take(moment)
  }
}

/// A lock was never given back by a process that went on.
struct LockKept: TraceRule {
  static let description = RuleDescription(
    id: "G2.kept", law: .g2, title: "a lock never given back",
    why: "no other process can ever write again while this one lives",
    advice: "Take locks with GroupLock.withLock, which gives them back on every way out.",
    needs: [[LockTaken.kind]])
  static let kinds: [any TraceEvent.Type] = [LockTaken.self, LockReleased.self]

  private var locks = HeldLocks()

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) { locks.take(moment) }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    for (holding, taken) in locks.held.pairs {
      guard let facts = processes[holding.process], !facts.suspended,
        facts.last.record.monotonic > taken.record.monotonic,
        facts.last.record.monotonic - taken.record.monotonic > LockHeldLong.limit
      else { continue }
      output.absent(
        holding.lock,
        "\(facts.process.short) took \(holding.lock), went on for"
          + " \((facts.last.record.monotonic - taken.record.monotonic) / 1_000_000) ms and had not given it"
          + " back.", taken, facts.last)
    }
  }
}
