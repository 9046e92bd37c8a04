import TenureSystem
import Testing

@testable import TenureState

@Suite("StateStore") struct StateStoreTests {
  @Test("S1: the first snapshot is the return value, and does not come a second time")
  func firstSnapshot() async {
    let store = StateStore("a", version: 3)
    let (heard, told) = AsyncStream.makeStream(of: Versioned<String>.self)
    let (first, subscription) = store.subscribe { told.yield($0) }
    #expect(first == Versioned(version: 3, value: "a"))
    store.update(to: "b", version: 4)
    var iterator = heard.makeAsyncIterator()
    #expect(await iterator.next() == Versioned(version: 4, value: "b"))
    subscription.cancel()
  }

  @Test("S1: of values arriving while many subscribe, each hears all after its first, once and in order")
  func nothingMissed() async {
    let store = StateStore(0)
    let last = 400
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for version in 1...last {
          store.update(to: version, version: Int64(version))
          if version % 16 == 0 { await Task.yield() }
        }
      }
      for _ in 0..<8 {
        group.addTask {
          let (heard, told) = AsyncStream.makeStream(of: Versioned<Int>.self)
          let (first, subscription) = store.subscribe { told.yield($0) }
          var expected = first.value
          var iterator = heard.makeAsyncIterator()
          while expected < last, let next = await iterator.next() {
            expected += 1
            #expect(next.value == expected)
          }
          #expect(expected == last)
          subscription.cancel()
        }
      }
    }
  }

  @Test("S2: a snapshot never replaces a newer or equal one", arguments: [Int64.min, 0, 4, 5])
  func lateSnapshotLoses(version: Int64) {
    let store = StateStore("new", version: 5)
    #expect(!store.update(to: "late", version: version))
    #expect(store.current == Versioned(version: 5, value: "new"))
    #expect(store.update(to: "newer", version: 6))
    #expect(store.current.value == "newer")
  }

  @Test("S4: cancelling inside the callback is safe, and no later value is told")
  func cancelInCallback() async {
    let store = StateStore(0)
    let calls = Lock(0)
    let held = Lock<Subscription?>(nil)
    let (done, finish) = AsyncStream.makeStream(of: Void.self)
    let (_, subscription) = store.subscribe { _ in
      calls.withLock { $0 += 1 }
      held.withLock { $0 }?.cancel()
      finish.yield()
    }
    held.withLock { $0 = subscription }
    store.update(to: 1, version: 1)
    var iterator = done.makeAsyncIterator()
    await iterator.next()
    store.update(to: 2, version: 2)
    #expect(store.subscriptionCount == 0)
    #expect(calls.withLock { $0 } == 1)
    held.withLock { $0 }?.cancel()
  }

  @Test("A subscription that goes away ends the registration and lets the closure go")
  func deinitCancels() async {
    final class Canary: Sendable {
      let gone: @Sendable () -> Void
      init(_ gone: @escaping @Sendable () -> Void) { self.gone = gone }
      deinit { gone() }
    }
    let store = StateStore(0)
    let released = Lock(false)
    do {
      let canary = Canary { [weak store] in
        // S5: deinitialisers run outside the lock, so asking the store here does not deadlock.
        _ = store?.current
        released.withLock { $0 = true }
      }
      let (_, subscription) = store.subscribe { _ in _ = canary }
      #expect(store.subscriptionCount == 1)
      _ = subscription
    }
    #expect(store.subscriptionCount == 0)
    #expect(released.withLock { $0 })
  }

  @Test("S5: the value that is replaced is released outside the lock")
  func replacedValueReleasedOutside() {
    final class Canary: Sendable {
      let gone: @Sendable () -> Void
      init(_ gone: @escaping @Sendable () -> Void) { self.gone = gone }
      deinit { gone() }
    }
    let asked = Lock(0)
    let other = StateStore<Canary?>(nil)
    other.update(
      to: Canary { [weak other] in
        _ = other?.current
        asked.withLock { $0 += 1 }
      }, version: 1)
    other.update(to: nil, version: 2)
    #expect(asked.withLock { $0 } == 1)
  }

  @Test("A slow receiver holds neither the sender nor its neighbours up")
  func slowReceiver() async {
    let store = StateStore(0)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let (_, slow) = store.subscribe { _ in
      // Blocks this subscription alone: its drain stays in this call until the gate opens.
      let waiting = Monitor(false)
      Task {
        for await _ in gate { break }
        waiting.change { $0 = true }
      }
      _ = waiting.wait { $0 ? true : nil }
    }
    let (heard, told) = AsyncStream.makeStream(of: Int.self)
    let (_, quick) = store.subscribe { told.yield($0.value) }
    for version in 1...3 { store.update(to: version, version: Int64(version)) }
    var iterator = heard.makeAsyncIterator()
    for version in 1...3 { #expect(await iterator.next() == version) }
    open.finish()
    slow.cancel()
    quick.cancel()
  }

  @Test("S5: an inline receiver has been called when the update returns, under no lock")
  func inline() {
    let store = StateStore(0)
    let heard = Lock<[Int64]>([])
    let (first, subscription) = store.subscribeInline { snapshot in
      // Reading the store here would never return if its lock were held.
      #expect(store.current.version >= snapshot.version)
      heard.withLock { $0.append(snapshot.version) }
    }
    #expect(first.version == 0)
    store.update(to: 1, version: 1)
    #expect(heard.withLock { $0 } == [1])
    store.update(to: 0, version: 1)
    #expect(heard.withLock { $0 } == [1])
    subscription.cancel()
    store.update(to: 2, version: 2)
    #expect(heard.withLock { $0 } == [1])
  }

  @Test("S4: an inline receiver that updates the store is told of it after its call has returned")
  func inlineReentrant() {
    let store = StateStore(0)
    let log = Lock<[String]>([])
    let (_, subscription) = store.subscribeInline { snapshot in
      log.withLock { $0.append("begin \(snapshot.version)") }
      if snapshot.version < 3 { store.update(to: 0, version: snapshot.version + 1) }
      log.withLock { $0.append("end \(snapshot.version)") }
    }
    store.update(to: 0, version: 1)
    #expect(log.withLock { $0 } == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    subscription.cancel()
  }

  @Test("Calls come in the isolation of the closure")
  @MainActor func isolation() async {
    let store = StateStore(0)
    let (heard, told) = AsyncStream.makeStream(of: Int.self)
    let (_, subscription) = store.subscribe { @MainActor snapshot in
      MainActor.assertIsolated()
      told.yield(snapshot.value)
    }
    store.update(to: 7, version: 1)
    var iterator = heard.makeAsyncIterator()
    #expect(await iterator.next() == 7)
    subscription.cancel()
  }
}

