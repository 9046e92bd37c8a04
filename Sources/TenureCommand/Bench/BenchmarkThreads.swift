import TenureSystem

/// Runs the same work on several threads of their own, all let go at one moment.
enum BenchmarkThreads {
  private struct Gate {
    var ready = 0
    var open = false
  }

  private struct Results<Value> {
    var values: [Swift.Result<Value, any Error>?]
    var left: Int
    var continuation: CheckedContinuation<[Swift.Result<Value, any Error>], Never>?
  }

  /// Runs `work(index)` on `count` threads and answers what they answered, by index. `prepare` runs first on
  /// the same thread; the work begins when every thread is prepared.
  static func run<Prepared, Value: Sendable>(
    _ count: Int, prepare: @escaping @Sendable (Int) throws -> Prepared,
    work: @escaping @Sendable (Int, Prepared) throws -> Value
  ) async throws -> [Value] {
    let gate = Monitor(Gate())
    let results = Monitor(Results<Value>(values: Array(repeating: nil, count: count), left: count))
    let body: @Sendable (Int) -> Void = { index in
      let result = Swift.Result<Value, any Error> {
        let prepared = Swift.Result { try prepare(index) }
        gate.change { $0.ready += 1 }
        let _: Void? = gate.wait { $0.ready == count ? () : nil }
        return try work(index, try prepared.get())
      }
      let done: (() -> Void)? = results.withLock { results in
        results.values[index] = result
        results.left -= 1
        guard results.left == 0, let continuation = results.continuation else { return nil }
        let values = results.values.compactMap { $0 }
        return { continuation.resume(returning: values) }
      }
      done?()
    }
    for index in 0..<count {
      try SystemThread.start(name: "bench-\(index)") { body(index) }
    }
    let values = await withCheckedContinuation { continuation in
      let done: [Swift.Result<Value, any Error>]? = results.withLock { results in
        if results.left > 0 {
          results.continuation = continuation
          return nil
        }
        return results.values.compactMap { $0 }
      }
      if let done { continuation.resume(returning: done) }
    }
    return try values.map { try $0.get() }
  }

  /// Runs blocking work on a thread of its own.
  static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await run(1, prepare: { _ in }, work: { _, _ in try work() })[0]
  }
}
