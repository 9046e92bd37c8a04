import TenureSystem
import TenureTrace

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What recording and reading cost, beside how they would be done without this module.
///
/// Each measurement does its work once and answers nanoseconds for each event, so that a bench can run ours and
/// the peer in turn.
public enum TraceCost {
  /// What is measured.
  public enum Measure: String, CaseIterable, Sendable {
    /// Encoding a line by hand.
    case write
    /// The same line by JSONEncoder.
    case writeByEncoder
    /// Decoding a line by hand.
    case read
    /// The same line by JSONDecoder.
    case readByDecoder
    /// Recording into a trace that is off, in a loop that does a little work.
    case off
    /// The same loop without a trace.
    case bare
  }

  private struct Line: Codable {
    var pid: Int32
    var process, bundle, path, role, app: String
    var mono: UInt64
    var wall: Int64
    var kind: String
    var document: String
    var version: Int64
    var change: String
    var base: Int64
    var purpose: String
    var bytes: Int64
    var scene: String
  }

  private static let process = ProcessIdentity(
    pid: 4711, name: "Notebook", bundleIdentifier: "org.example.notebook",
    bundlePath: "/Applications/Notebook.app", role: "app", appVersion: "1.2")

  private static func event(_ number: Int) -> SaveBegun {
    SaveBegun(
      document: "folder/note.md", version: Int64(number), change: "00112233445566778899aabbccddeeff",
      base: Int64(number) &- 1, purpose: .commit, bytes: 4096, scene: "left")
  }

  private static func line(_ number: Int) -> Line {
    Line(
      pid: 4711, process: "Notebook", bundle: "org.example.notebook", path: "/Applications/Notebook.app",
      role: "app", app: "1.2", mono: UInt64(number), wall: 1_764_540_245_000_000_000, kind: SaveBegun.kind,
      document: "folder/note.md", version: Int64(number), change: "00112233445566778899aabbccddeeff",
      base: Int64(number) &- 1, purpose: "commit", bytes: 4096, scene: "left")
  }

  /// Nanoseconds for each of `count` events (at least 1).
  public static func nanoseconds(_ measure: Measure, count: Int, clock: any SystemClock = LiveClock()) throws
    -> Double
  {
    let count = max(1, count)
    switch measure {
    case .write:
      let prefix = TraceFormat.Prefix(process)
      return time(count, clock) { number in
        let record = TraceRecord(
          monotonic: UInt64(number), wall: 1_764_540_245_000_000_000, process: process, event: event(number))
        return TraceFormat.line(record, after: prefix).count
      }
    case .writeByEncoder:
      let encoder = JSONEncoder()
      return try time(count, clock) { number in try encoder.encode(line(number)).count + 1 }
    case .read:
      var decoder = TraceDecoder()
      let bytes = TraceFormat.line(
        TraceRecord(monotonic: 1, wall: 1_764_540_245_000_000_000, process: process, event: event(1))
      ).dropLast()
      return Array(bytes).withUnsafeBufferPointer { buffer in
        time(count, clock) { _ in
          if case .record(let record) = decoder.decode(buffer) { Int(record.process.pid) } else { 0 }
        }
      }
    case .readByDecoder:
      let decoder = JSONDecoder()
      let data = try JSONEncoder().encode(line(1))
      return try time(count, clock) { _ in Int(try decoder.decode(Line.self, from: data).pid) }
    case .off:
      let trace = Trace.off
      return time(count, clock) { number in
        trace.record(event(number))
        return work(number)
      }
    case .bare: return time(count, clock) { number in work(number) }
    }
  }

  /// About what a careful caller does around an event: a few arithmetic steps that cannot be left out.
  @inline(never)
  private static func work(_ number: Int) -> Int { (number &* 0x9e37_79b9) >> 7 }

  private static func time(_ count: Int, _ clock: any SystemClock, _ body: (Int) throws -> Int) rethrows
    -> Double
  {
    var sum = 0
    let start = clock.monotonic
    for number in 0..<count { sum &+= try body(number) }
    let end = clock.monotonic
    // The sum is used, so that no loop can be left out.
    return sum == .min ? 0 : Double(end &- start) / Double(count)
  }
}
