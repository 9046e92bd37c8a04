import TenureDiagnosis
import TenureScenarios
import TenureTesting
import TenureTrace
import Testing

@Suite("Scenarios")
struct ScenarioTests {
  @Test(
    "customary code breaks the law and its rule finds that; Tenure's holds it",
    arguments: Scenarios.all.map(\.name))
  func sides(_ name: String) async throws {
    let program = try #require(ProcessLab.executable(named: "tenure"))
    let scenario = try #require(Scenarios.all.first { $0.name == name })
    let outcome = try await scenario.run(program: program)
    #expect(!outcome.customary.verdict.isHeld, "\(outcome.customary.verdict.evidence)")
    #expect(outcome.tenure.verdict.isHeld, "\(outcome.tenure.verdict.evidence)")
    #expect(outcome.customary.findings.contains { $0.rule.id == scenario.rule })
    #expect(outcome.tenure.findings.isEmpty)
    #expect(!outcome.customary.trace.isEmpty && !outcome.tenure.trace.isEmpty)
    #expect(outcome.isAsTold)
  }

  @Test("each law of documents and the group that this release upholds has its scenarios, in their order")
  func complete() {
    var laws: [Law] = []
    for scenario in Scenarios.all where laws.last != scenario.law { laws.append(scenario.law) }
    let wanted = (1...13).map { "D\($0)" } + ["G2", "G3", "G5", "G6"]
    #expect(laws.map(\.rawValue) == wanted)
    #expect(Set(Scenarios.all.map(\.name)).count == Scenarios.all.count)
    #expect(Scenarios.all(of: .g3).count == 2)
  }

  @Test("each scenario names a rule that is registered", arguments: Scenarios.all.map(\.rule))
  func rules(_ rule: String) { #expect(RuleRegistry.all.contains { $0.id == rule }) }
}
