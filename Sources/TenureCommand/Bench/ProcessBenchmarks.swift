import TenureSystem

/// What several processes that write the same container do to each other.
enum ProcessBenchmarks {
  static func fourNames(_ plan: BenchmarkPlan) -> [String] { ["4 processes", "4 processes, longest wait"] }

  static func growthNames(_ plan: BenchmarkPlan) -> [String] {
    ["WAL size after \(Int(plan.growthSeconds)) s of 8 writing and 8 reading processes"]
  }

  /// `4 processes` and how long the unluckiest of their commits waited.
  static func fourProcesses(plan: BenchmarkPlan) async throws -> [BenchmarkRow] {
    let names = fourNames(plan)
    plan.progress(names[0])
    let result = try await BenchmarkFolder.with(in: plan.directory, plan: plan) { folder in
      let pair = try await BenchmarkPair.open(in: folder, plan: plan)
      return try await pair.closing {
        let container = pair.ours.path
        let database = pair.peer.path
        let seconds = plan.processSeconds
        return try await PairedRuns(runs: plan.runs).measure(
          ours: {
            try await measure(plan: plan) { .write(container: container, document: $0, seconds: seconds) }
          },
          peer: {
            try await measure(plan: plan) { .rawWrite(database: database, document: $0, seconds: seconds) }
          })
      }
    }
    return [
      BenchmarkRow(
        names[0], unit: .commitsPerSecond, ours: result.ours[0], peer: result.peer[0],
        peerName: RawSQLite.name),
      BenchmarkRow(
        names[1], unit: .milliseconds, ours: result.ours[1], peer: result.peer[1],
        peerName: RawSQLite.name),
    ]
  }

  /// Commits per second of all four, and milliseconds of the longest commit of any.
  private static func measure(plan: BenchmarkPlan, job: (Int) -> BenchmarkJob) async throws -> [Double] {
    let answers = try await BenchmarkChild.run((0..<4).map(job), plan: plan)
    let rate = answers.map { Double($0.count) / max($0.seconds, 1e-9) }.reduce(0, +)
    return [rate, (answers.map(\.longest).max() ?? 0) * 1000]
  }

  /// Eight processes write and eight read, for a minute: how long the WAL gets, beside what we promise.
  static func logGrowth(plan: BenchmarkPlan) async throws -> [BenchmarkRow] {
    let seconds = plan.growthSeconds
    let name = growthNames(plan)[0]
    plan.progress(name)
    return try await BenchmarkFolder.with(in: plan.directory, plan: plan) { folder in
      let store = try await BenchmarkStore.open(folder.path.appendingPath("ours"), plan: plan)
      for writer in 0..<8 { _ = try await store.write(.writer(writer), until: 0, clock: plan.system.clock) }
      let (path, bound) = (store.path, store.logBound)
      await store.close()
      let jobs =
        (0..<8).map { BenchmarkJob.write(container: path, document: $0, seconds: seconds) }
        + (0..<8).map { _ in BenchmarkJob.read(container: path, documents: 8, seconds: seconds) }
      let answers = try await BenchmarkChild.run(jobs, plan: plan)
      let size = answers.map(\.bytes).max() ?? 0
      return [
        BenchmarkRow(
          name, unit: .megabytes, ours: [Double(size) / 1e6], limit: Double(bound) / 1e6,
          peerName: "stated bound")
      ]
    }
  }
}
