import Tenure
import TenureGroup
import TenureStorage
import TenureSystem
import TenureTesting
import TenureTrace

/// One worker process of the kill lab: opens the container, recovers, and does bursts of work as it is told.
///
/// Commands come by line: `arm POINT`, `disarm`, `resend DOCUMENT CHANGE EXPECTED`, `burst SEED REQUESTS`.
/// It reports `ready`, `done`, `stuck`, `failed WHY`, and the lines of its ``RecordLog``.
public struct LabWorker: Sendable {
  /// What a worker is told when it starts.
  public struct Input: Sendable {
    /// The container's path.
    public var container = ""
    /// Who it is; the same after a restart.
    public var client = ""
    /// The number of its last request.
    public var last = 0
    /// The law whose guard is taken away.
    public var broken: BreakableLaw?
    /// Where it is to kill itself, counted from the start.
    public var killPoint: KillPoint?

    /// An input to be filled.
    public init() {}
  }

  private let input: Input
  private let guards: LabGuards
  private let child: LabChild
  private let killer: KillSwitch
  private let trace: Trace
  private let log: RecordLog

  /// Works until its parent lets go of it; never returns before.
  public static func run(_ input: Input) async throws -> Never {
    let worker = try LabWorker(input)
    do {
      try await worker.work()
    } catch {
      worker.child.report("failed\t\(error)")
      while true { _ = await worker.child.command() }
    }
  }

  private init(_ input: Input) throws {
    self.input = input
    guards = LabGuards(without: input.broken)
    let child = try LabChild()
    self.child = child
    killer = try KillSwitch(at: input.killPoint)
    trace = Trace(
      to: killer.sink(over: NoSink()), as: .current(role: "worker", bundleIdentifier: "lab.\(input.client)"))
    log = RecordLog(after: input.last) { child.report($0) }
  }

  private func work() async throws -> Never {
    let store = try await LabBox.open(
      input.container, system: killer.system, trace: trace, guards: guards)
    let client = LabClient(name: input.client, store: store, log: log)
    let recovered = await client.recover()
    var subscriptions: [Subscription] = []
    for document in LabBox.documents {
      let name = "\(input.client)-\(trace.process.pid)-\(document)"
      subscriptions.append(try await LabObserver.subscribe(to: document, of: store, name: name, log: log))
    }
    child.report("ready")
    var drafts = recovered
    while true {
      let words = await child.command().split(separator: "\t").map(String.init)
      switch words.first {
      case "arm": killer.arm(at: words.count > 1 ? KillPoint(words[1]) : nil)
      case "disarm": killer.arm(at: nil)
      case "resend":
        guard words.count == 5, let change = ChangeID(hexadecimal: words[2]), let expected = Int64(words[3])
        else { continue }
        await client.commit(
          DocumentID(words[1]), change, expecting: expected, deleting: words[4] == "deleted")
      case "burst":
        guard words.count == 3, let seed = UInt64(words[1]), let requests = Int(words[2]) else { continue }
        await LabBurst(
          client: client, container: input.container, guards: guards, trace: trace, killer: killer,
          mayPurge: input.broken == nil
        )
        .run(seed: seed, requests: requests, resuming: drafts)
        drafts = []
        child.report(client.isStuck ? "stuck" : "done")
      default: break
      }
    }
  }
}

/// Events are only counted.
private struct NoSink: TraceSink {
  func take(_ record: TraceRecord) {}
}
