import Testing

@testable import TenureCommand

@Suite("Rows of a benchmark") struct BenchRowTests {
  @Test(
    "A ratio above 1 means ours is better, whichever way the unit counts",
    arguments: [
      (BenchmarkUnit.commitsPerSecond, 10_000.0, 4_000.0, 2.5),
      (.eventsPerSecond, 500, 1_000, 0.5),
      (.microseconds, 100, 150, 1.5),
      (.milliseconds, 150, 100, 2.0 / 3),
      (.megabytes, 16, 64, 4),
    ])
  func direction(unit: BenchmarkUnit, ours: Double, peer: Double, ratio: Double) {
    #expect(abs(unit.ratio(ours: ours, peer: peer) - ratio) < 1e-12)
  }

  @Test("A side that measured nothing wins nothing", arguments: [(0.0, 5.0), (5, 0), (0, 0), (-1, 5)])
  func nothingMeasured(ours: Double, peer: Double) {
    #expect(BenchmarkUnit.milliseconds.ratio(ours: ours, peer: peer) == 0)
    #expect(BenchmarkUnit.commitsPerSecond.ratio(ours: ours, peer: peer) == 0)
  }

  @Test("Figures are medians, the ratio is theirs, the spread is that of the pairs")
  func medians() {
    let row = BenchmarkRow(
      "8 writers", unit: .commitsPerSecond, ours: [300, 100, 200], peer: [100, 100, 50], peerName: "raw")
    #expect(row.ours == 200)
    #expect(row.peer == 100)
    #expect(row.ratio == 2)
    #expect(row.runs == 3)
    // Pairs: 3, 1, 4; their median is 3.
    #expect(row.spread == 1)
  }

  @Test("A limit is a peer that is always the same")
  func limit() {
    let row = BenchmarkRow("memory", unit: .megabytes, ours: [8, 4, 16], limit: 64)
    #expect(row.peerName == "limit")
    #expect(row.ratio == 8)
    #expect(row.peer == 64)
    // Ratios 8, 16, 4.
    #expect(row.spread == 1.5)
  }

  @Test("Medians and percentiles of few values")
  func order() {
    #expect([Double]().median == 0)
    #expect([3.0].median == 3)
    #expect([4.0, 1, 3, 2].median == 2.5)
    let hundred = (1...100).map(Double.init).shuffled()
    #expect(hundred.percentile(0.5) == 50)
    #expect(hundred.percentile(0.99) == 99)
    #expect(hundred.percentile(1) == 100)
    #expect([7.0].percentile(0.99) == 7)
    #expect([Double]().percentile(0.5) == 0)
    #expect([2.0, 2, 2].relativeSpread == 0)
  }

  @Test(
    "Printed figures have four significant digits",
    arguments: [
      (12_345.678, 12_350.0), (0.000123456, 0.0001235), (9.99999, 10), (1, 1), (0, 0), (-4.56789, -4.568),
    ])
  func significant(value: Double, rounded: Double) {
    #expect(abs(value.significant(4) - rounded) <= rounded.magnitude * 1e-12)
  }
}

@Suite("Pairs of runs") struct BenchPairedRunsTests {
  @Test("The order turns round with every pair, and the first pair does not count")
  func order() async throws {
    var called: [String] = []
    var number = 0.0
    let result = try await PairedRuns(runs: 3).measure(
      ours: {
        called.append("ours")
        number += 1
        return [number, 0]
      },
      peer: {
        called.append("peer")
        number += 1
        return [number, 1]
      })
    #expect(called == ["peer", "ours", "ours", "peer", "peer", "ours", "ours", "peer"])
    #expect(result.ours == [[3, 6, 7], [0, 0, 0]])
    #expect(result.peer == [[4, 5, 8], [1, 1, 1]])
  }

  @Test("A run that fails ends the measurement")
  func failure() async {
    await #expect(throws: BenchmarkFault.self) {
      try await PairedRuns(runs: 2).measure(
        ours: { throw BenchmarkFault(what: "no disk") }, peer: { [1] })
    }
  }
}

@Suite("The table of a benchmark") struct BenchReportTests {
  @Test("Columns line up, and numbers have as many digits as are worth reading")
  func table() {
    let rows = [
      BenchmarkRow(
        name: "8 writers", unit: "commits/s", ours: 10_852.4, peer: 4_029, peerName: "raw SQLite C API",
        ratio: 2.6936, runs: 5, spread: 0.123),
      BenchmarkRow(
        name: "trace off", unit: "ns", ours: 0.512, peer: 1.5, peerName: "bare loop", ratio: 0.05, runs: 12,
        spread: 0),
    ]
    let lines = [
      "             ours   peer  unit       ratio  spread  runs  beside",
      "8 writers  10,852  4,029  commits/s   2.69    12 %     5  raw SQLite C API",
      "trace off   0.512   1.50  ns          0.05     0 %    12  bare loop",
    ]
    #expect(BenchmarkReport.table(rows) == lines.joined(separator: "\n"))
  }

  @Test(
    "Numbers for people",
    arguments: [
      (0.0, "0.000"), (0.0854, "0.085"), (1.234, "1.23"), (12.34, "12.3"), (99.99, "100.0"), (100, "100"),
      (1_234_567.8, "1,234,568"), (5000, "5,000"),
    ])
  func numbers(value: Double, text: String) {
    #expect(BenchmarkReport.number(value) == text)
  }
}
