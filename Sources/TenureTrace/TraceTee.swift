/// Hands each event to several sinks in turn, such as a file and a ring.
public struct TraceTee: TraceSink {
  private let sinks: [any TraceSink]

  /// Sinks in the order in which they take an event.
  public init(_ sinks: any TraceSink...) { self.sinks = sinks }

  public func take(_ record: TraceRecord) {
    for sink in sinks { sink.take(record) }
  }
}
