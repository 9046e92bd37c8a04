/// What one receiver is still to be told, as a state machine without locks or tasks.
///
/// ```
///            offer → start            next (empty)
///   idle ────────────────► draining ───────────────► idle
///     │ cancel                │ cancel
///     └──────► cancelled ◄────┘
/// ```
/// At most one drain runs at a time, which is what keeps the order.
struct DeliveryQueue<Value: Sendable> {
  private enum State {
    case idle
    case draining
    case cancelled
  }

  private let delivery: Delivery
  private var state = State.idle
  private var pending: [Versioned<Value>] = []
  /// Where the queue begins in `pending`; what lies before was handed out.
  private var head = 0

  init(_ delivery: Delivery) { self.delivery = delivery }

  /// Takes a snapshot in. `start`: a drain has to be started. `dropped`: to be released outside the lock.
  mutating func offer(_ snapshot: Versioned<Value>) -> (start: Bool, dropped: [Versioned<Value>]) {
    if state == .cancelled { return (false, []) }
    var dropped: [Versioned<Value>] = []
    if delivery == .newest {
      swap(&dropped, &pending)
      head = 0
    }
    pending.append(snapshot)
    if state == .draining { return (false, dropped) }
    state = .draining
    return (true, dropped)
  }

  /// The next snapshot for the one drain; `nil` ends the drain.
  mutating func next() -> Versioned<Value>? {
    if state == .cancelled { return nil }
    if pending.isEmpty {
      state = .idle
      return nil
    }
    let snapshot = pending[head]
    head += 1
    if head == pending.count {
      pending.removeAll(keepingCapacity: pending.count <= 16)
      head = 0
    } else if head >= 64, head * 2 >= pending.count {
      pending.removeFirst(head)
      head = 0
    }
    return snapshot
  }

  /// Nothing is handed out any more. What was waiting is returned, to be released outside the lock.
  mutating func cancel() -> [Versioned<Value>] {
    state = .cancelled
    var dropped: [Versioned<Value>] = []
    swap(&dropped, &pending)
    head = 0
    return dropped
  }
}

/// What a receiver that is slower than the store is told.
public enum Delivery: Hashable, Sendable {
  /// Every snapshot in order. The queue of a receiver that never catches up grows.
  case every
  /// The newest snapshot that was not yet told; those in between are left out. At most one waits.
  case newest
}
