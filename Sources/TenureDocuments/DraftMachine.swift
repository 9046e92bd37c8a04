/// When a draft is saved and what an ended save means, without locks, clocks or tasks.
///
/// ```
///            edited (limit reached) / time is up              edits came meanwhile
///   idle ─────────────────────────────────────▶ saving ──────────────────────────▶ idle, timer
///     │ commit                                     │ done
///     └──▶ committing ──▶ idle (new change)        └──▶ idle
///                └─ in doubt ──▶ idle, to be settled before the next commit
/// ```
struct DraftMachine {
  /// What is handed out to be saved or committed.
  struct Job: Sendable {
    let change: ChangeID
    let base: Int64
    let body: Data
    let generation: Int
  }

  /// One asking to save or commit, which a later ``hold()`` takes back.
  struct Request: Sendable { fileprivate let holds: Int }

  /// Content that is to be kept.
  struct Unsaved: Sendable {
    let change: ChangeID
    fileprivate let generation: Int
  }

  enum Next { case nothing, wait, save }
  enum Take { case nothing, busy, late, save(Job) }
  enum CommitTake { case nothing, busy, late, settle(ChangeID), commit(Job) }
  enum CommitEnding { case committed(Job, Revision), refused, inDoubt }

  private enum Activity { case idle, saving, committing }

  private(set) var change: ChangeID
  private(set) var base: Int64
  private(set) var failure: (any Error)?
  private let limit: Int
  private var body: Data?
  /// Counts edits; what is saved remembers at which it was taken.
  private var generation = 0
  private var savedGeneration = 0
  private var isTimed = false
  /// Nothing is begun without being asked for.
  private var isHeld = false
  /// Counts flushes that answered; what was asked for before the last of them is not begun any more.
  private var holds = 0
  /// The time was up while something ran.
  private var isOverdue = false
  private var activity = Activity.idle
  private var doubt: Job?
  private var discardedGeneration = 0
  /// The last change that a commit made a version.
  private var committed: ChangeID?
  /// What ``renew(_:)`` put the present change in the place of.
  private var renewed: ChangeID?
  /// The change of a commit that was answered with "in doubt".
  private var unsettled: ChangeID?
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(change: ChangeID, base: Int64, limit: Int) {
    self.change = change
    self.base = base
    self.limit = limit
  }

  var isDirty: Bool { generation > savedGeneration }
  /// Whether there is content that no commit took and no discard.
  var isEdited: Bool { body != nil }

  mutating func edited(_ body: Data) -> Next {
    self.body = body
    generation += 1
    isHeld = false
    return next()
  }

  /// What is to be done about unsaved edits. While something runs, its end asks again.
  private mutating func next() -> Next {
    guard isDirty, activity == .idle, !isHeld else { return .nothing }
    if generation - savedGeneration >= limit || isOverdue { return .save }
    if isTimed { return .nothing }
    isTimed = true
    return .wait
  }

  /// `true`: save now. A timer that was cancelled too late is not heard.
  mutating func timeIsUp() -> Bool {
    if isHeld { return false }
    isTimed = false
    if activity != .idle { isOverdue = isDirty }
    return isDirty && activity == .idle
  }

  /// Forgets the timer, which was cancelled, and takes back every request so far.
  mutating func hold() {
    isTimed = false
    isOverdue = false
    isHeld = true
    holds += 1
  }

  /// What somebody asks for now.
  var request: Request { Request(holds: holds) }

  /// Whether a flush has answered since.
  func isLate(_ request: Request) -> Bool { request.holds != holds }

  /// What was edited and no checkpoint holds, to be asked about by ``fate(of:)``.
  var unsaved: Unsaved? { isDirty ? Unsaved(change: change, generation: generation) : nil }

  /// What has become of it so far. What is discarded was not saved.
  func fate(of unsaved: Unsaved) -> Flight.Ending {
    let isKept = unsaved.change == change || unsaved.change == renewed
    if unsaved.change == committed || isKept && savedGeneration >= unsaved.generation { return .saved }
    return unsaved.change == unsettled ? .inDoubt : .unsaved
  }

