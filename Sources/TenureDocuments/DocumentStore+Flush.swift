import TenureSystem
import TenureTrace

extension DocumentStore {
  /// Makes durable what can be until `deadline` (monotonic nanoseconds of the system's clock), then answers and
  /// starts nothing more (D7): for the moment an app goes to the background.
  ///
  /// Its items are what is under way when it is called, and the newest content of every ``DraftKeeper`` that no
  /// checkpoint holds. At the deadline a save that was not begun never will be and fails as retryable
  /// (``DocumentError/flushDeadlinePassed(_:)``); one that is inside its transaction is *in doubt*, and
  /// ``outcome(of:)`` tells later.
  public func flush(until deadline: UInt64) async -> FlushReport {
    let clock = system.clock
    let dirty = keepers.all.filter { $0.dirtyItem != nil }
    let under = flights.all
    let dirtyItems = dirty.compactMap(\.dirtyItem)
    trace.record(
      FlushBegun(
        deadline: deadline,
        items: Self.distinct(dirtyItems + under.flatMap(\.items)).map(\.change.description)))
    var all = under
    if clock.monotonic < deadline {
      all += dirty.map(start)
      await wait(for: all, or: deadline)
    }
    let report = report(all, dirtyItems, deadline)
    if !report.unsaved.isEmpty || !report.inDoubt.isEmpty {
      for keeper in keepers.all { keeper.hold() }
    }
    return report
  }

  /// The checkpoint of what a keeper holds. Its flight is entered here, so that it can be taken back.
  private func start(_ keeper: DraftKeeper) -> Flight {
    let flight = flights.enter([keeper.dirtyItem].compactMap { $0 })
    Task {
      do {
        try await keeper.checkpoint(in: flight)
        flight.end(.saved)
      } catch {
        flight.end(error is CommitInDoubt ? .inDoubt : .unsaved)
      }
    }
    return flight
  }

  private func wait(for flights: [Flight], or deadline: UInt64) async {
    let clock = system.clock
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let left = Lock(flights.count)
    for flight in flights {
      flight.whenEnded {
        let isLast = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isLast { end.finish() }
      }
    }
    if flights.isEmpty { return }
    // The flush is bounded by its deadline and not by its caller's cancellation.
    let alarm = Task.detached {
      if (try? await clock.sleep(until: deadline)) != nil { end.finish() }
    }
    let ended = Task.detached { for await _ in ends {} }
    await ended.value
    alarm.cancel()
  }

  private func report(_ flights: [Flight], _ dirty: [FlushItem], _ deadline: UInt64) -> FlushReport {
    var endings: [FlushItem: Flight.Ending] = [:]
    for item in dirty { endings[item] = .unsaved }
    var order = dirty
    for flight in flights {
      let ending = flight.settle()
      for item in flight.items {
        if endings[item] == nil { order.append(item) }
        endings[item] = ending
      }
    }
    let report = FlushReport(
      saved: order.filter { endings[$0] == .saved }, unsaved: order.filter { endings[$0] == .unsaved },
      inDoubt: order.filter { endings[$0] == .inDoubt })
    trace.record(
      FlushEnded(
        deadline: deadline, saved: report.saved.map(\.change.description),
        unsaved: report.unsaved.map(\.change.description), inDoubt: report.inDoubt.map(\.change.description)))
    return report
  }

  private static func distinct(_ items: [FlushItem]) -> [FlushItem] {
    var seen: Set<FlushItem> = []
    return items.filter { seen.insert($0).inserted }
  }
}
