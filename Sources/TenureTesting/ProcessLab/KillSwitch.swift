import Tenure
import TenureSystem
import TenureTrace

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Kills its own process at a ``KillPoint``, with the signal that cannot be caught, as the system would.
///
/// ```swift
/// let killer = try KillSwitch(at: point)
/// let trace = Trace(to: killer.sink(over: ring), as: .current(role: "worker"))
/// let workspace = try await Workspace.open(at: path, system: killer.system, trace: …)
/// ```
public final class KillSwitch: Sendable {
  /// The machine, its calls and SQLite's counted.
  public let system: System
  private let counter: Counter
  private let layer: InterceptingDatabaseLayer

  /// Kills at `point`, counting from now; never, when it is `nil`.
  public init(
    at point: KillPoint? = nil, over system: System = .live
  ) throws(InterceptingDatabaseLayer.Failure) {
    let counter = Counter()
    counter.start(point)
    self.counter = counter
    let calls = InterceptedCalls(system.calls) { site in
      counter.passed { step in
        if case .call(site.call, let number) = step { number } else { nil }
      }
      return .proceed
    }
    layer = try InterceptingDatabaseLayer(calls, over: system.databaseLayer)
    self.system = System(calls: calls, clock: system.clock, databaseLayer: layer.name)
  }

  /// Kills at another point, counting from now; `nil` takes the point away.
  public func arm(at point: KillPoint?) { counter.start(point) }

  /// Records into `sink`, and counts.
  public func sink(over sink: any TraceSink) -> any TraceSink { CountingSink(sink: sink, counter: counter) }
}

private final class Counter: Sendable {
  private struct State {
    var steps: [KillPoint.Step] = []
    var step = 0
    var count = 0
  }

  private let state = Lock(State())

  func start(_ point: KillPoint?) { state.withLock { $0 = State(steps: point?.steps ?? []) } }

  /// Something happened; `number` says how often it must, if it is what a step waits for.
  func passed(_ number: (KillPoint.Step) -> Int?) {
    let isReached = state.withLock { state in
      guard state.step < state.steps.count, let wanted = number(state.steps[state.step]) else {
        return false
      }
      state.count += 1
      guard state.count == wanted else { return false }
      state.step += 1
      state.count = 0
      return state.step == state.steps.count
    }
    if isReached { kill(getpid(), SIGKILL) }
  }
}

private struct CountingSink: TraceSink {
  let sink: any TraceSink
  let counter: Counter

  func take(_ record: TraceRecord) {
    // Recorded first: the event is what the dead process leaves behind.
    sink.take(record)
    let name = record.kind
    let purpose = record.event.purposeName.map { "\(name)/\($0)" }
    counter.passed { step in
      guard case .event(let kind, let number) = step, kind == name || kind == purpose else { return nil }
      return number
    }
  }
}

extension TraceEvent {
  /// What the event was for, where its kind says so.
  fileprivate var purposeName: String? {
    switch self {
    case let event as SaveBegun: event.purpose.rawValue
    case let event as SaveEnded: event.purpose.rawValue
    case let event as LockTaken: event.purpose
    case let event as LockReleased: event.purpose
    default: nil
    }
  }
}
