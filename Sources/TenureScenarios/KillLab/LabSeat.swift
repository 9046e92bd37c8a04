import Tenure
import TenureSystem
import TenureTesting

/// One worker's place in the lab, which it comes back to after each kill.
actor LabSeat {
  let name: String
  private let lab: ProcessLab
  private let settings: KillLab.Settings
  private let container: String
  private let clock: any SystemClock
  private var process: LabProcess?
  private var reader: RecordReader
  /// The first record of the process that runs now.
  private var firstOfProcess = 0
  private(set) var kills = 0
  private(set) var killsInCommit = 0
  private(set) var stops = 0
  private(set) var failures: [String] = []

  init(name: String, lab: ProcessLab, settings: KillLab.Settings, container: String, clock: any SystemClock) {
    self.name = name
    self.lab = lab
    self.settings = settings
    self.container = container
    self.clock = clock
    reader = RecordReader(client: name)
  }

  var records: [OperationRecord] { reader.records }

  /// One burst, and, if the worker is killed in it, its recovery.
  func turn(_ iteration: Int) async throws {
    let number = Int(name.split(separator: "-").last ?? "") ?? 0
    var random = LabRandom(seed: settings.seed, iteration, number)
    guard try await startIfNeeded(killedAt: nil) else { return }
    // About half of the workers are killed in each iteration; the others see it happen.
    let isOwed = killsInCommit * 3 < kills * 2
    var plan: KillPlan? = random.percent(50) ? KillPlan.draw(&random, insideCommit: isOwed) : nil
    if plan == nil, random.percent(10) { plan = .stopped(afterLines: Int.random(in: 1...60, using: &random)) }
    if case .at(let point) = plan { try? process?.send("arm\t\(point)") }
    try? process?.send("burst\t\(random.next())\t\(settings.requests)")
    let ending = await pump(plan)
    switch (plan, ending) {
    case (.whileStarting(let point), .worked):
      process?.kill()
      _ = await pump(nil)
      if try await startIfNeeded(killedAt: point) { try? process?.send("disarm") }
    case (_, .worked): try? process?.send("disarm")
    case (_, .stuck), (_, .failed): break
    case (_, .ended):
      guard try await startIfNeeded(killedAt: nil) else { return }
      try? process?.send("burst\t\(random.next())\t2")
      _ = await pump(nil)
    }
  }

  /// Asks the worker to end, and waits for it.
  func finish() async {
    process?.finish()
    _ = await pump(nil)
  }

  /// Kills it, whatever it does.
  func abandon() { process?.kill() }

  private enum Pumped { case worked, stuck, failed, ended }

  /// Takes the worker's lines until it has done what it was told, or has ended.
  private func pump(_ plan: KillPlan?) async -> Pumped {
    guard let process else { return .ended }
    var count = 0
    var wasStopped = false
    while let lines = await process.newLines() {
      for line in lines {
        if reader.take(line) {
          count += 1
          continue
        }
        if line.hasPrefix("failed") {
          failures.append("\(name): \(line.dropFirst("failed\t".count))")
          return .failed
        }
        if line == "done" || line == "ready" { return .worked }
        if line == "stuck" { return .stuck }
      }
      if case .afterLines(let limit) = plan, count >= limit { process.kill() }
      if case .stopped(let limit) = plan, !wasStopped, count >= limit {
        wasStopped = true
        await stop(process)
      }
    }
    if await process.ending() == .killed(signal: 9) {
      kills += 1
      if reader.records[firstOfProcess...].contains(where: \.isUnansweredCommit) { killsInCommit += 1 }
    }
    self.process = nil
    return .ended
  }

  /// Keeps it from running for a moment, in which the others meet what it holds.
  private func stop(_ process: LabProcess) async {
    guard process.suspend() else { return }
    stops += 1
    try? await clock.sleep(for: .milliseconds(20))
    process.resume()
  }

  /// Starts the worker, again if it is killed while it starts, and has it send again what was not answered.
  /// `false` when it cannot start.
  private func startIfNeeded(killedAt point: KillPoint?) async throws -> Bool {
    if process != nil { return true }
    var point = point
    for _ in 0..<3 {
      let unanswered = reader.unanswered
      firstOfProcess = reader.records.count
      var arguments = settings.workerArguments
      arguments += ["--container", container, "--client", name, "--last", "\(reader.last)"]
      if let broken = settings.broken { arguments += ["--break", broken.rawValue] }
      process = try lab.start(name, settings.program, arguments: arguments, killedAt: point)
      point = nil
      switch await pump(nil) {
      case .worked:
        for record in unanswered {
          guard case .commit(let document, let change, let expected, let digest) = record.request else {
            continue
          }
          let kind = digest.isEmpty ? "deleted" : "kept"
          try? process?.send("resend\t\(document)\t\(change)\t\(expected)\t\(kind)")
        }
        return true
      case .stuck, .failed:
        process?.kill()
        _ = await pump(nil)
        return false
      case .ended: continue
      }
    }
    let reason = "it ended three times before it was ready"
    if settings.broken == nil { throw KillLabError.workerFailed(name, reason: reason) }
    failures.append("\(name): \(reason)")
    return false
  }
}

extension OperationRecord {
  fileprivate var isUnansweredCommit: Bool {
    if case .commit = request { answer == nil } else { false }
  }
}
