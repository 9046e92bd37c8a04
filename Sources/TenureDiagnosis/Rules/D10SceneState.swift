import TenureFindings
import TenureTrace

/// UI state was stored under a document or under another scene.
struct SceneStateMisplaced: TraceRule {
  static let description = RuleDescription(
    id: "D10.misplaced", law: .d10, title: "UI state stored where it does not belong",
    why: "two scenes fight over one selection, or a document carries one reader's scroll position to all",
    advice: "Store UI state with saveState(_:ofScene:) under the ID of the scene it belongs to.",
    needs: [[SceneStateSaved.kind]])
  static let kinds: [any TraceEvent.Type] = [
    SceneStateSaved.self, SceneOpened.self, SceneClosed.self, SaveEnded.self,
  ]

  private struct Scene: Hashable {
    let process: ProcessKey
    let name: String
  }

  private var scenes = BoundedMap<Scene, TraceEntry>()
  private var documents = BoundedMap<String, TraceEntry>()

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as SceneOpened:
      scenes[Scene(process: moment.process, name: event.scene)] = moment.entry
      if let document = event.document { documents[document] = moment.entry }
    case let event as SceneClosed: scenes[Scene(process: moment.process, name: event.scene)] = nil
    case let event as SaveEnded where event.purpose == .commit:
      if documents[event.document] == nil { documents[event.document] = moment.entry }
    case let event as SceneStateSaved:
      let isScene = scenes[Scene(process: moment.process, name: event.scene)] != nil
      if !isScene, let document = documents[event.scene] {
        output.found(
          event.scene, "UI state was stored under \(event.scene), which is a document.", document,
          moment.entry)
      } else if let task = moment.record.task, task != event.scene,
        let own = scenes[Scene(process: moment.process, name: task)]
      {
        output.found(
          event.scene, "Scene \(task) stored its UI state under scene \(event.scene).", own, moment.entry)
      }
    default: break
    }
  }
}
