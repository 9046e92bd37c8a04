import TenureSystem
import Testing

@testable import TenureCommand

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Accepted ratios") struct BenchCompareTests {
  private static func accepted(_ rows: [AcceptedRatios.Row]) -> AcceptedRatios {
    AcceptedRatios(machine: "two cores", compiler: "Swift 6.3", sqlite: "3.40.1", rows: rows)
  }

  private static func row(_ name: String, ratio: Double, spread: Double = 0) -> BenchmarkRow {
    BenchmarkRow(
      name: name, unit: "commits/s", ours: ratio, peer: 1, peerName: "raw", ratio: ratio, runs: 5,
      spread: spread)
  }

  @Test("A row may lose a tenth, or half of its accepted spread, but never more than half")
  func least() {
    func least(_ spread: Double) -> Double {
      AcceptedRatios.least(of: .init(name: "x", ratio: 2, spread: spread))
    }
    #expect(abs(least(0) - 1.8) < 1e-12)
    #expect(abs(least(0.4) - 1.6) < 1e-12)
    #expect(abs(least(9) - 1) < 1e-12)
  }

  @Test("What is below that fell; what is better, new or not measured did not")
  func falls() {
    let accepted = Self.accepted([
      .init(name: "1 writer", ratio: 1, spread: 0.05), .init(name: "8 writers", ratio: 3, spread: 0.05),
      .init(name: "64 writers", ratio: 6, spread: 0.05),
    ])
    let falls = accepted.falls(in: [
      Self.row("1 writer", ratio: 0.89), Self.row("8 writers", ratio: 2.71), Self.row("new", ratio: 0.1),
    ])
    #expect(falls.map(\.name) == ["1 writer"])
    #expect(falls.first?.description == "1 writer: ratio 0.890, accepted 1.00, may not fall below 0.900")
  }

  @Test("A row below its target is named even when it was accepted so")
  func targets() {
    let accepted = Self.accepted([
      .init(name: "4 processes", ratio: 0.7, spread: 0.05, target: 0.8)
    ])
    let misses = accepted.misses(in: [Self.row("4 processes", ratio: 0.75)])
    #expect(misses.map(\.description) == ["4 processes: ratio 0.750, promised at least 0.800"])
    #expect(accepted.misses(in: [Self.row("4 processes", ratio: 0.8)]).isEmpty)
  }

  @Test("Accepting keeps order and targets, replaces what was measured and adds what is new")
  func merge() {
    let rows = AcceptedRatios.merge(
      [Self.row("b", ratio: 5, spread: 0.2), Self.row("c", ratio: 7)],
      into: [
        .init(name: "a", ratio: 1, spread: 0, target: 0.9), .init(name: "b", ratio: 2, spread: 0, target: 2),
      ]
    )
    #expect(
      rows == [
        .init(name: "a", ratio: 1, spread: 0, target: 0.9),
        .init(name: "b", ratio: 5, spread: 0.2, target: 2),
        .init(name: "c", ratio: 7, spread: 0),
      ])
  }

  @Test("The repository's files can be read, name machine and compiler, and each row has a measurement")
  func repository() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Benchmarks")
    for subject in Command.BenchSubject.allCases {
      let path = folder.appending(path: "\(subject.rawValue).json").path
      let accepted = try AcceptedRatios.read(path, system: .live)
      #expect(!accepted.machine.isEmpty && !accepted.compiler.isEmpty && !accepted.sqlite.isEmpty)
      let plan = BenchmarkPlan(program: "")
      let names = BenchRun.measurements(of: subject).flatMap { $0.names(plan) }
      #expect(accepted.rows.map(\.name) == names)
    }
  }

  @Test("--compare without accepted ratios is input that could not be read")
  func missing() async {
    let captured = CapturedTerminal()
    #expect(
      await captured.run(
        "bench", "trace", "--compare", "--quick", "--accepted", "/nowhere/at/all")
        == .unusable)
    #expect(captured.errors.contains("/nowhere/at/all/trace.json"))
  }
}

@Suite("tenure bench") struct BenchCommandTests {
  private struct Row: Decodable {
    var name, unit, peerName: String
    var ours, peer, ratio, spread: Double
    var runs: Int
  }

  @Test("trace --json prints an array of rows with every key, and the ratio is that of the figures")
  func json() async throws {
    let captured = CapturedTerminal()
    #expect(await captured.run("bench", "trace", "--json", "--quick", "--runs", "1") == .success)
    let rows = try JSONDecoder().decode([Row].self, from: Data(captured.output.utf8))
    #expect(rows.map(\.name) == ["trace on, to a file", "trace off, one turn of a loop"])
    #expect(rows.map(\.unit) == ["events/s", "ns"])
    #expect(rows.allSatisfy { $0.runs == 1 && $0.ours > 0 && $0.peer > 0 })
    #expect(abs(rows[0].ratio - rows[0].ours / rows[0].peer) < 0.01)
    #expect(abs(rows[1].ratio - rows[1].peer / rows[1].ours) < 0.01)
  }

  @Test("A row can be chosen by part of its name; the text form is a table with a head")
  func only() async throws {
    let captured = CapturedTerminal()
    #expect(
      await captured.run("bench", "documents", "--quick", "--runs", "1", "--only", "1 writer") == .success)
    let lines = captured.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains("ratio") == true)
    #expect(lines.last?.hasPrefix("1 writer") == true)
  }
}
