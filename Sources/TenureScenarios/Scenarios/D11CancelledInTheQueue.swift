import Tenure
import TenureSystem
import TenureTesting
import TenureTrace

extension Scenario {
  /// D11: a screen is closed while its save waits.
  static let cancelledInTheQueue = Scenario(
    law: .d11, name: "cancelled in the queue",
    moment: "A screen's save waits for the disk. The screen is closed, which cancels the task that waits.",
    rule: "D11.told-failed",
    customary: Side("Takes the cancelled task for a save that did not happen.") { stage in
      let trace = try stage.trace()
      let folder = stage.folder
      let change = ChangeID()
      let written = Gate()
      let disk = Gate()
      let save = Task {
        trace.begun("note.md", change, base: 0, "kept")
        try folder.write("note.md", "kept")
        written.open()
        await disk.pass()
        try Task.checkCancellation()
      }
      await written.pass()
      save.cancel()
      trace.record(CancelRequested(document: "note.md", change: change.description))
      disk.open()
      guard case .failure = await save.result else { return .held("the save was answered") }
      trace.ended("note.md", change, version: 0, base: 0, "kept", .retryable)
      let isThere = folder.text("note.md") == "kept"
      trace.record(InDoubtResolved(change: change.description, committed: isThere, version: 1))
      return isThere ? .broken("told that nothing was saved, though it was") : .held("nothing was saved")
    },
    tenure: Side("The queued commit has one outcome, and the cancelled caller is told it.") { stage in
      let queued = Gate()
      let process = ProcessIdentity.current(role: "app", appVersion: "2.1")
      let file = try TraceFile.open(in: stage.path.appendingPath("traces"), as: process)
      let workspace = try await Workspace.open(
        at: stage.path, role: "app", appVersion: "2.1", options: .small,
        trace: .to(TraceTee(file, GateSink(kind: SaveBegun.kind) { queued.open() })))
      let documents = workspace.documents
      let hold = try await LockHold.take(workspace.container.commitLockPath)
      let edit = Edit("note.md", on: 0, "kept")
      let save = Task { try await documents.commit(edit) }
      await queued.pass()
      save.cancel()
      hold.end()
      let answer = try await save.value
      let outcome = try await documents.outcome(of: edit.change)
      await workspace.close()
      guard case .committed(let told) = answer, outcome == .committed(told) else {
        return .broken("told one thing, and another is true")
      }
      return .held("the cancelled caller was told that its edit is version \(told.version), as it is")
    })
}
