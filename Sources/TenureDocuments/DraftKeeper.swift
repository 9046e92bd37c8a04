import TenureStorage
import TenureSystem
import TenureTrace

/// Keeps the draft of one scene on one document while somebody types: a checkpoint after so many changes or so
/// much time, whichever comes first (D6).
///
/// ```swift
/// let keeper = store.draftKeeper(scene: "left", document: "plan.md", base: 7)
/// keeper.edited(text)                        // at every keystroke; costs nothing but memory
/// switch try await keeper.commit() { … }     // the newest content becomes version 8
/// ```
/// Any thread may call. Checkpoints go one at a time, so an older one never replaces a newer. What was edited and
/// not yet checkpointed is in every `flush(until:)` of the store. Going away does not discard the draft.
public final class DraftKeeper: Sendable {
  /// The scene.
  public let scene: String
  /// The document.
  public let document: DocumentID
  private let store: DocumentStore
  private let machine: Lock<DraftMachine>
  private let interval: UInt64
  private let timer = Lock<Task<Void, Never>?>(nil)

  init(
    _ store: DocumentStore, scene: String, document: DocumentID, base: Int64, change: ChangeID, count: Int,
    interval: Duration
  ) {
    self.store = store
    self.scene = scene
    self.document = document
    self.interval = interval.nanoseconds
    machine = Lock(DraftMachine(change: change, base: base, limit: max(1, count)))
  }

  deinit { timer.withLock { $0 }?.cancel() }

  /// The change ID the next commit will have.
  public var change: ChangeID { machine.withLock { $0.change } }
  /// The version the draft is based on.
  public var base: Int64 { machine.withLock { $0.base } }
  /// Whether something was edited that no checkpoint holds.
  public var isDirty: Bool { machine.withLock { $0.isDirty } }
  /// Whether it holds something that was neither committed nor discarded.
  public var isEdited: Bool { machine.withLock { $0.isEdited } }
  /// Why the last checkpoint failed; `nil` when it did not. A failed checkpoint is tried again with the next edit,
  /// after the interval and by every flush.
  public var failure: (any Error)? { machine.withLock { $0.failure } }

  /// Takes the newest content. Returns at once.
  public func edited(_ body: Data) {
    switch machine.withLock({ $0.edited(body) }) {
    case .nothing: break
    case .wait: startTimer()
    case .save: startSaving()
    }
  }

  /// Makes the newest content durable now, if it is not. Waits for a checkpoint or commit under way.
  ///
  /// Throws ``DocumentError/flushDeadlinePassed(_:)``, as a commit does, when a flush has answered that it is unsaved.
  public func checkpoint() async throws { try await checkpoint(request, in: nil) }

  /// What a flush, or anybody, asks for now; a flush that answers later takes it back.
  var request: DraftMachine.Request { machine.withLock { $0.request } }

  func checkpoint(_ request: DraftMachine.Request, in flight: Flight?) async throws {
    while true {
      switch machine.withLock({ $0.take(request) }) {
      case .nothing: return
      case .busy: await whenIdle()
      case .late: throw DocumentError.flushDeadlinePassed(change)
      case .save(let job):
        let error = await save(job, request, in: flight)
        if let error { throw error }
      }
    }
  }

  /// Commits the newest content on the draft's base with the draft's change ID, and removes the draft with it.
  ///
  /// After `.committed` later edits are a new draft on the new version. After `.conflict` the draft stays as it is,
  /// to be merged or settled. A commit that was in doubt is settled first. When somebody else committed the draft
  /// meanwhile, what was edited since gets a change of its own on the old base, and so meets the conflict it is.
  public func commit(accepting participants: [any CommitParticipant] = []) async throws -> CommitResult {
    let request = request
    while true {
      switch machine.withLock({ $0.takeForCommit(request) }) {
      case .nothing:
        throw DocumentError.invalidArgument("Nothing was edited in \(document) by scene \(scene) yet.")
      case .busy: await whenIdle()
      case .late: throw DocumentError.flushDeadlinePassed(change)
      case .settle(let change):
        let outcome: ChangeOutcome
        do { outcome = try await store.outcome(of: change) } catch {
          finish { $0.commitEnded(.inDoubt) }
          throw error
        }
        let isAll = machine.withLock { $0.isDoubtful(ofNewest: change) }
        finish { $0.settled(outcome) }
        if isAll, case .committed(let recorded) = outcome {
          let current = try await store.revision(of: document) ?? recorded
          return .alreadyCommitted(recorded: recorded, current: current)
        }
      case .commit(let job):
        do { return try await commit(job, request, participants) } catch DocumentError.changeReused(
          job.change, _)
        {
          _ = machine.withLock { $0.renew(job) }
        }
      }
    }
  }

  private func commit(
    _ job: DraftMachine.Job, _ request: DraftMachine.Request, _ participants: [any CommitParticipant]
  ) async throws -> CommitResult {
    let edit = Edit(of: document, expecting: job.base, body: .data(job.body), change: job.change)
    let flight = enter(job, request, .commit)
    do {
      let result = try await store.commit(edit, accepting: participants, scene: scene, in: flight)
      let made: Revision? =
        switch result {
        case .committed(let revision), .alreadyCommitted(let revision, _): revision
        case .conflict: nil
        }
      finish { $0.commitEnded(made.map { .committed(job, $0) } ?? .refused) }
      flight.end(made == nil ? .unsaved : .saved)
      return result
    } catch {
      finish { $0.commitEnded(error is CommitInDoubt ? .inDoubt : .refused) }
      flight.end(.after(error))
      throw error
    }
  }

