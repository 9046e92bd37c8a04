import TenureScenarios
import TenureTesting
import Testing

@Suite("The kill lab", .serialized)
struct KillLabTests {
  private func run(
    iterations: Int, processes: Int, broken: BreakableLaw? = nil, seed: UInt64 = 1
  ) async throws -> KillLabReport {
    var settings = KillLab.Settings(program: try #require(ProcessLab.executable(named: "tenure")))
    settings.iterations = iterations
    settings.processes = processes
    settings.broken = broken
    settings.seed = seed
    let directory = try LabDirectory()
    defer { directory.remove() }
    return try await KillLab(settings, at: directory.path).run()
  }

  @Test("D1 to D6, D9, G2, G3: nothing that was acknowledged is lost, whoever is killed where")
  func holds() async throws {
    let report = try await run(iterations: 12, processes: 4)
    #expect(report.faults == 0, "\(report.history)")
    #expect(report.kills > 0)
    #expect(report.killsInCommit * 2 >= report.kills)
    #expect(report.history.acknowledged > 0)
    #expect(report.purgedThrough > 0)
    #expect(report.failures.isEmpty, "\(report.failures)")
    #expect(report.isGood)
  }

  @Test("a run whose workers cannot start is no good run, and says why")
  func cannotStart() async throws {
    var settings = KillLab.Settings(program: "/bin/sh")
    settings.workerArguments = ["-c", "printf 'failed\\tno room\\n'; while read line; do :; done"]
    settings.iterations = 1
    settings.processes = 2
    let directory = try LabDirectory()
    defer { directory.remove() }
    let report = try await KillLab(settings, at: directory.path).run()
    #expect(report.faults == 0)
    #expect(report.failures.sorted() == ["worker-1: no room", "worker-2: no room"])
    #expect(!report.isGood)
  }

  @Test("D9 without its guard is missed by no seed", arguments: UInt64(1)...10)
  func findsGaps(seed: UInt64) async throws {
    let report = try await run(iterations: 3, processes: 6, broken: .d9, seed: seed)
    #expect(report.history.count(.historyGaps) > 0, "\(report.history)")
  }

  @Test("with a guard taken away the same run finds it", arguments: BreakableLaw.allCases)
  func finds(_ law: BreakableLaw) async throws {
    // Which kill meets which commit is chance; five runs that all miss it are not.
    for seed in UInt64(1)...5 {
      let report = try await run(iterations: 4, processes: 4, broken: law, seed: seed)
      if report.faults > 0 { return }
    }
    Issue.record("five runs did not find that the guard of \(law.rawValue) was taken away")
  }
}
