import TenureSystem
import TenureTrace

extension DocumentStore {
  /// Makes durable what can be until `deadline` (monotonic nanoseconds of the system's clock), then answers and
  /// starts nothing more (D7): for the moment an app goes to the background.
  ///
  /// Its items are what is under way when it is called, and the newest content of every ``DraftKeeper`` that no
  /// checkpoint holds; each is in one list of the report. At the deadline a save that was not begun never will be
  /// and fails as retryable (``DocumentError/flushDeadlinePassed(_:)``); one that is inside its transaction is *in
  /// doubt*, and ``outcome(of:)`` tells later. What is *unsaved* stays so until somebody edits, asks again or calls
  /// ``resume()``.
  public func flush(until deadline: UInt64) async -> FlushReport {
    var work = FlushWork(under: flights.all, keepers: keepers.all)
    trace.record(FlushBegun(deadline: deadline, items: work.items.map(\.change.description)))
    if system.clock.monotonic < deadline {
      work.add(work.unsaved.map(start))
      await wait(for: work.flights, or: deadline)
    }
    let report = answer(&work)
    trace.record(
      FlushEnded(
        deadline: deadline, saved: report.saved.map(\.change.description),
        unsaved: report.unsaved.map(\.change.description), inDoubt: report.inDoubt.map(\.change.description)))
    return report
  }

  /// The answer, which stays true: before anything is called unsaved its keeper is stopped, and what the keepers
  /// have entered until then is taken back.
  private func answer(_ work: inout FlushWork) -> FlushReport {
    if let report = work.reportIfAllIsSaved() { return report }
    for keeper in keepers.all { keeper.hold() }
    work.add(flights.all.filter(\.isKeepers))
    return work.settle()
  }

  /// The checkpoint of what a keeper holds. Its flight is entered here, so that it can be taken back.
  private func start(_ unsaved: FlushWork.Unsaved) -> Flight {
    let flight = flights.enter([unsaved.item], .checkpoint)
    let (keeper, request) = (unsaved.keeper, unsaved.keeper.request)
    Task {
      do {
        try await keeper.checkpoint(request, in: flight)
        flight.end(.saved)
      } catch {
        flight.end(.after(error))
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
}
