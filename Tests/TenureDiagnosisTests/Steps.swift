import TenureTrace

/// One event of a trace made by hand.
struct Step: Sendable {
  var process: Int32
  /// Milliseconds since the step before.
  var after: UInt64
  var task: String?
  var event: any TraceEvent

  init(_ process: Int32, _ event: any TraceEvent, after: UInt64 = 1, task: String? = nil) {
    self.process = process
    self.event = event
    self.after = after
    self.task = task
  }
}

/// The steps as entries, each process with a trace of its own. 1 is a service, the others are scenes.
func entries(_ steps: [Step]) -> [TraceEntry] {
  var time: UInt64 = 1_000_000_000
  var lines: [Int32: Int] = [:]
  return steps.map { step in
    time += step.after * 1_000_000
    lines[step.process, default: 0] += 1
    let process = ProcessIdentity(
      pid: step.process, name: "notebook", bundleIdentifier: "org.example.notebook", bundlePath: "/n",
      role: step.process == 1 ? "service" : "scene", appVersion: "1.2")
    return TraceEntry(
      place: TracePlace(file: "p\(step.process).jsonl", line: lines[step.process]!, offset: 0), boot: "boot",
      record: TraceRecord(
        monotonic: time, wall: 1_764_540_245_000_000_000 + Int64(time), process: process, task: step.task,
        event: step.event))
  }
}

let started = ProcessStarted(format: 1, boot: "boot")

func begun(_ change: String, _ base: Int64, of document: String = "a", _ purpose: SavePurpose = .commit)
  -> SaveBegun
{
  SaveBegun(
    document: document, version: base + 1, change: change, base: base, purpose: purpose, bytes: 5,
    scene: "left")
}

func ended(
  _ change: String, _ base: Int64, of document: String = "a", _ outcome: SaveOutcome = .committed,
  version: Int64? = nil, sequence: Int64? = nil, digest: String? = nil, verified: Bool? = nil,
  _ purpose: SavePurpose = .commit
) -> SaveEnded {
  SaveEnded(
    document: document, version: version ?? base + 1, change: change, base: base, purpose: purpose, bytes: 5,
    outcome: outcome, temporaryVerified: verified, sequence: sequence, digest: digest, scene: "left")
}

func saved(_ process: Int32, _ change: String, _ base: Int64, sequence: Int64? = nil) -> [Step] {
  [Step(process, begun(change, base)), Step(process, ended(change, base, sequence: sequence))]
}
