import TenureFindings
import TenureTrace

/// A commit does not say who wrote it.
struct Unattributed: TraceRule {
  static let description = RuleDescription(
    id: "G6.unattributed", law: .g6, title: "a write without its writer",
    why: "when something is wrong nobody can say which process and which version did it",
    advice: "Give the process a name and the app's version: Workspace.open(at:role:appVersion:).",
    needs: [[DatabaseCommitted.kind]])
  static let kinds: [any TraceEvent.Type] = [DatabaseCommitted.self]

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? DatabaseCommitted, event.edits > 0 else { return }
    var missing: [String] = []
    if event.writer.isEmpty { missing.append("process") }
    if event.appVersion ?? "" == "" { missing.append("app version") }
    if moment.record.wall <= 0 { missing.append("time") }
    if missing.isEmpty { return }
    output.found(
      moment.record.process.short,
      "Sequence \(event.first) to \(event.last) was written without \(missing.joined(separator: ", ")).",
      moment.entry)
  }
}
