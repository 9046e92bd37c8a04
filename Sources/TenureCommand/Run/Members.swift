import Tenure
import TenureSystem

/// The app's scenes and its service: started, listened to, and started again when they are killed.
final class Members: Sendable {
  private let place: WorkspacePlace
  private let input: Command.RunInput
  private let context: CommandContext
  private let view: LiveView
  private let log: RunLog
  private let watch: ContainerWatch
  /// Looked up once: the name of a program that was replaced since leads nowhere.
  private let program: String
  private let state = Lock(State())

  private struct State {
    var children: [String: ChildProcess] = [:]
    var isEnding = false
    /// The time to end was up.
    var isOver = false
    var keepers: [Task<Void, Never>] = []
  }

  /// A member that ends this soon after its start waits before the next, longer each time.
  private static let soon: UInt64 = 2_000_000_000
  private static let longestPause: UInt64 = 8

  init(
    place: WorkspacePlace, input: Command.RunInput, context: CommandContext, view: LiveView, log: RunLog,
    watch: ContainerWatch
  ) {
    self.place = place
    self.input = input
    self.context = context
    self.view = view
    self.log = log
    self.watch = watch
    program = ownExecutable(calledAs: context.executable)
  }

  /// Starts all members. `lost` is told when one finds that there is no container to work on any more.
  func start(lost: @escaping @Sendable (EndReason) -> Void) {
    for scene in AppProcess.scenes {
      var words = ["member-scene", "--name", scene, "--container", place.container]
      if input.demo { words.append("--demo") }
      keep(scene, words, lost)
    }
    keep("service", ["member-service", "--container", place.container], lost)
  }

  private func keep(_ name: String, _ words: [String], _ lost: @escaping @Sendable (EndReason) -> Void) {
    state.withLock { state in
      if state.isEnding { return }
      state.keepers.append(Task { await self.keepAlive(name, words, lost) })
    }
  }

  /// Starts a member, waits for its end, and starts it again, until the app ends.
  private func keepAlive(
    _ name: String, _ words: [String], _ lost: @escaping @Sendable (EndReason) -> Void
  ) async {
    var pause: UInt64 = 0
    while !Task.isCancelled {
      // It would make a new, empty container in the place of the one that is gone.
      if let loss = watch.loss { return lost(loss) }
      let begun = context.system.clock.monotonic
      if let child = launch(name, words) {
        let ending = await child.ending()
        view.show(member: name, nil)
        if state.withLock({ $0.isEnding }) { return }
        log.say("\(name) (process \(child.pid)) ended with \(ending); starting it again.", .yellow)
      }
      let livedShortly = context.system.clock.monotonic &- begun < Self.soon
      pause = livedShortly ? min(max(1, pause * 2), Self.longestPause) : 0
      // Interrupted when the app ends.
      if pause > 0 { try? await context.system.clock.sleep(for: .seconds(Int(pause))) }
    }
  }

  private func launch(_ name: String, _ words: [String]) -> ChildProcess? {
    do {
      let child = try ChildProcess.start(
        program, arguments: words, input: .pipe, output: .pipe,
        ownGroup: true, system: context.system)
      // Ended while it was being started: it must not outlive the app's end.
      let (isEnding, isOver) = state.withLock { state in
        state.children[name] = child
        return (state.isEnding, state.isOver)
      }
      if isEnding { child.closeInput() }
      if isOver { child.killNow() }
      view.show(member: name, "process \(child.pid), starting")
      log.say("\(name) is process \(child.pid).")
      try SystemThread.start(name: "member.\(name)") { [self] in listen(to: child, name) }
      return child
    } catch {
      log.say("\(name) cannot be started now: \(error)", .red)
      return nil
    }
  }

  private func listen(to child: ChildProcess, _ name: String) {
    while let line = try? child.outputLines?.next() {
      guard let report = MemberReport(line: line) else { continue }
      switch report.kind {
      case .shows: view.show(member: name, "process \(child.pid), \(report.text)")
      case .recovered: log.say("\(name) (process \(child.pid)) recovered: \(report.text)")
      case .did: log.say("\(name): \(report.text)")
      case .failed: log.say("\(name): \(report.text)", .red)
      case .flushed: log.say("\(name): \(report.text)")
      }
    }
  }

  /// Asks all members to flush and end, and waits for that until `deadline` (monotonic); who has not ended then is
  /// killed.
  func end(until deadline: UInt64) async {
    let (children, keepers) = state.withLock { state in
      state.isEnding = true
      return (Array(state.children.values), state.keepers)
    }
    for keeper in keepers { keeper.cancel() }
    for child in children { child.closeInput() }
    let clock = context.system.clock
    let alarm = Task {
      // Cancelled when all have ended in time.
      guard (try? await clock.sleep(until: deadline)) != nil else { return }
      // Also one that was being started when the end began.
      let late = state.withLock { state in
        state.isOver = true
        return Array(state.children.values)
      }
      for child in late { child.killNow() }
    }
    for child in children { _ = await child.ending() }
    for keeper in keepers { await keeper.value }
    alarm.cancel()
  }
}
