import TenureFindings
import TenureTrace

/// Two versions were merged without a rule, or from no common base.
struct MergeWithoutRule: TraceRule {
  static let description = RuleDescription(
    id: "D8.no-rule", law: .d8, title: "merged without a rule or a common base",
    why: "what came out is neither's words, and nobody was asked",
    advice: "Register a MergeRule for the kind of document, or leave the conflict for a person to settle.",
    needs: [[MergeTried.kind]])
  static let kinds: [any TraceEvent.Type] = [MergeTried.self]

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? MergeTried, event.merged else { return }
    if event.rule == nil {
      output.found(
        event.document, "Change \(event.mine) was merged into version \(event.theirs) without a rule.",
        moment.entry)
    } else if event.base > event.theirs {
      output.found(
        event.document,
        "Change \(event.mine) of version \(event.base) was merged into version \(event.theirs), which is older"
          + " than its base.", moment.entry)
    }
  }
}
