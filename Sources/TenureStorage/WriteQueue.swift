import Synchronization
import TenureSystem

/// A write that waits for the next transaction.
///
/// `attempt` may run more than once; `near` may be called when its commit begins; exactly one of `succeed` and
/// `fail` is called, once. All but `attempt` under no lock.
struct WaitingWrite: Sendable {
  let purpose: String
  /// Makes room, so it may run while ordinary writes are refused for want of it.
  let freesSpace: Bool
  let attempt: @Sendable (Transaction) throws -> Void
  let near: @Sendable () -> Void
  let succeed: @Sendable () -> Void
  let fail: @Sendable (any Error) -> Void
}

/// Something the writer's thread does besides writing: opening, settling a doubt, a checkpoint.
typealias WriterErrand = @Sendable (Writer) -> Void

/// What waits for the writer's thread, and in what state the database is.
///
/// ```
/// running ──suspend──▶ suspending ──thread has closed its connection──▶ suspended ──resume──▶ running
///    └────────────────────────── close ──────────────────────────▶ closing ──▶ closed
/// ```
final class WriteQueue: Sendable {
  enum Phase: Sendable { case running, suspending, suspended, closing, closed }

  enum Work: Sendable {
    case job(UnownedJob)
    case errand(WriterErrand)
    case writes
    case suspend
    case close
  }

  private struct State {
    var phase = Phase.running
    var holdWhileSuspended = false
    var writes = Fifo<WaitingWrite>()
    var errands = Fifo<WriterErrand>()
    var jobs = Fifo<UnownedJob>()
    var resumeWhenSuspended = false
    var afterPhase: [@Sendable () -> Void] = []
  }

  private let monitor = Monitor(State())
  /// Moves whenever there is something new to look at, so that a moment's looking costs no lock.
  private let arrivals = Atomic(0)
  private let awaitsOne = Atomic(false)

  /// Blocks the writer's thread until there is something to do.
  func next() -> Work {
    let work: Work? = monitor.wait { Self.work(&$0) }
    return work ?? .close
  }

  /// Something to do, if there is.
  func poll() -> Work? { monitor.withLock { Self.work(&$0) } }

  /// Blocks the writer's thread for a moment, unless it is asked to stop.
  func pause(nanoseconds: UInt64) {
    let _: Void? = monitor.wait(timeout: nanoseconds) { $0.phase == .running ? nil : () }
  }

  /// Whether the writer stands waiting, with the lock, for one caller to come back.
  var isOneAwaited: Bool {
    get { awaitsOne.load(ordering: .relaxed) }
    set { awaitsOne.store(newValue, ordering: .relaxed) }
  }

  /// Changes with every arrival.
  var arrivalMark: Int { arrivals.load(ordering: .acquiring) }

  private static func work(_ state: inout State) -> Work? {
    if state.phase != .closed, let job = state.jobs.take() { return .job(job) }
    switch state.phase {
    case .suspending: return .suspend
    case .closing: return .close
    case .suspended, .closed: return nil
    case .running:
      if let errand = state.errands.take() { return .errand(errand) }
      return state.writes.isEmpty ? nil : .writes
    }
  }

  var count: Int { monitor.withLock { $0.writes.count } }

  func takeWrite() -> WaitingWrite? { monitor.withLock { $0.writes.take() } }

  func takeWrites(atMost limit: Int) -> [WaitingWrite] {
    monitor.withLock { state in
      var taken: [WaitingWrite] = []
      while taken.count < limit, let write = state.writes.take() { taken.append(write) }
      return taken
    }
  }

  /// Puts writes back before all others, in their order.
  func putBack(_ writes: [WaitingWrite]) {
    if writes.isEmpty { return }
    monitor.change { $0.writes.putBack(writes) }
  }

  func add(_ write: WaitingWrite) {
    let refusal: StorageError? = monitor.change { state in
      switch state.phase {
      case .running: break
      case .suspending, .suspended: if !state.holdWhileSuspended { return .suspended }
      case .closing, .closed: return .closed
      }
      state.writes.add(write)
      return nil
    }
    arrivals.add(1, ordering: .releasing)
    if let refusal { write.fail(refusal) }
  }

  /// `false`: closed, and the errand will not run.
  func add(_ errand: @escaping WriterErrand) -> Bool {
    defer { arrivals.add(1, ordering: .releasing) }
    return monitor.change { state in
      switch state.phase {
      case .closing, .closed: return false
      default:
        state.errands.add(errand)
        return true
      }
    }
  }

  /// `false`: the thread has ended.
  func add(_ job: UnownedJob) -> Bool {
    let isTaken = monitor.change { state in
      if state.phase == .closed { return false }
      state.jobs.add(job)
      return true
    }
    arrivals.add(1, ordering: .releasing)
    return isTaken
  }

  /// Asks the thread to close its connection; `then` runs when it has. Writes that wait are kept or failed.
  func suspend(holdWrites: Bool, then: @escaping @Sendable () -> Void) {
    let (refused, isThere) = monitor.change { state -> ([WaitingWrite], Bool) in
      switch state.phase {
      case .running, .suspending:
        state.phase = .suspending
        state.afterPhase.append(then)
      case .suspended, .closing, .closed:
        return ([], true)
      }
      state.holdWhileSuspended = holdWrites
      state.resumeWhenSuspended = false
      return (holdWrites ? [] : state.writes.takeAll(), false)
    }
    arrivals.add(1, ordering: .releasing)
    for write in refused { write.fail(StorageError.suspended) }
    if isThere { then() }
  }

  /// The thread's answer to ``Work/suspend``.
  func suspended() {
    let (then, refused) = monitor.change { state -> ([@Sendable () -> Void], [WaitingWrite]) in
      if state.phase == .suspending { state.phase = state.resumeWhenSuspended ? .running : .suspended }
      defer { state.afterPhase = [] }
      return (state.afterPhase, state.holdWhileSuspended ? [] : state.writes.takeAll())
    }
    for write in refused { write.fail(StorageError.suspended) }
    for step in then { step() }
  }

  func resume() {
    monitor.change { state in
      // One that is still suspending has to get there first: somebody waits for it.
      if state.phase == .suspending { state.resumeWhenSuspended = true }
      if state.phase == .suspended { state.phase = .running }
    }
  }

  /// Whether the thread is asked to stop what it does.
  var isStopping: Bool { monitor.withLock { $0.phase != .running } }

  func close(then: @escaping @Sendable () -> Void) {
    let isThere = monitor.change { state in
      if state.phase == .closed { return true }
      state.phase = .closing
      state.afterPhase.append(then)
      return false
    }
    if isThere { then() }
  }

  /// The thread's answer to ``Work/close``.
  /// and what of its tasks is left to others.
  func closed() -> [UnownedJob] {
    let (then, refused, jobs) = monitor.change {
      state -> ([@Sendable () -> Void], [WaitingWrite], [UnownedJob]) in
      state.phase = .closed
      defer { state.afterPhase = [] }
      return (state.afterPhase, state.writes.takeAll(), state.jobs.takeAll())
    }
    for write in refused { write.fail(StorageError.closed) }
    for step in then { step() }
    return jobs
  }
}
