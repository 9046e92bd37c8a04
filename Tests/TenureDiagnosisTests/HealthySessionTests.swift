import Tenure
import TenureFindings
import TenureTesting
import Testing

@testable import TenureDiagnosis

/// The machine's clock, which a test may put forward: what is judged by elapsed time is judged in no time.
private final class SkippingClock: SystemClock {
  private let live = LiveClock()
  private let skipped = Lock<UInt64>(0)

  var monotonic: UInt64 { live.monotonic + skipped.withLock { $0 } }
  var wall: Int64 { live.wall + Int64(skipped.withLock { $0 }) }

  func sleep(until deadline: UInt64) async throws {
    let skipped = skipped.withLock { $0 }
    try await live.sleep(until: deadline - min(deadline, skipped))
  }

  func skip(seconds: UInt64) { skipped.withLock { $0 += seconds * 1_000_000_000 } }
}

/// A workspace that listens to one document.
private struct Member {
  let workspace: Workspace
  let subscription: Subscription
  let versions: AsyncStream<Int64>

  var documents: DocumentStore { workspace.documents }

  static func open(_ path: String, role: String, _ system: System) async throws -> Member {
    let workspace = try await Workspace.open(at: path, role: role, appVersion: "1.0", system: system)
    let (versions, told) = AsyncStream.makeStream(of: Int64.self)
    let (_, subscription) = try await workspace.documents.observe("pulse.md") { told.yield($0.version) }
    return Member(workspace: workspace, subscription: subscription, versions: versions)
  }

  /// Its writer has done all it was asked and has given the lock back: a turn goes on for a moment after its
  /// last answer, and no minute of a clock moved by hand must pass in it.
  func restsFromWriting() async { await withTaskExecutorPreference(workspace.database.executor) {} }

  func heard(_ version: Int64) async { for await heard in versions where heard >= version { return } }
}

/// What apps do with the store in a day, every answer as it should be.
private struct Session {
  let clock: SkippingClock
  let app: Member
  let right: Member
  var pulse: Int64 = 0

  func text(_ text: String) -> Body { .data(Data(text.utf8)) }

  /// Each commits something the other hears of; then a minute passes.
  mutating func aMinutePasses() async throws {
    for member in [app, right] {
      pulse += 1
      _ = try await member.documents.commit(
        Edit(of: "pulse.md", expecting: pulse - 1, body: text("\(pulse)")))
      await app.heard(pulse)
      await right.heard(pulse)
    }
    await timePasses(seconds: 60)
  }

  func timePasses(seconds: UInt64) async {
    for member in [app, right] { await member.restsFromWriting() }
    clock.skip(seconds: seconds)
  }

  func commits() async throws {
    let (app, right) = (app.documents, right.documents)
    let first = Edit(of: "plan.md", expecting: 0, body: text("one\ntwo\nthree\n"))
    _ = try await app.commit(first, scene: "left")
    _ = try await right.commit(first)
    // The right ID with the wrong content, and then the right one again.
    _ = try? await app.commit(
      Edit(of: "plan.md", expecting: 0, body: text("no"), change: first.change), scene: "left")
    _ = try await app.commit(first, scene: "left")
    _ = try await app.commit(
      Edit(of: "plan.md", expecting: 1, body: text("ONE\ntwo\nthree\n")), scene: "left")
    let mine = Edit(of: "plan.md", expecting: 1, body: text("one\ntwo\nTHREE\n"))
    _ = try await right.commit(mine, scene: "right")
    right.register(LineMerge(), forKind: "md")
    if case .merged(let data) = try await right.merge(mine, onto: 2) {
      _ = try await right.commit(Edit(of: "plan.md", expecting: 2, body: .data(data)), scene: "right")
    }
    _ = try await app.body(of: "plan.md")
    let film = Data(repeating: 7, count: 300_000)
    _ = try await app.commit([
      Edit(of: "film.mov", expecting: 0, body: .data(film)),
      Edit(of: "gone.md", expecting: 0, body: text("x")),
    ])
    _ = try await right.body(of: "film.mov")
    _ = try await right.commit(Edit(of: "gone.md", expecting: 1, body: .deleted))
    let cancelled = Task {
      try await app.commit(Edit(of: "late.md", expecting: 0, body: .data(Data("x".utf8))))
    }
    cancelled.cancel()
    _ = try await cancelled.value
    try await app.saveState(Data("line 7".utf8), ofScene: "left")
  }

  func drafts() async throws {
    let (app, right) = (app.documents, right.documents)
    self.app.workspace.trace.record(SceneOpened(scene: "left", document: "plan.md"))
    self.app.workspace.trace.record(SceneForeground(scene: "left"))
    let keeper = app.draftKeeper(scene: "left", document: "plan.md", base: 3)
    keeper.edited(Data("four".utf8))
    // Saved by a flush, and typed on after its deadline.
    _ = await app.flush(until: clock.monotonic + 1_000_000_000)
    await timePasses(seconds: 2)
    keeper.edited(Data("four and more".utf8))
    // Too late to save anything, which is said; and the typing goes on.
    _ = await app.flush(until: clock.monotonic)
    try await keeper.checkpoint()
    _ = try await right.commit(Edit(of: "plan.md", expecting: 3, body: text("theirs")), scene: "right")
    _ = try await keeper.commit()
    try await keeper.discard()
    // Committed by somebody else under the draft's change, and checkpointed once more by its scene.
    let draft = Draft(
      scene: "left", document: "note.md", change: ChangeID(), base: 0, body: Data("note".utf8))
    try await app.checkpoint(draft)
    _ = try await right.commit(draft.edit)
    try await app.checkpoint(draft)
    try await right.checkpoint(
      Draft(scene: "right", document: "plan.md", change: ChangeID(), base: 4, body: Data("mine".utf8)))
  }

