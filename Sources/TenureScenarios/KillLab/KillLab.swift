import Tenure
import TenureGroup
import TenureSystem
import TenureTesting
import TenureTrace

/// Processes that work on one container while they are killed and started again, and the check of all they were
/// told (D1 to D6, D9, G2, G3).
///
/// Every iteration each worker does a burst of commits, reads, checkpoints, history and shared-file updates; some
/// are killed in it, most inside a commit (a few are only stopped for a moment), and start again at once under the same name: they recover, and send
/// again what was never answered. At the end ``HistoryChecker`` looks for an order that explains everything.
public struct KillLab: Sendable {
  /// How to run.
  public struct Settings: Sendable {
    /// Bursts of each worker.
    public var iterations = 300
    /// Workers.
    public var processes = 6
    /// The law whose guard is taken away.
    public var broken: BreakableLaw?
    /// What the choice of work and kill points follows from.
    public var seed: UInt64 = 1
    /// Requests of each of a worker's two scenes in a burst.
    public var requests = 6
    /// The executable that becomes a worker (``LabWorker``) when it is started with ``workerArguments``.
    public var program: String
    /// The words before the worker's own options.
    public var workerArguments = ["lab", "worker"]

    /// Settings for a program.
    public init(program: String) { self.program = program }
  }

  private let settings: Settings
  private let path: String
  private let system: System

  /// A lab whose container is made at `path`, where nothing may be yet.
  public init(_ settings: Settings, at path: String, system: System = .live) {
    self.settings = settings
    self.path = path
    self.system = system
  }

  /// Runs all iterations, unless a lock is left that nobody will ever give back, and checks. `progress` is told
  /// the number of each iteration that has ended. Cancelled, it kills its workers and throws when they have ended.
  public func run(
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> KillLabReport {
    let lab = ProcessLab(system: system)
    return try await withTaskCancellationHandler {
      do { return try await run(in: lab, progress) } catch {
        lab.end()
        await lab.allEnded()
        throw error
      }
    } onCancel: {
      lab.end()
    }
  }

  private func run(in lab: ProcessLab, _ progress: @Sendable (Int) -> Void) async throws -> KillLabReport {
    let seats = (0..<settings.processes).map { index in
      LabSeat(name: "worker-\(index + 1)", lab: lab, settings: settings, container: path, clock: system.clock)
    }
    let guards = LabGuards(without: settings.broken)
    // Made by one, so that a worker that is killed at its first step leaves the others a container.
    _ = try GroupContainer.open(at: path, system: system, trace: .off)
    var probes: [OperationRecord] = []
    var iterations = 0
    for iteration in 1...max(1, settings.iterations) {
      try await all(seats, within: .seconds(120)) { seat in
        try await seat.turn(iteration)
      }
      try Task.checkCancellation()
      iterations = iteration
      progress(iteration)
      // Between two bursts nobody who lives holds it.
      let probe = await probe(guards, number: iteration)
      probes.append(probe)
      if probe.answer == .lock(isFree: false) { break }
    }
    try await all(seats, within: .seconds(60)) { await $0.finish() }

    var records = probes
    var report = KillLabReport(iterations: iterations, broken: settings.broken, seed: settings.seed)
    for seat in seats {
      records += await seat.records
      report.kills += await seat.kills
      report.killsInCommit += await seat.killsInCommit
      report.stops += await seat.stops
      report.failures += await seat.failures
    }
    report.history = try await check(records, purged: &report.purgedThrough)
    report.requests = records.count
    return report
  }

  /// What a missing guard has ruined beyond reading is what was looked for; otherwise the lab itself has failed.
  private func check(
    _ records: [OperationRecord], purged: inout Int64
  ) async throws -> HistoryReport {
    do {
      let outcome = try await LabOutcome(container: path, system: system).collect()
      purged = outcome.purgedThrough
      return HistoryChecker(records).check(against: outcome)
    } catch  where settings.broken != nil {
      return HistoryChecker([]).check(against: StoredOutcome(damage: ["the container: \(error)"]))
    }
  }

  /// Does something in all seats at once; when one does not come back in time, kills what hangs and says so.
  private func all(
    _ seats: [LabSeat], within limit: Duration, _ body: @escaping @Sendable (LabSeat) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for seat in seats {
        group.addTask {
          try await body(seat)
          return true
        }
      }
      group.addTask { [clock = system.clock] in
        try? await clock.sleep(for: limit)
        return false
      }
      for _ in seats {
        if try await group.next() == false {
          for seat in seats { await seat.abandon() }
          throw KillLabError.stalled(path)
        }
      }
      group.cancelAll()
    }
  }

  private func probe(_ guards: LabGuards, number: Int) async -> OperationRecord {
    let lock = GroupLock(
      path: path.appendingPath("commit.lock"), system: system, trace: .off, guards: guards.group)
    let begun = system.clock.monotonic
    let isFree = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      let probe: @Sendable () -> Void = {
        let taken: Void? = try? lock.withLock(for: "probe", timeout: .seconds(2)) {}
        continuation.resume(returning: taken != nil)
      }
      do { try SystemThread.start(name: "lab-probe", probe) } catch { continuation.resume(returning: true) }
    }
    return OperationRecord(
      client: "lab", number: number, begun: begun, ended: system.clock.monotonic,
      request: .probe(lock: "commit.lock"), answer: .lock(isFree: isFree))
  }
}

/// Why the lab itself could not go on.
public enum KillLabError: Error, CustomStringConvertible {
  /// Workers did not come back; the container is left for inspection.
  case stalled(String)
  /// A worker could not start, for a reason that is none of the lab's faults.
  case workerFailed(String, reason: String)

  public var description: String {
    switch self {
    case .stalled(let path): "Workers in \(path) did not come back within their time and were killed."
    case .workerFailed(let name, let reason): "\(name) could not work: \(reason)"
    }
  }
}
