import TenureSystem

/// Where a process hears that its work is done, or why it is to end before: whichever is told first.
struct EndDesk {
  /// Tells a reason to end; `nil`: the work is done.
  let tell: @Sendable (EndReason?) -> Void
  private var news: AsyncStream<EndReason?>.AsyncIterator
  private let signals: Task<Void, Never>

  /// Hears of signals, and of `terminal`'s output being closed where that is not to end the process at once.
  init(_ interruption: Interruption, output terminal: Terminal? = nil) {
    let (news, continuation) = AsyncStream.makeStream(of: EndReason?.self)
    tell = { continuation.yield($0) }
    self.news = news.makeAsyncIterator()
    terminal?.whenOutputCloses { continuation.yield($0) }
    signals = Task {
      for await signal in interruption.requests { continuation.yield(.signal(signal)) }
    }
  }

  /// Starts work, and tells when it is done.
  func start<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task { [tell] in
      defer { tell(nil) }
      return try await body()
    }
  }

  /// Waits for what is told next: a reason to end, or `nil`: the work is done.
  mutating func next() async -> EndReason? { await news.next() ?? nil }

  /// Waits for a reason to end, whatever is done meanwhile.
  mutating func reason() async -> EndReason {
    while let told = await news.next() {
      if let told { return told }
    }
    return .outputClosed
  }

  /// Signals are not listened to any more.
  func close() { signals.cancel() }
}
