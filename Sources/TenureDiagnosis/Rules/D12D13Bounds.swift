import TenureFindings
import TenureTrace

/// A process wrote to a database whose schema is newer than it knows.
struct WroteToNewerSchema: TraceRule {
  static let description = RuleDescription(
    id: "D12.wrote", law: .d12, title: "old code wrote into a newer schema",
    why: "it writes rows the newer code does not expect, and leaves out what that needs",
    advice: "Look at the schema version inside each writing transaction and refuse when it is newer.",
    needs: [[SchemaFound.kind]])
  static let kinds: [any TraceEvent.Type] = [SchemaFound.self]

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? SchemaFound, event.wrote, event.found > event.expected
    else { return }
    output.found(
      event.component,
      "\(moment.record.process.short) knows version \(event.expected) of \(event.component), found"
        + " \(event.found), and wrote.", moment.entry)
  }
}

/// Something grew over its bound and nothing was refused.
struct BoundExceeded: TraceRule {
  static let description = RuleDescription(
    id: "D13.over", law: .d13, title: "grown over a stated bound",
    why: "the disk fills, and then every app on the device fails",
    advice: "Restart the log, purge, or refuse with an error that names who keeps it from shrinking.",
    needs: [[BoundReached.kind]])
  static let kinds: [any TraceEvent.Type] = [BoundReached.self]

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? BoundReached, event.size > event.bound, !event.refused
    else { return }
    output.found(
      event.what, "\(event.what) has grown to \(event.size) over its bound of \(event.bound).",
      moment.entry)
  }
}

/// A request was refused for a bound, and nobody was named.
struct BoundUnnamed: TraceRule {
  static let description = RuleDescription(
    id: "D13.unnamed", law: .d13, severity: .warning, title: "refused without naming who is in the way",
    why: "nobody can do anything about it",
    advice: "Name the reader, consumer or process that keeps it from shrinking in the error.",
    needs: [[BoundReached.kind]])
  static let kinds: [any TraceEvent.Type] = [BoundReached.self]

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? BoundReached, event.refused, event.inTheWay ?? "" == ""
    else { return }
    output.found(
      event.what, "A request was refused because \(event.what) is at its bound, and nobody was named.",
      moment.entry)
  }
}
