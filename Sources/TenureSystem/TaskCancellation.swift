/// Runs `body` with a question that threads at work for the calling task may ask: whether it was cancelled.
public func withCancellationQuestion<Result: Sendable>(
  _ body: (_ isCancelled: @escaping @Sendable () -> Bool) async throws -> Result
) async throws -> Result {
  let isCancelled = Lock(false)
  return try await withTaskCancellationHandler {
    try await body { isCancelled.withLock { $0 } }
  } onCancel: {
    isCancelled.withLock { $0 = true }
  }
}
