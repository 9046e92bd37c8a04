import TenureSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The ratios last accepted, kept in `Benchmarks/` beside the machine and the compiler they were measured with.
///
/// Ratios and not rates: both sides ran on that machine in the same minutes, so a ratio carries over to another
/// machine far better than a rate does.
struct AcceptedRatios: Hashable, Sendable, Codable {
  /// A row as accepted.
  struct Row: Hashable, Sendable, Codable {
    var name: String
    var ratio: Double
    /// How far the runs disagreed when it was accepted.
    var spread: Double
    /// The least that the project promises for this row, where it promises something.
    var target: Double?
  }

  /// Processor, number of cores, kernel.
  var machine: String
  /// The Swift compiler's version.
  var compiler: String
  /// SQLite's version.
  var sqlite: String
  var rows: [Row]

  /// A row that is worse than it may be.
  struct Fall: Hashable, Sendable, CustomStringConvertible {
    var name: String
    var ratio: Double
    /// What was accepted, and the least that still counts as that.
    var accepted: Double
    var least: Double

    var description: String {
      "\(name): ratio \(BenchmarkReport.number(ratio)), accepted \(BenchmarkReport.number(accepted)), "
        + "may not fall below \(BenchmarkReport.number(least))"
    }
  }

  /// A row that is below what the project promises, whether it fell or never rose.
  struct Miss: Hashable, Sendable, CustomStringConvertible {
    var name: String
    var ratio: Double
    var target: Double

    var description: String {
      "\(name): ratio \(BenchmarkReport.number(ratio)), promised at least \(BenchmarkReport.number(target))"
    }
  }

  /// The part of the accepted ratio that noise may take, at least.
  static let allowance = 0.1

  /// The least ratio that counts as no fall: the accepted one less a tenth, or less half the spread it was
  /// accepted with, whichever is more lenient; but never less than half of it.
  static func least(of row: Row) -> Double {
    row.ratio * (1 - min(max(allowance, row.spread / 2), 0.5))
  }

  /// What fell among `rows`. A row that was never accepted cannot fall; one that is missing now is not measured
  /// and does not fall either.
  func falls(in rows: [BenchmarkRow]) -> [Fall] {
    rows.compactMap { row in
      guard let accepted = self.rows.first(where: { $0.name == row.name }) else { return nil }
      let least = Self.least(of: accepted)
      if row.ratio >= least { return nil }
      return Fall(name: row.name, ratio: row.ratio, accepted: accepted.ratio, least: least)
    }
  }

  /// What is below its target among `rows`.
  func misses(in rows: [BenchmarkRow]) -> [Miss] {
    rows.compactMap { row in
      guard let target = self.rows.first(where: { $0.name == row.name })?.target, row.ratio < target else {
        return nil
      }
      return Miss(name: row.name, ratio: row.ratio, target: target)
    }
  }

  /// The rows to keep when `measured` is accepted: in the order of the old file, with its targets, and what is new
  /// at the end. What was not measured this time stays as it was.
  static func merge(_ measured: [BenchmarkRow], into old: [Row]) -> [Row] {
    var rows = old
    for row in measured.map(\.rounded) {
      if let index = rows.firstIndex(where: { $0.name == row.name }) {
        rows[index].ratio = row.ratio
        rows[index].spread = row.spread
      } else {
        rows.append(Row(name: row.name, ratio: row.ratio, spread: row.spread))
      }
    }
    return rows
  }

  /// Reads a file of `Benchmarks/`.
  static func read(_ path: String, system: System) throws -> AcceptedRatios {
    let bytes = try system.contents(of: path, limit: 1 << 20)
    return try JSONDecoder().decode(AcceptedRatios.self, from: Data(bytes))
  }

  /// As the file holds it.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }
}
