import TenureSystem
import TenureTrace
import Testing

@testable import TenureGroup

@Suite("G8: whether a container is still the one that was opened") struct ContainerPresenceTests {
  /// What somebody does to a container that is in use.
  enum Harm: CaseIterable, Sendable {
    case nothing, removed, moved, replaced, bellReplaced, lockRemoved, databaseReplaced

    func happen(to container: GroupContainer, in folder: TemporaryFolder) throws {
      let system = System.live
      let aside = folder.path + "/aside"
      switch self {
      case .nothing: break
      case .removed:
        try system.removeContents(of: container.path)
        try system.removeDirectory(container.path)
      case .moved: try system.rename(container.path, to: aside)
      case .replaced:
        try system.rename(container.path, to: aside)
        _ = try GroupContainer.open(at: container.path, trace: .off)
      case .bellReplaced:
        try AtomicFile.replace(container.bellPath, with: [], system: system, trace: .off)
      case .lockRemoved: _ = try system.remove(container.commitLockPath)
      case .databaseReplaced:
        try AtomicFile.replace(container.databasePath, with: [1], system: system, trace: .off)
      }
    }
  }

  @Test(
    "Removed, moved and replaced are found, also of one file; work in it is not", arguments: Harm.allCases)
  func found(harm: Harm) throws {
    let folder = try TemporaryFolder()
    let container = try GroupContainer.open(at: folder.path + "/box", trace: .off)
    _ = try System.live.open(container.databasePath, [.write, .create])
    let presence = try ContainerPresence(of: container)
    GroupSignal(container: container).ring(sequence: 1)
    #expect(!presence.isGone)
    try harm.happen(to: container, in: folder)
    #expect(presence.isGone == (harm != .nothing))
  }

  @Test("A folder that cannot be looked at now is not taken for gone")
  func unreadable() throws {
    let folder = try TemporaryFolder()
    let fails = Lock(false)
    let system = System(
      calls: InterceptedCalls(System.live.calls) { site in
        fails.withLock { $0 } && site.call == .stat ? .fail(.inputOutput) : .proceed
      }, clock: LiveClock())
    let container = try GroupContainer.open(at: folder.path + "/box", system: system, trace: .off)
    let presence = try ContainerPresence(of: container)
    fails.withLock { $0 = true }
    #expect(!presence.isGone)
  }
}