@Suite("DeliveryQueue") struct DeliveryQueueTests {
  private func snapshot(_ number: Int64) -> Versioned<Int64> { Versioned(version: number, value: number) }

  @Test("One drain at a time: only the first offer to an idle queue starts one")
  func oneDrain() {
    var queue = DeliveryQueue<Int64>(.every)
    #expect(queue.offer(snapshot(1)).start)
    #expect(!queue.offer(snapshot(2)).start)
    #expect(queue.next()?.version == 1)
    #expect(!queue.offer(snapshot(3)).start)
    #expect(queue.next()?.version == 2)
    #expect(queue.next()?.version == 3)
    #expect(queue.next() == nil)
    #expect(queue.offer(snapshot(4)).start)
  }

  @Test("Every snapshot is told in order however many wait")
  func longQueue() {
    var queue = DeliveryQueue<Int64>(.every)
    for number in 1...500 { _ = queue.offer(snapshot(Int64(number))) }
    for number in 1...250 { #expect(queue.next()?.version == Int64(number)) }
    for number in 501...600 { _ = queue.offer(snapshot(Int64(number))) }
    for number in 251...600 { #expect(queue.next()?.version == Int64(number)) }
    #expect(queue.next() == nil)
  }

  @Test("Newest: at most one snapshot waits, the newest")
  func newest() {
    var queue = DeliveryQueue<Int64>(.newest)
    _ = queue.offer(snapshot(1))
    #expect(queue.next()?.version == 1)
    _ = queue.offer(snapshot(2))
    #expect(queue.offer(snapshot(3)).dropped.map(\.version) == [2])
    #expect(queue.next()?.version == 3)
    #expect(queue.next() == nil)
  }

  @Test("After cancelling nothing is handed out or taken in; what waited is returned for release")
  func cancel() {
    var queue = DeliveryQueue<Int64>(.every)
    _ = queue.offer(snapshot(1))
    _ = queue.offer(snapshot(2))
    #expect(queue.cancel().map(\.version) == [1, 2])
    #expect(queue.next() == nil)
    #expect(!queue.offer(snapshot(3)).start)
    #expect(queue.cancel().isEmpty)
  }
}
