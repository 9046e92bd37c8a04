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
