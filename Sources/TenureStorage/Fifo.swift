/// First in, first out, without moving what waits.
///
/// What is taken is moved out, so that nothing is released where the queue's lock is held (S5).
struct Fifo<Element> {
  private var items: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }
  var count: Int { items.count - head }

  mutating func add(_ item: Element) { items.append(item) }

  mutating func take() -> Element? {
    if isEmpty { return nil }
    var item: Element?
    swap(&item, &items[head])
    head += 1
    if isEmpty {
      items.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1024, head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
    return item
  }

  /// Puts `front` before everything else, in its order.
  mutating func putBack(_ front: [Element]) {
    items.replaceSubrange(0..<head, with: front.map(Optional.some))
    head = 0
  }

  mutating func takeAll() -> [Element] {
    let all = items[head...].compactMap(\.self)
    items = []
    head = 0
    return all
  }
}
