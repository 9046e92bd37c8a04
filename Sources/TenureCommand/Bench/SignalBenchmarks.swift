import TenureDocuments
import TenureSystem
import TenureTrace

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How soon another process knows of a change: from the instant the commit is there to the instant the other
/// process has read the row. Ours calls an inline observer of `observe`; the peer is a bare inotify watch on a file
/// that gets one byte after each commit, and one prepared `SELECT` of the same row.
enum SignalBenchmarks {
  static func names(_ plan: BenchmarkPlan) -> [String] {
    ["change seen by another process, p50", "change seen by another process, p99"]
  }

  static func rows(plan: BenchmarkPlan) async throws -> [BenchmarkRow] {
    plan.progress("change seen by another process")
    let result = try await BenchmarkFolder.with(in: plan.directory, plan: plan) { folder in
      let commits = CommitTimes()
      let pair = try await BenchmarkPair.open(in: folder, plan: plan, sink: commits)
      return try await pair.closing {
        let bell = folder.path.appendingPath("peer-bell")
        _ = try plan.system.open(bell, [.write, .create])
        let document = DocumentID("seen.md")
        _ = try await pair.ours.write(document, until: 0, clock: plan.system.clock)
        let writer = try RawWriter(pair.peer)
        _ = try writer.write(document.rawValue, clock: plan.system.clock) { _ in false }
        let observer = try await BenchmarkChild.start(
          .observe(container: pair.ours.path, document: document.rawValue), plan: plan)
        let listener = try await BenchmarkChild.start(
          .rawObserve(database: pair.peer.path, bell: bell, document: document.rawValue), plan: plan)
        let result = try await PairedRuns(runs: plan.runs).measure(
          ours: { try await ours(pair.ours, document, commits, observer, plan: plan) },
          peer: { try await peer(writer, document, bell, listener, plan: plan) })
        await observer.end()
        await listener.end()
        return result
      }
    }
    return names(plan).enumerated().map { index, name in
      BenchmarkRow(
        name, unit: .microseconds, ours: result.ours[index],
        peer: result.peer[index], peerName: "bare inotify bell and one read")
    }
  }

  private static func ours(
    _ store: BenchmarkStore, _ document: DocumentID, _ commits: CommitTimes, _ observer: BenchmarkChild,
    plan: BenchmarkPlan
  ) async throws -> [Double] {
    var waits: [Double] = []
    for _ in 0..<plan.changes {
      _ = try await store.write(document, until: 0, clock: plan.system.clock)
      let committed = commits.last
      waits.append(Sighting(try await observer.line()).microseconds(since: committed))
    }
    return [waits.percentile(0.5), waits.percentile(0.99)]
  }

  private static func peer(
    _ writer: RawWriter, _ document: DocumentID, _ bell: String, _ listener: BenchmarkChild,
    plan: BenchmarkPlan
  ) async throws -> [Double] {
    let file = try plan.system.open(bell, .write)
    var waits: [Double] = []
    for _ in 0..<plan.changes {
      _ = try writer.write(document.rawValue, clock: plan.system.clock) { _ in false }
      let committed = plan.system.clock.monotonic
      try withUnsafeBytes(of: UInt8(1)) { byte in try file.writeAll(byte, at: 0) }
      waits.append(Sighting(try await listener.line()).microseconds(since: committed))
    }
    return [waits.percentile(0.5), waits.percentile(0.99)]
  }
}

/// When another process had read a version.
struct Sighting: Sendable {
  var version: Int64
  var monotonic: UInt64

  var line: String { "\(version) \(monotonic)" }

  init(version: Int64, monotonic: UInt64) {
    self.version = version
    self.monotonic = monotonic
  }

  /// Reads ``line`` back; zeros where it is none, which a wait of 0 then shows.
  init(_ line: String) {
    let words = line.split(separator: " ")
    version = words.first.flatMap { Int64($0) } ?? 0
    monotonic = words.last.flatMap { UInt64($0) } ?? 0
  }

  func microseconds(since committed: UInt64) -> Double {
    monotonic > committed ? Double(monotonic - committed) / 1000 : 0
  }
}

/// Remembers when the last commit was there, by the event that is recorded between `COMMIT` and the bell.
final class CommitTimes: TraceSink {
  private let time = Lock(UInt64(0))

  func take(_ record: TraceRecord) {
    if record.event is DatabaseCommitted { time.withLock { $0 = record.monotonic } }
  }

  var last: UInt64 { time.withLock { $0 } }
}
