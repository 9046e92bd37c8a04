import TenureFindings
import TenureTrace

/// A cancelled save was told to have failed, and had happened.
struct CancelledButCommitted: TraceRule {
  static let description = RuleDescription(
    id: "D11.told-failed", law: .d11, title: "cancelled, told failed, but committed",
    why: "the edit is there, and whoever cancelled it believes that it is not",
    advice: "Answer a cancelled commit with what happened, or in doubt; outcome(of:) tells later.",
    needs: [[CancelRequested.kind], [SaveEnded.kind]])
  static let kinds: [any TraceEvent.Type] = FailedThenFound.kinds

  private var failures = FailedThenFound(cancelled: true)

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) { failures.take(moment, &output) }
  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    output.note(overflowed: failures.overflowed, "changes")
  }
}

/// A cancelled save was never answered although its process went on saving.
struct CancelledWithoutOutcome: TraceRule {
  static let description = RuleDescription(
    id: "D11.no-outcome", law: .d11, title: "a cancelled save without an outcome",
    why: "nobody will ever know whether the edit is there",
    advice: "Let the queued commit run to its end and record its outcome, whoever still waits for it.",
    needs: [[CancelRequested.kind], [SaveEnded.kind]])
  static let kinds: [any TraceEvent.Type] = [
    CancelRequested.self, SaveBegun.self, SaveEnded.self, SaveInDoubt.self, InDoubtResolved.self,
  ]

  private struct Cancelled {
    let document: String
    let entry: TraceEntry
    /// A commit of the same process that began after the cancelling and was answered: the queue went past it.
    var passedBy: TraceEntry?
  }
  private struct Attempt: Hashable {
    let process: ProcessKey
    let change: String
  }

  private var cancelled = BoundedMap<Attempt, Cancelled>()
  private var begunAfter = BoundedMap<Attempt, Bool>()

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as CancelRequested:
      cancelled[Attempt(process: moment.process, change: event.change)] = Cancelled(
        document: event.document, entry: moment.entry)
    case let event as SaveBegun where event.purpose == .commit:
      let attempt = Attempt(process: moment.process, change: event.change)
      if !cancelled.isEmpty,
        cancelled.pairs.contains(where: { $0.key.process == moment.process && $0.key != attempt })
      {
        begunAfter[attempt] = true
      }
    case let event as SaveEnded:
      let attempt = Attempt(process: moment.process, change: event.change)
      cancelled[attempt] = nil
      guard begunAfter[attempt] == true else { return }
      begunAfter[attempt] = nil
      for (other, value) in cancelled.pairs where other.process == moment.process && value.passedBy == nil {
        cancelled[other]?.passedBy = moment.entry
      }
    case let event as SaveInDoubt: cancelled[Attempt(process: moment.process, change: event.change)] = nil
    case let event as InDoubtResolved: cancelled[Attempt(process: moment.process, change: event.change)] = nil
    default: break
    }
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    for (attempt, value) in cancelled.pairs {
      guard let passed = value.passedBy else { continue }
      output.absent(
        value.document,
        "The save of change \(attempt.change) was cancelled and never answered; a later one of the same"
          + " process was.", value.entry, passed)
    }
  }
}
