import Notebook
import Tenure
import TenureState
import TenureSystem

/// Follows a workspace: says each change as it is committed, by whichever process, and keeps the counts current.
final class Watcher: Sendable {
  private let workspace: Workspace
  private let view: LiveView
  private let log: RunLog
  private let state: Lock<State>
  private let wake: AsyncStream<Void>.Continuation

  private struct State {
    var token: HistoryToken
    var edits = 0
    var notes: [String] = []
    var unkept: [ImportConflict] = []
    var isImporting = true
    var subscription: Subscription?
    var task: Task<Void, Never>?
  }

  /// Starts following from what is there now.
  static func start(_ workspace: Workspace, view: LiveView, log: RunLog) async throws -> Watcher {
    let token = HistoryToken(
      epoch: try await workspace.database.epoch, sequence: try await workspace.database.sequence)
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watcher = Watcher(workspace, view, log, token, wake)
    let subscription = try workspace.database.onChange { wake.yield() }
    let task = Task {
      for await _ in wakes { await watcher.look() }
    }
    watcher.state.withLock { state in
      state.subscription = subscription
      state.task = task
    }
    wake.yield()
    return watcher
  }

  private init(
    _ workspace: Workspace, _ view: LiveView, _ log: RunLog, _ token: HistoryToken,
    _ wake: AsyncStream<Void>.Continuation
  ) {
    self.workspace = workspace
    self.view = view
    self.log = log
    self.wake = wake
    state = Lock(State(token: token))
  }

  /// Versions committed since it started.
  var edits: Int { state.withLock { $0.edits } }

  /// The import has ended: its versions were counted, from now on each is said.
  func imported(_ report: ImportReport) {
    state.withLock { state in
      state.isImporting = false
      state.unkept = report.conflicts.filter { !$0.isKept }
    }
    wake.yield()
  }

  /// Stops following.
  func end() {
    wake.finish()
    let ended = state.withLock { state in
      defer {
        state.subscription = nil
        state.task = nil
      }
      return (state.subscription, state.task)
    }
    ended.0?.cancel()
    ended.1?.cancel()
  }

  private func look() async {
    do {
      try await readHistory()
      try await count()
    } catch {
      // Closing, or unreadable for a moment: the next change looks again.
      if !Task.isCancelled { log.say("Cannot read the workspace now: \(error)", .yellow) }
    }
  }

  private func readHistory() async throws {
    while true {
      let token = state.withLock { $0.token }
      switch try await workspace.documents.history(after: token, for: nil, limit: 500) {
      case .changes(let revisions, let next):
        let isImporting = state.withLock { state in
          state.token = next
          state.edits += revisions.count
          return state.isImporting
        }
        if revisions.isEmpty { return }
        for revision in revisions where !(isImporting && revision.writer.role == "app") {
          log.say(revision.sentence, revision.isDeleted ? .yellow : .green)
        }
      case .startFromSnapshot(let next):
        state.withLock { $0.token = next }
      }
    }
  }

  private func count() async throws {
    let holdings = try await Holdings.count(in: workspace)
    let unkept = state.withLock { $0.unkept }
    let edits = self.edits
    let conflicts = holdings.conflicts.count + unkept.count
    let counts =
      "documents \(holdings.documents) · versions \(holdings.versions) · edits \(edits) · "
      + "conflicts \(conflicts) · drafts \(holdings.drafts.count)"
    let notes = holdings.drafts.map { draft in
      let what = "\(draft.scene): \(draft.document) on version \(draft.base), \(draft.size) bytes"
      return draft.isConflict ? "conflict  \(what)" : "draft     \(what)"
    }
    let news = state.withLock { state in
      let before = Set(state.notes)
      defer { state.notes = notes }
      return notes.filter { !before.contains($0) && $0.hasPrefix("conflict") }
    }
    for note in news { log.say(note, .red) }
    view.show(counts: counts)
    view.show(notes: notes)
  }
}

extension Revision {
  /// What was committed, by whom, in words.
  var sentence: String {
    let what = isDeleted ? "deleted" : version == 1 ? "created" : "saved"
    return "\(writer.role) \(writer.pid) \(what) \(document) version \(version)"
  }
}
