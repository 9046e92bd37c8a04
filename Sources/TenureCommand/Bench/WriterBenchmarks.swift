import TenureSystem
import TenureTrace

/// Commits per second of one process: ours in a group, the peer's one per transaction.
enum WriterBenchmarks {
  static func name(writers: Int) -> String { writers == 1 ? "1 writer" : "\(writers) writers" }

  /// The row of so many writers.
  static func row(writers: Int, plan: BenchmarkPlan) async throws -> BenchmarkRow {
    plan.progress(name(writers: writers))
    let result = try await BenchmarkFolder.with(in: plan.directory, plan: plan) { folder in
      try await measure(writers: writers, folder: folder, plan: plan)
    }
    return BenchmarkRow(
      name(writers: writers), unit: .commitsPerSecond, ours: result.ours[0], peer: result.peer[0],
      peerName: RawSQLite.name)
  }

  private static func measure(writers: Int, folder: BenchmarkFolder, plan: BenchmarkPlan) async throws
    -> PairedRuns.Result
  {
    let pair = try await BenchmarkPair.open(in: folder, plan: plan)
    return try await pair.closing {
      let (seconds, clock) = (plan.seconds, plan.system.clock)
      return try await PairedRuns(runs: plan.runs).measure(
        ours: { [try await pair.ours.rate(writers: writers, seconds: seconds, clock: clock)] },
        peer: { [try await pair.peer.rate(writers: writers, seconds: seconds, clock: clock)] })
    }
  }
}

/// Both sides, opened in one folder, each with a WAL that has reached its full length: a commit that has to make
/// the file longer costs twice as much, and neither side is to pay for that.
struct BenchmarkPair: Sendable {
  let ours: BenchmarkStore
  let peer: RawSQLite

  static func open(
    in folder: BenchmarkFolder, plan: BenchmarkPlan, sink: (any TraceSink)? = nil
  ) async throws -> BenchmarkPair {
    let ours = try await BenchmarkStore.open(folder.path.appendingPath("ours"), plan: plan, sink: sink)
    let peer = try RawSQLite.make(folder.path.appendingPath("peer.sqlite"), like: ours)
    try await ours.fillLog(plan: plan)
    try peer.fillLog(plan: plan)
    return BenchmarkPair(ours: ours, peer: peer)
  }

  /// Closes our side after `body`, also when that fails.
  func closing<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      let value = try await body()
      await ours.close()
      return value
    } catch {
      await ours.close()
      throw error
    }
  }
}
