import TenureTrace
import Testing

@testable import TenureDiagnosis

@Suite("The cost of a trace")
struct TraceCostTests {
  @Test("is measured for each way of recording and reading", arguments: TraceCost.Measure.allCases)
  func measured(measure: TraceCost.Measure) throws {
    let nanoseconds = try TraceCost.nanoseconds(measure, count: 200)
    #expect(nanoseconds.isFinite && nanoseconds > 0)
  }
}
