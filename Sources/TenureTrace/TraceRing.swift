import TenureSystem

/// The last events in memory, for tests and for a report of what led up to a failure.
public final class TraceRing: TraceSink {
  private struct State {
    var records: [TraceRecord] = []
    var next = 0
    var dropped = 0
  }

  /// The most events it keeps.
  public let capacity: Int
  private let state = Lock(State())

  /// Keeps the last `capacity` events (at least 1).
  public init(capacity: Int = 10_000) { self.capacity = max(1, capacity) }

  public func take(_ record: TraceRecord) {
    state.withLock { state in
      if state.records.count < capacity {
        state.records.append(record)
      } else {
        state.records[state.next] = record
        state.next = (state.next + 1) % capacity
        state.dropped += 1
      }
    }
  }

  /// The kept events, oldest first.
  public var records: [TraceRecord] {
    state.withLock { Array($0.records[$0.next...] + $0.records[..<$0.next]) }
  }

  /// The kept events of one kind, oldest first.
  public func events<Event: TraceEvent>(_ type: Event.Type = Event.self) -> [Event] {
    records.compactMap { $0.event as? Event }
  }

  /// How many events went because newer ones came.
  public var dropped: Int { state.withLock { $0.dropped } }
}
