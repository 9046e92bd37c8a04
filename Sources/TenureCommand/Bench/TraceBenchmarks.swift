import TenureSystem
import TenureTrace

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What recording costs: with a file, beside Foundation's encoder writing the same lines to a file in the same
/// way; without a listener, beside the same loop that records nothing.
enum TraceBenchmarks {
  static func names(_ plan: BenchmarkPlan) -> [String] {
    ["trace on, to a file", "trace off, one turn of a loop"]
  }

  static func rows(plan: BenchmarkPlan) async throws -> [BenchmarkRow] {
    let runs = PairedRuns(runs: plan.runs)
    plan.progress("trace on")
    let events = plan.isQuick ? 20_000 : 100_000
    let on = try await BenchmarkFolder.with(in: plan.directory, plan: plan) { folder in
      try await runs.measure(
        ours: {
          let path = folder.path
          return [try await BenchmarkThreads.run { try recordToFile(events, in: path, plan: plan) }]
        },
        peer: {
          let path = folder.path.appendingPath("encoder.jsonl")
          return [try await BenchmarkThreads.run { try encodeToFile(events, at: path, plan: plan) }]
        })
    }
    plan.progress("trace off")
    let turns = plan.isQuick ? 2_000_000 : 20_000_000
    let off = try await runs.measure(
      ours: { [try await BenchmarkThreads.run { loopRecording(turns, trace: .off, plan: plan) }] },
      peer: { [try await BenchmarkThreads.run { bareLoop(turns, plan: plan) }] })
    return [
      BenchmarkRow(
        names(plan)[0], unit: .eventsPerSecond, ours: on.ours[0], peer: on.peer[0],
        peerName: "JSONEncoder"),
      BenchmarkRow(
        names(plan)[1], unit: .nanoseconds, ours: off.ours[0], peer: off.peer[0],
        peerName: "the loop without a trace"),
    ]
  }

  private static let process = ProcessIdentity.current(role: "bench")

  private static func recordToFile(_ count: Int, in directory: String, plan: BenchmarkPlan) throws -> Double {
    let file = try TraceFile.open(in: directory, as: process, system: plan.system, name: "ours")
    let trace = Trace(to: file, as: process, clock: plan.system.clock)
    let start = plan.system.clock.monotonic
    for number in 0..<count { trace.record(event(number)) }
    let end = plan.system.clock.monotonic
    guard file.dropped == 0 else { throw BenchmarkFault(what: "\(file.dropped) events could not be written") }
    return Double(count) / (Double(end - start) / 1e9)
  }

  private static func encodeToFile(_ count: Int, at path: String, plan: BenchmarkPlan) throws -> Double {
    let clock = plan.system.clock
    let file = try plan.system.open(path, [.write, .append, .create, .truncate])
    let encoder = JSONEncoder()
    let start = clock.monotonic
    for number in 0..<count {
      let event = event(number)
      var line = try encoder.encode(
        EncodedSave(
          pid: process.pid, process: process.name, bundle: process.bundleIdentifier, path: process.bundlePath,
          role: process.role, app: process.appVersion, mono: clock.monotonic, wall: clock.wall,
          kind: SaveEnded.kind, document: event.document, version: event.version, change: event.change,
          base: event.base, purpose: event.purpose.rawValue, bytes: event.bytes,
          outcome: event.outcome.rawValue, sequence: event.sequence, digest: event.digest))
      line.append(UInt8(ascii: "\n"))
      try line.withUnsafeBytes { try file.writeAll($0) }
    }
    return Double(count) / (Double(clock.monotonic - start) / 1e9)
  }

  private static func event(_ number: Int) -> SaveEnded {
    SaveEnded(
      document: "folder/meeting notes.md", version: Int64(number), change: "00112233445566778899aabbccddeeff",
      base: Int64(number - 1), purpose: .commit, bytes: 4096, outcome: .committed, sequence: Int64(number),
      digest: "0123456789abcdef")
  }

  /// Nanoseconds of one turn that also records.
  private static func loopRecording(_ turns: Int, trace: Trace, plan: BenchmarkPlan) -> Double {
    var state = UInt64(plan.runs)
    let start = plan.system.clock.monotonic
    for turn in 0..<turns {
      state = work(state)
      trace.record(event(turn))
    }
    return finish(state, turns, since: start, plan: plan)
  }

  /// Nanoseconds of one turn.
  private static func bareLoop(_ turns: Int, plan: BenchmarkPlan) -> Double {
    var state = UInt64(plan.runs)
    let start = plan.system.clock.monotonic
    for _ in 0..<turns { state = work(state) }
    return finish(state, turns, since: start, plan: plan)
  }

  /// The piece of work that is done whether somebody listens or not: each turn needs the one before, and the
  /// result is used, so no compiler can leave it out.
  @inline(never)
  private static func work(_ state: UInt64) -> UInt64 {
    var state = state
    for _ in 0..<4 { state = (state ^ (state >> 29)) &* 0x9E37_79B9_7F4A_7C15 }
    return state
  }

  private static func finish(_ state: UInt64, _ turns: Int, since start: UInt64, plan: BenchmarkPlan)
    -> Double
  {
    let end = plan.system.clock.monotonic
    if state == 0 { plan.progress("") }
    return Double(end - start) / Double(turns)
  }
}

/// The line of a ``SaveEnded`` as an encoder is given it: the same fields as ours.
private struct EncodedSave: Encodable {
  var pid: Int32
  var process, bundle, path, role, app: String
  var mono: UInt64
  var wall: Int64
  var kind, document: String
  var version: Int64
  var change: String
  var base: Int64
  var purpose: String
  var bytes: Int64
  var outcome: String
  var sequence: Int64?
  var digest: String?
}
