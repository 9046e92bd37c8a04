import Tenure
import TenureSystem
import TenureTesting
import TenureTrace

extension Scenario {
  /// G2: a process that has the lock goes to the background, and is killed there.
  static let suspendedInTheMiddleOfASave = Scenario(
    law: .g2, name: "suspended in the middle of a save",
    moment:
      "The app is in the middle of a save when it is suspended and killed. Then the widget wants to save.",
    rule: "G2.suspended",
    customary: Side(
      "Makes a lock file, and removes it when the save is done.",
      acts: [
        "save": { actor in
          let trace = try actor.trace()
          let lock = actor.path.appendingPath("notes.lock")
          _ = try actor.system.open(lock, [.write, .create, .exclusive])
          trace.record(LockTaken(lock: "notes.lock", purpose: "commit", waited: 0))
          trace.record(ProcessSuspending())
          try actor.system.remove(lock)
        }
      ]
    ) { stage in
      try await stage.kill("save", at: .event("process.suspending"))
      let trace = try stage.trace(role: "widget")
      trace.record(LockWanted(lock: "notes.lock", purpose: "commit"))
      do {
        _ = try System.live.open(stage.path.appendingPath("notes.lock"), [.write, .create, .exclusive])
        return .held("the widget saves")
      } catch {
        trace.record(LockAbandoned(lock: "notes.lock", purpose: "commit", waited: 0))
        return .broken("the widget can never save again: \(error)")
      }
    },
    tenure: Side(
      "Locks by descriptor, which ends with its process, and lets go of it before it is suspended.",
      acts: [
        "save": { actor in
          let workspace = try await actor.workspace()
          _ = try await workspace.documents.commit(Edit("note.md", on: 0, "from the app"))
        },
        "suspend": { actor in
          let workspace = try await actor.workspace()
          let save = Task { try await workspace.documents.commit(Edit("note.md", on: 0, "from the app")) }
          await workspace.documents.suspend()
          actor.report("holds \(workspace.container.suspending().count)")
          _ = await save.result
        },
      ]
    ) { stage in
      // Once in the middle of the save, once when the system says that it is about to suspend the process.
      try await stage.kill("save", at: .event("lock.taken/commit"))
      try await stage.kill("suspend", at: .event("process.suspending"))
      let workspace = try await stage.workspace(role: "widget")
      let version = try await workspace.documents.note("note.md").version
      let answer = try await workspace.documents.commit(Edit("note.md", on: version, "from the widget"))
      await workspace.close()
      if case .committed = answer { return .held("the widget saves at once") }
      return .broken("the widget could not save")
    })
}
