import TenureFindings
import TenureTrace

/// A checkpointed draft was not offered again after an interruption.
struct DraftLost: TraceRule {
  static let description = RuleDescription(
    id: "D6.draft-lost", law: .d6, title: "a draft did not come back",
    why: "somebody typed it, it was made durable, and they were never shown it again",
    advice: "Call recover() when a process starts, before anything is saved, and show each draft it answers.",
    needs: [[SaveEnded.kind], [ProcessStarted.kind]])
  static let kinds: [any TraceEvent.Type] = [
    SaveBegun.self, SaveEnded.self, DraftRecovered.self, DraftDiscarded.self,
  ]

  private struct Owner: Hashable {
    let scene: String
    let document: String
  }
  private struct Draft {
    let change: String
    let process: ProcessKey
    let entry: TraceEntry
  }

  private var drafts = BoundedMap<Owner, Draft>()
  private var owners = BoundedMap<String, Owner>()
  /// A scene's work in a process. One that saves or recovers has had its chance to offer the scene's drafts.
  private struct Part: Hashable {
    let process: ProcessKey
    let scene: String
  }
  /// The place where a scene first did.
  private var active = BoundedMap<Part, TraceEntry>(capacity: 4096)

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    if let scene = Self.scene(of: moment.record) {
      let part = Part(process: moment.process, scene: scene)
      if active[part] == nil { active[part] = moment.entry }
    }
    switch moment.record.event {
    case let event as SaveEnded:
      if event.purpose == .checkpoint {
        guard event.outcome == .committed, let scene = event.scene else { return }
        let owner = Owner(scene: scene, document: event.document)
        drafts[owner] = Draft(change: event.change, process: moment.process, entry: moment.entry)
        owners[event.change] = owner
      } else if event.outcome == .committed || event.outcome == .alreadyCommitted {
        settle(event.document, event.scene, event.change)
      }
    case let event as DraftRecovered: settle(event.document, event.scene, event.change)
    case let event as DraftDiscarded: settle(event.document, event.scene, event.change)
    default: break
    }
  }

  private static func scene(of record: TraceRecord) -> String? {
    switch record.event {
    case let event as SaveBegun: event.scene ?? record.task
    case let event as DraftRecovered: event.scene
    default: nil
    }
  }

  private mutating func settle(_ document: String, _ scene: String?, _ change: String) {
    if let scene { drafts[Owner(scene: scene, document: document)] = nil }
    if let owner = owners[change], drafts[owner]?.change == change { drafts[owner] = nil }
    owners[change] = nil
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    for (owner, draft) in drafts.pairs {
      guard let ended = processes[draft.process] else { continue }
      // The one that took over: began after the owner's last event, is of its kind, and works in this scene.
      let successor = processes.all.first { key, facts in
        facts.firstNumber > ended.lastNumber && facts.process.role == ended.process.role
          && facts.process.name == ended.process.name && facts.first.record.event is ProcessStarted
          && active[Part(process: key, scene: owner.scene)] != nil
      }
      guard let successor else { continue }
      output.absent(
        owner.document,
        "The draft of \(owner.document) in scene \(owner.scene) was checkpointed by"
          + " \(ended.process.short), which then ended; \(successor.value.process.short) took over and neither"
          + " offered nor committed nor discarded it.",
        draft.entry, ended.last, successor.value.first,
        active[Part(process: successor.key, scene: owner.scene)])
    }
    output.note(overflowed: drafts.overflowed, "drafts")
  }
}
