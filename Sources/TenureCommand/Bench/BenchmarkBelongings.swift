import TenureScenarios
import TenureSystem

/// What a run of measurements has made and must not leave behind: folders, and processes of its own.
final class BenchmarkBelongings: Sendable {
  private struct State {
    var children: [ChildProcess] = []
    var folders: [LabDirectory] = []
    var isOver = false
  }

  private let state = Lock(State())

  /// A process; one that was being started when all was taken away goes, too.
  func add(_ child: ChildProcess) {
    let isOver = state.withLock { state in
      state.children.removeAll { $0.endingNow != nil }
      state.children.append(child)
      return state.isOver
    }
    if isOver { child.killNow() }
  }

  /// A folder.
  func add(_ folder: LabDirectory) {
    let isOver = state.withLock { state in
      state.folders.append(folder)
      return state.isOver
    }
    if isOver { folder.remove() }
  }

  /// A folder that is not needed any more.
  func remove(_ folder: LabDirectory) {
    state.withLock { $0.folders.removeAll { $0 === folder } }
    folder.remove()
  }

  /// Takes everything away, also from under threads that still measure.
  func removeAll() async {
    let (children, folders) = state.withLock { state in
      state.isOver = true
      return (state.children, state.folders)
    }
    for child in children { child.killNow() }
    for child in children { _ = await child.ending() }
    for folder in folders { folder.remove() }
  }
}
