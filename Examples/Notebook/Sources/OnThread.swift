import TenureSystem

/// Runs work that blocks (reading many files) on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try SystemThread.start(name: "notebook.files") {
        continuation.resume(with: Result { try body() })
      }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}

/// The same for work that looks now and then whether the task that waits for it was cancelled.
func onThread<Value: Sendable>(
  _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
) async throws -> Value {
  let isCancelled = Lock(false)
  return try await withTaskCancellationHandler {
    try await onThread { try body { isCancelled.withLock { $0 } } }
  } onCancel: {
    isCancelled.withLock { $0 = true }
  }
}
