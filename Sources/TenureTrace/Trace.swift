import TenureSystem

/// Where events go.
public protocol TraceSink: Sendable {
  /// Takes one event. Called on the thread where it happened, possibly from many at once; must not block for
  /// long and must not throw: a trace that cannot be written never harms the app.
  func take(_ record: TraceRecord)
}

/// Records what happens, at no cost when nobody listens.
///
/// ```swift
/// let trace = Trace(to: TraceRing(capacity: 1_000), as: .current(role: "app"))
/// trace.record(SceneForeground(scene: "left"))
/// ```
/// A value to be handed down like a clock; any thread may record.
public struct Trace: Sendable {
  /// Whether anybody listens. Stored beside the sink, which would be copied only to be compared.
  public let isOn: Bool
  private let sink: (any TraceSink)?
  private let clock: any SystemClock
  /// The process that stands in every event.
  public let process: ProcessIdentity
  private let task: String?

  /// Records into `sink` (`nil`: nowhere) as `process`.
  public init(
    to sink: (any TraceSink)?, as process: ProcessIdentity, clock: any SystemClock = LiveClock(),
    task: String? = nil
  ) {
    self.sink = sink
    isOn = sink != nil
    self.process = process
    self.clock = clock
    self.task = task
  }

  /// Records nothing.
  public static let off = Trace(
    to: nil,
    as: ProcessIdentity(
      pid: 0, name: "", bundleIdentifier: "", bundlePath: "", role: "", appVersion: ""))

  /// Records nothing, but knows the process (changes are attributed all the same).
  public static func off(as process: ProcessIdentity) -> Trace { Trace(to: nil, as: process) }

  /// The same recorder with a task or scene named in every event.
  public func task(_ name: String) -> Trace { Trace(to: sink, as: process, clock: clock, task: name) }

  /// Records an event, which is made only when somebody listens.
  ///
  /// The question is asked in the caller's own code, where it costs one comparison; the answer yes is a call.
  @inlinable @inline(__always)
  public func record<Event: TraceEvent>(_ event: @autoclosure () -> Event) {
    if isOn { take(event()) }
  }

  @usableFromInline @inline(never)
  func take(_ event: some TraceEvent) {
    sink?.take(
      TraceRecord(
        monotonic: clock.monotonic, wall: clock.wall, process: process, task: task, event: event))
  }
}
