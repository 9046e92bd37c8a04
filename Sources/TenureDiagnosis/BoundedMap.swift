/// A table that forgets its oldest key when it is full, and says that it did.
struct BoundedMap<Key: Hashable, Value> {
  private var slots: [Key: Slot<Value>] = [:]
  private var order: [(key: Key, stamp: UInt64)] = []
  private var stamp: UInt64 = 0
  private let capacity: Int
  /// Whether anything was forgotten.
  private(set) var overflowed = false

  init(capacity: Int = 20_000) { self.capacity = capacity }

  var isEmpty: Bool { slots.isEmpty }

  subscript(key: Key) -> Value? {
    get { slots[key]?.value }
    set {
      guard let newValue else {
        slots[key] = nil
        return
      }
      if slots[key] != nil {
        slots[key]?.value = newValue
        return
      }
      stamp += 1
      slots[key] = Slot(value: newValue, stamp: stamp)
      order.append((key, stamp))
      makeRoom()
    }
  }

  subscript(key: Key, default initial: @autoclosure () -> Value) -> Value {
    get { self[key] ?? initial() }
    set { self[key] = newValue }
  }

  /// Everything, in the order it came.
  var pairs: [(key: Key, value: Value)] {
    if slots.isEmpty { return [] }
    return order.compactMap { entry in
      guard let slot = slots[entry.key], slot.stamp == entry.stamp else { return nil }
      return (entry.key, slot.value)
    }
  }

  /// Forgets an eighth at once, and entries that no longer count when they are most of `order`.
  private mutating func makeRoom() {
    if slots.count > capacity {
      overflowed = true
      for entry in pairs.prefix(max(1, capacity / 8)) { slots[entry.key] = nil }
    }
    if order.count > 2 * slots.count + 64 {
      order.removeAll { entry in slots[entry.key]?.stamp != entry.stamp }
    }
  }
}

private struct Slot<Value> {
  var value: Value
  /// Which of its entries in `order` counts: a key that was removed may come again.
  let stamp: UInt64
}

extension Slot: Sendable where Value: Sendable {}
extension BoundedMap: Sendable where Key: Sendable, Value: Sendable {}