  func history() async throws {
    for member in [app, right, app] {
      guard
        case .changes(_, let next) = try await member.documents.history(after: nil, for: "index", limit: 3)
      else { continue }
      try await member.documents.acknowledge(next, for: "index")
    }
    _ = try await app.documents.history(after: nil, for: nil, limit: 2)
    guard case .changes(let all, _) = try await app.documents.history(after: nil, for: nil),
      case .changes(_, let last) = try await app.documents.history(after: nil, for: "index")
    else {
      Issue.record("the history is not whole before anything was purged")
      return
    }
    _ = try await app.documents.purge(keepingVersions: 1)
    try await app.documents.acknowledge(last, for: "index")
    _ = try await app.documents.purge(keepingVersions: 1)
    // Forgotten with its version; and a token from before the purge.
    for revision in all { _ = try await app.documents.outcome(of: revision.change) }
    _ = try await right.documents.history(after: nil, for: nil)
    _ = try await right.documents.history(after: nil, for: "index")
  }

  func suspension() async throws {
    await app.documents.suspend()
    await right.restsFromWriting()
    // The other members' leases are held by this same process; here they play processes that go on.
    let held = app.workspace.container.suspending().filter { $0.purpose != "lease" }
    #expect(held.isEmpty)
    _ = try await right.documents.commit(Edit(of: "meanwhile.md", expecting: 0, body: text("1")))
    await right.restsFromWriting()
    clock.skip(seconds: 60)
    app.workspace.container.resumed()
    app.documents.resume()
  }
}

@Suite("A trace of healthy work")
struct HealthySessionTests {
  /// About what was not done: settings files, schemas of another version, bounds that were reached.
  private static let untouched: Set<Law> = [.g3, .d12, .d13]

  @Test(
    "has no finding, whatever the store does in a day of two processes, and no rule was without its events")
  func healthy() async throws {
    let clock = SkippingClock()
    let system = System(calls: PlatformCalls(), clock: clock)
    let path = "/tmp/tenure-healthy-\(ChangeID())"
    defer { remove(path) }
    let app = try await Member.open(path, role: "app", system)
    let right = try await Member.open(path, role: "scene", system)
    let service = try await Member.open(path, role: "service", system)
    var session = Session(clock: clock, app: app, right: right)
    try await session.commits()
    try await session.aMinutePasses()
    // Listens no longer; its process has other things to do.
    await service.workspace.close()
    try await session.drafts()
    try await session.aMinutePasses()
    try await session.suspension()
    try await session.aMinutePasses()
    service.workspace.trace.record(SceneBackground(scene: "none"))
    try await session.history()
    try await session.aMinutePasses()
    await right.workspace.close()

    // Another scene begins, which is not to offer what waits for the scene that ended; then that one again.
    let other = try await Workspace.open(at: path, role: "scene", appVersion: "1.0", system: system)
    _ = try await other.documents.recover(scene: "other")
    _ = try await other.documents.commit(
      Edit(of: "other.md", expecting: 0, body: .data(Data("1".utf8))), scene: "other")
    let again = try await Workspace.open(at: path, role: "scene", appVersion: "1.0", system: system)
    let recovered = try await again.documents.recover(scene: "right")
    #expect(recovered.map(\.draft.document) == ["plan.md"])
    for item in recovered { _ = try await again.documents.commit(item.draft.edit, scene: "right") }
    for workspace in [again, other, app.workspace] { await workspace.close() }

    let files = try TraceInputs.files(at: [path], system: system)
    #expect(files.count == 5)
    var engine = RuleEngine()
    var merge = try TraceInputs.merge(files, system: system)
    while let item = merge.next() { engine.take(item) }
    let report = engine.report(inputs: files)
    #expect(report.problems.isEmpty)
    for finding in report.findings {
      Issue.record(
        "\(finding.rule.id): \(finding.what)\n\(finding.evidence.map { "\($0.kind) \($0.fields)" })")
    }
    let silent = report.answers.filter { $0.verdict != .clean }
    #expect(silent.allSatisfy { Self.untouched.contains($0.rule.law) }, "\(silent.map(\.rule.id))")
  }

  private func remove(_ path: String) {
    if (try? System.live.status(path))??.kind == .directory {
      for name in (try? System.live.list(path)) ?? [] { remove(path.appendingPath(name)) }
      try? System.live.removeDirectory(path)
    } else {
      _ = try? System.live.remove(path)
    }
  }
}