  /// Enters a save that the machine has handed out. In this order, and the flight is ended only when the machine
  /// knows: a flush that answers meanwhile either finds the flight or is seen here, and the save never begins.
  private func enter(
    _ job: DraftMachine.Job, _ request: DraftMachine.Request, _ purpose: SavePurpose
  ) -> Flight {
    let item = FlushItem(document: document, change: job.change, scene: scene)
    let flight = store.flights.enter([item], purpose, isKeepers: true)
    if machine.withLock({ $0.isLate(request) }) { _ = flight.settle() }
    return flight
  }

  /// Takes the draft away and forgets what was edited. Later edits begin a new draft on version `base`.
  public func discard(base: Int64? = nil) async throws {
    while !machine.withLock({ $0.beginDiscard() }) { await whenIdle() }
    do { try await store.discardDraft(scene: scene, document: document) } catch {
      finish { $0.discardEnded(false, base: base) }
      throw error
    }
    finish { $0.discardEnded(true, base: base) }
  }

  // MARK: Saving behind the scenes

  private func startTimer() {
    let clock = store.system.clock
    let (sum, overflow) = clock.monotonic.addingReportingOverflow(interval)
    let deadline = overflow ? UInt64.max : sum
    let task = Task { [weak self] in
      // Cancelled: the draft was saved for another reason.
      guard (try? await clock.sleep(until: deadline)) != nil else { return }
      self?.timeIsUp()
    }
    timer.withLock { timer -> Task<Void, Never>? in
      defer { timer = task }
      return timer
    }?.cancel()
  }

  private func timeIsUp() {
    if machine.withLock({ $0.timeIsUp() }) { startSaving() }
  }

  private func startSaving() {
    // Keeps the keeper until the checkpoint has ended; it ends by itself.
    Task {
      let (take, request) = self.machine.withLock { ($0.takeByItself(), $0.request) }
      if case .save(let job) = take { _ = await self.save(job, request) }
    }
  }

  private func save(
    _ job: DraftMachine.Job, _ request: DraftMachine.Request, in entered: Flight? = nil
  ) async -> (any Error)? {
    let flight = entered ?? enter(job, request, .checkpoint)
    do {
      do {
        try await store.checkpoint(draft(of: job), in: flight)
      } catch DocumentError.changeReused(job.change, _) {
        let renewed = machine.withLock { $0.renew(job) }
        try await store.checkpoint(draft(of: renewed), in: flight)
      }
      finish { $0.saved(job, nil) }
      if entered == nil { flight.end(.saved) }
      return nil
    } catch {
      finish { $0.saved(job, error) }
      if entered == nil { flight.end(.after(error)) }
      return error
    }
  }

  private func draft(of job: DraftMachine.Job) -> Draft {
    Draft(scene: scene, document: document, change: job.change, base: job.base, body: job.body)
  }

  /// Tells the machine how something ended, wakes who waits, and goes on with what came meanwhile.
  private func finish(_ body: (inout DraftMachine) -> DraftMachine.Next) {
    let (next, waiters) = machine.withLock { machine in
      let next = body(&machine)
      return (next, machine.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    switch next {
    case .nothing: break
    case .wait: startTimer()
    case .save: startSaving()
    }
  }

  /// How many wait for a save to end.
  var waiterCount: Int { machine.withLock { $0.waiterCount } }

  private func whenIdle() async {
    await withCheckedContinuation { continuation in
      let isIdle = machine.withLock { $0.enter(continuation) }
      if isIdle { continuation.resume() }
    }
  }

  /// Before a flush answers that something is unsaved: nothing that was asked for so far begins behind its answer.
  /// The next edit or request, or ``goOn()``, begins again (D7).
  func hold() {
    let task = timer.withLock { timer in
      defer { timer = nil }
      return timer
    }
    task?.cancel()
    machine.withLock { $0.hold() }
  }

  /// Takes up again what ``hold()`` put off.
  func goOn() { finish { $0.goOn() } }

  /// What a flush has to save (D7).
  var unsaved: DraftMachine.Unsaved? { machine.withLock { $0.unsaved } }

  /// What has become of it.
  func fate(of unsaved: DraftMachine.Unsaved) -> Flight.Ending { machine.withLock { $0.fate(of: unsaved) } }
}

extension DocumentStore {
  /// Keeps the draft of a scene on a document, coalesced: a checkpoint after `count` edits or `interval` after the
  /// first of them, whichever comes first.
  ///
  /// `change` goes on with a recovered draft; a new draft has a new one.
  public func draftKeeper(
    scene: String, document: DocumentID, base: Int64, change: ChangeID = ChangeID(), count: Int = 32,
    interval: Duration = .seconds(2)
  ) -> DraftKeeper {
    let keeper = DraftKeeper(
      self, scene: scene, document: document, base: base, change: change, count: count, interval: interval)
    keepers.add(keeper)
    return keeper
  }
}

/// The keepers that are alive, for flushes.
final class KeeperRegistry: Sendable {
  private struct Entry { weak var keeper: DraftKeeper? }
  private let entries = Lock<[Entry]>([])

  func add(_ keeper: DraftKeeper) {
    entries.withLock { entries in
      entries.removeAll { $0.keeper == nil }
      entries.append(Entry(keeper: keeper))
    }
  }

  var all: [DraftKeeper] { entries.withLock { $0.compactMap(\.keeper) } }
}