  mutating func goOn() -> Next {
    isHeld = false
    return next()
  }

  mutating func take(_ request: Request) -> Take {
    guard isDirty, let body else { return .nothing }
    if isLate(request) { return .late }
    if activity != .idle { return .busy }
    activity = .saving
    isOverdue = false
    return .save(Job(change: change, base: base, body: body, generation: generation))
  }

  /// The same, without being asked for.
  mutating func takeByItself() -> Take { isHeld ? .nothing : take(request) }

  mutating func saved(_ job: Job, _ error: (any Error)?) -> Next {
    activity = .idle
    failure = error
    if error == nil {
      savedGeneration = max(savedGeneration, job.generation)
      return next()
    }
    // A failed checkpoint is not tried again at once: the interval, or the next edit, comes first.
    if isTimed || isHeld { return .nothing }
    isTimed = true
    return .wait
  }

  /// Somebody else committed under this change. What was edited since is a change of its own, on the same base:
  /// a conflict to be settled. A commit in doubt stays to be settled under the change it had.
  mutating func renew(_ job: Job) -> Job {
    if change == job.change {
      renewed = change
      change = ChangeID()
    }
    // The draft went with the other's commit, and is to be kept again.
    savedGeneration = min(savedGeneration, job.generation - 1)
    return Job(change: change, base: job.base, body: job.body, generation: job.generation)
  }

  mutating func takeForCommit(_ request: Request) -> CommitTake {
    if isLate(request) { return .late }
    if activity != .idle { return .busy }
    if let doubt {
      activity = .committing
      return .settle(doubt.change)
    }
    guard let body else { return .nothing }
    activity = .committing
    let job = Job(change: change, base: base, body: body, generation: generation)
    doubt = job
    return .commit(job)
  }

  mutating func commitEnded(_ ending: CommitEnding) -> Next {
    activity = .idle
    switch ending {
    case .committed(let job, let revision): begin(after: job, on: revision)
    case .refused: doubt = nil
    case .inDoubt: unsettled = doubt?.change
    }
    return next()
  }

  /// Whether the commit in doubt held everything that was edited.
  func isDoubtful(ofNewest change: ChangeID) -> Bool {
    doubt.map { $0.change == change && $0.generation == generation } ?? false
  }

  mutating func settled(_ outcome: ChangeOutcome) -> Next {
    activity = .idle
    if case .committed(let revision) = outcome, let doubt { begin(after: doubt, on: revision) }
    doubt = nil
    unsettled = nil
    return next()
  }

  /// What was edited since the commit took its content is a new draft on the new version.
  private mutating func begin(after job: Job, on revision: Revision) {
    doubt = nil
    unsettled = nil
    renewed = nil
    committed = job.change
    change = ChangeID()
    base = revision.version
    if generation == job.generation { body = nil }
    savedGeneration = job.generation
  }

  /// `false`: something runs; ask again when it has ended.
  mutating func beginDiscard() -> Bool {
    if activity != .idle { return false }
    activity = .committing
    discardedGeneration = generation
    return true
  }

  mutating func discardEnded(_ isDone: Bool, base: Int64?) -> Next {
    activity = .idle
    guard isDone else { return next() }
    // What was edited while the draft was taken away is a new one.
    if generation == discardedGeneration { body = nil }
    savedGeneration = discardedGeneration
    doubt = nil
    unsettled = nil
    renewed = nil
    change = ChangeID()
    if let base { self.base = base }
    return next()
  }

  /// `true`: nothing runs, so there is nothing to wait for.
  mutating func enter(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
    if activity == .idle { return true }
    waiters.append(waiter)
    return false
  }

  var waiterCount: Int { waiters.count }

  mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
    defer { waiters = [] }
    return waiters
  }
}
