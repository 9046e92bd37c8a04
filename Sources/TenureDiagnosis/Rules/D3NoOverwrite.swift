import TenureFindings
import TenureTrace

/// Two edits of one base were both committed.
struct SilentOverwrite: TraceRule {
  static let description = RuleDescription(
    id: "D3.overwrite", law: .d3, title: "two edits of one base both committed",
    why: "the later edit was made without having seen the earlier, whose words are gone without a conflict",
    advice:
      "Commit with the version the edit started from, and show a conflict when it is no longer current.",
    needs: [[SaveEnded.kind]])
  static let kinds: [any TraceEvent.Type] = [SaveEnded.self]

  private struct Base: Hashable {
    let document: String
    let version: Int64
  }
  private struct Commit {
    let change: String
    let entry: TraceEntry
  }

  private var commits = BoundedMap<Base, Commit>()

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? SaveEnded, event.madeVersion
    else { return }
    let base = Base(document: event.document, version: event.base)
    guard let before = commits[base] else {
      commits[base] = Commit(change: event.change, entry: moment.entry)
      return
    }
    if before.change != event.change {
      output.found(
        event.document,
        "Changes \(before.change) and \(event.change) both edited version \(event.base) of"
          + " \(event.document), and both were committed.", before.entry, moment.entry)
    }
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    output.note(overflowed: commits.overflowed, "versions")
  }
}

/// A commit whose version does not follow its base.
struct WrongBase: TraceRule {
  static let description = RuleDescription(
    id: "D3.base", law: .d3, title: "a commit over a version it did not expect",
    why: "between its base and its version others had committed, and their words are gone",
    advice: "Compare the expected version with the current one inside the transaction that writes.",
    needs: [[SaveEnded.kind]])
  static let kinds: [any TraceEvent.Type] = [SaveEnded.self]

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? SaveEnded, event.madeVersion, event.version != event.base &+ 1
    else { return }
    output.found(
      event.document,
      "Version \(event.version) of \(event.document) was committed by an edit of version \(event.base).",
      moment.entry)
  }
}

/// A save met a conflict and was committed all the same.
struct ConflictIgnored: TraceRule {
  static let description = RuleDescription(
    id: "D3.conflict-ignored", law: .d3, title: "committed in spite of a conflict",
    why: "the conflict was seen, and the other's version overwritten without anybody being asked",
    advice: "Hand the conflict to whoever edits, and commit what they settle as a new change.",
    needs: [[SaveEnded.kind]])
  static let kinds: [any TraceEvent.Type] = [SaveBegun.self, SaveConflict.self, SaveEnded.self]

  private struct Attempt: Hashable {
    let process: ProcessKey
    let change: String
  }

  private var conflicts = BoundedMap<Attempt, TraceEntry>()

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as SaveBegun:
      conflicts[Attempt(process: moment.process, change: event.change)] = nil
    case let event as SaveConflict:
      conflicts[Attempt(process: moment.process, change: event.change)] = moment.entry
    case let event as SaveEnded:
      let attempt = Attempt(process: moment.process, change: event.change)
      if event.outcome == .committed, let conflict = conflicts[attempt] {
        output.found(
          event.document,
          "Change \(event.change) of \(event.document) met a conflict, and the same attempt was committed.",
          conflict, moment.entry)
      }
      conflicts[attempt] = nil
    default: break
    }
  }
}
