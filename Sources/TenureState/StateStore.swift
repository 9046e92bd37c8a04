import TenureSystem

/// The newest value of something, and everybody who wants to hear of the next (S1, S2, S4, S5).
///
/// ```swift
/// let store = StateStore(["draft.md"])
/// let (first, subscription) = store.subscribe { @MainActor snapshot in list.show(snapshot.value) }
/// list.show(first.value)                      // nothing was missed in between, nothing comes twice
/// store.update(to: ["draft.md", "b.md"], version: 1)
/// ```
/// Any thread may read, update and subscribe. Each subscription is called by one task, one call after the
/// other, in the isolation its closure has; a slow one holds neither the sender nor its neighbours up.
public final class StateStore<Value: Sendable>: Sendable {
  /// A receiver, called with a snapshot in whatever isolation it has.
  public typealias Receiver = @isolated(any) @Sendable (Versioned<Value>) -> Void

  private struct State {
    var current: Versioned<Value>
    var receivers: [UInt64: Mailbox<Value>] = [:]
    var nextKey: UInt64 = 0
  }

  private let state: Lock<State>

  /// Begins with a value; its version is 0 unless said.
  public init(_ value: Value, version: Int64 = 0) {
    state = Lock(State(current: Versioned(version: version, value: value)))
  }

  /// The newest snapshot.
  public var current: Versioned<Value> { state.withLock { $0.current } }

  /// How many subscriptions are alive.
  public var subscriptionCount: Int { state.withLock { $0.receivers.count } }

  /// Makes a newer value current and passes it on. Answers `false`, and changes nothing, when `version` is not
  /// above the current one (S2).
  @discardableResult
  public func update(to value: Value, version: Int64) -> Bool {
    // The old value and what receivers drop leave the lock in `replaced` and `offers`, and die after it (S5).
    let (replaced, offers) = state.withLock {
      state -> (Versioned<Value>?, [(Mailbox<Value>, Mailbox<Value>.Offer)]) in
      guard version > state.current.version else { return (nil, []) }
      let replaced = state.current
      let snapshot = Versioned(version: version, value: value)
      state.current = snapshot
      return (replaced, state.receivers.values.map { ($0, $0.offer(snapshot)) })
    }
    for (mailbox, offer) in offers where offer.start { mailbox.startDraining() }
    return replaced != nil
  }

  /// Registers `body` and takes the snapshot it starts from, in one step (S1).
  ///
  /// `body` is called for snapshots newer than `first` only. The registration lasts as long as `subscription`
  /// is kept and not cancelled; the closure is let go at its end.
  public func subscribe(
    _ delivery: Delivery = .every, _ body: @escaping Receiver
  ) -> (first: Versioned<Value>, subscription: Subscription) {
    subscribe(delivery, announcing: nil) { await body($0) }
  }

  /// The same for a receiver that is called by whoever updates the store, before ``update(to:version:)`` returns:
  /// no thread has to be woken for it.
  ///
  /// A slow one holds the sender up, which is what it asked for (S5). It still runs under no lock, one call after
  /// the other: when two threads update at once, the first to come makes both calls.
  public func subscribeInline(
    _ body: @escaping @Sendable (Versioned<Value>) -> Void
  ) -> (first: Versioned<Value>, subscription: Subscription) {
    register(Mailbox(.every, .inline(body)))
  }

  /// `announce` is called right before `body`, by the same task, where a trace has to say what was told.
  package func subscribe(
    _ delivery: Delivery, announcing announce: (@Sendable (Versioned<Value>) -> Void)?,
    _ body: @escaping @Sendable (Versioned<Value>) async -> Void
  ) -> (first: Versioned<Value>, subscription: Subscription) {
    register(Mailbox(delivery, .task(announce, body)))
  }

  private func register(_ mailbox: Mailbox<Value>) -> (first: Versioned<Value>, subscription: Subscription) {
    let (first, key) = state.withLock { state in
      let key = state.nextKey
      state.nextKey += 1
      state.receivers[key] = mailbox
      return (state.current, key)
    }
    let subscription = Subscription { [weak self] in
      // The mailbox leaves the lock before its last reference goes.
      _ = self?.state.withLock { $0.receivers.removeValue(forKey: key) }
      mailbox.cancel()
    }
    return (first, subscription)
  }
}

/// One receiver with its queue. Locks are taken store first, mailbox second, and no user code runs in either.
final class Mailbox<Value: Sendable>: Sendable {
  /// Who calls the receiver.
  enum Call: Sendable {
    /// A task; what is to be announced is said right before.
    case task((@Sendable (Versioned<Value>) -> Void)?, @Sendable (Versioned<Value>) async -> Void)
    /// Whoever updates the store.
    case inline(@Sendable (Versioned<Value>) -> Void)
  }

  typealias Offer = (start: Bool, dropped: [Versioned<Value>])

  private struct State {
    var queue: DeliveryQueue<Value>
    var call: Call?
  }

  private let state: Lock<State>
  private let isInline: Bool

  init(_ delivery: Delivery, _ call: Call) {
    isInline = if case .inline = call { true } else { false }
    state = Lock(State(queue: DeliveryQueue(delivery), call: call))
  }

  func offer(_ snapshot: Versioned<Value>) -> Offer {
    state.withLock { $0.queue.offer(snapshot) }
  }

  /// The drain: one at a time, ended when the queue is empty, so an idle subscription costs none.
  func startDraining() {
    if isInline {
      while case (.inline(let body), let snapshot)? = next() { body(snapshot) }
      return
    }
    Task {
      while case (.task(let announce, let body), let snapshot)? = self.next() {
        announce?(snapshot)
        await body(snapshot)
      }
    }
  }

  private func next() -> (Call, Versioned<Value>)? {
    state.withLock { state in
      guard let snapshot = state.queue.next(), let call = state.call else { return nil }
      return (call, snapshot)
    }
  }

  func cancel() {
    // Closure and waiting snapshots die when this returns, outside the lock.
    _ = state.withLock { state -> ([Versioned<Value>], Call?) in
      let call = state.call
      state.call = nil
      return (state.queue.cancel(), call)
    }
  }
}
