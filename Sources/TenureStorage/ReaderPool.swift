import TenureSystem

/// A read that waits for a reader's thread. Exactly one of `succeed` and `fail` is called, once.
struct WaitingRead: Sendable {
  let purpose: String
  let attempt: @Sendable (SQLiteConnection) throws -> Void
  let succeed: @Sendable () -> Void
  let fail: @Sendable (any Error) -> Void
}

/// A few threads with a connection each. They are started when there is something to read and none is free.
final class ReaderPool: Sendable {
  private enum Phase { case running, suspending, suspended, closed }

  private struct State {
    var phase = Phase.running
    var holdWhileSuspended = false
    var reads = Fifo<WaitingRead>()
    var threads = 0
    var idle = 0
    /// Threads that have a connection open.
    var connected = 0
    var then: [@Sendable () -> Void] = []
  }

  private enum Work {
    case read(WaitingRead)
    case disconnect
    case end
  }

  private let file: DatabaseFile
  private let notes: ReadNotes
  private let stop = StopFlag()
  private let monitor = Monitor(State())

  init(file: DatabaseFile, notes: ReadNotes) {
    self.file = file
    self.notes = notes
  }

  func add(_ read: WaitingRead) {
    let limit = max(1, file.options.readers)
    let (refusal, mustStart) = monitor.changeForOne { state -> (StorageError?, Bool) in
      switch state.phase {
      case .running: break
      case .suspending, .suspended: if !state.holdWhileSuspended { return (.suspended, false) }
      case .closed: return (.closed, false)
      }
      state.reads.add(read)
      guard state.reads.count > state.idle, state.threads < limit else { return (nil, false) }
      state.threads += 1
      return (nil, true)
    }
    if let refusal { read.fail(refusal) }
    if mustStart { start() }
  }

  private func start() {
    do {
      try SystemThread.start(name: "tenure.reader") { self.run() }
    } catch {
      // Another thread may serve it; when there is none, nobody ever would.
      let refused = monitor.withLock { state in
        state.threads -= 1
        return state.threads == 0 ? state.reads.takeAll() : []
      }
      for read in refused { read.fail(StorageError(error)) }
    }
  }

  private func run() {
    var connection: SQLiteConnection?
    while true {
      switch nextWork(isConnected: connection != nil) {
      case .end:
        connection = nil
        finish(disconnected: true)
        return
      case .disconnect:
        connection = nil
        finish(disconnected: true)
      case .read(let read):
        do {
          let open = try connection ?? connect()
          connection = open
          try perform(read, on: open)
        } catch {
          read.fail(error)
          continue
        }
        read.succeed()
      }
    }
  }

  private func connect() throws(StorageError) -> SQLiteConnection {
    let made = try file.connect(.read, stop: stop)
    monitor.withLock { $0.connected += 1 }
    return made
  }

  private func perform(_ read: WaitingRead, on connection: SQLiteConnection) throws {
    let note = notes.begin(read.purpose)
    defer { notes.end(note) }
    do {
      try connection.run("BEGIN")
      try read.attempt(connection)
      try connection.run("COMMIT")
    } catch {
      connection.rollBack()
      if case .interrupted = error as? StorageError, stop.isRaised { throw StorageError.suspended }
      throw error
    }
  }

  private func nextWork(isConnected: Bool) -> Work {
    monitor.withLock { $0.idle += 1 }
    let work: Work? = monitor.wait { state in
      guard let work = Self.work(state.phase, isConnected: isConnected, &state.reads) else { return nil }
      state.idle -= 1
      return work
    }
    return work ?? .end
  }

  private static func work(_ phase: Phase, isConnected: Bool, _ reads: inout Fifo<WaitingRead>) -> Work? {
    switch phase {
    case .closed: .end
    case .suspending: isConnected ? .disconnect : nil
    case .suspended: nil
    case .running: reads.take().map(Work.read)
    }
  }

  private func finish(disconnected: Bool) {
    let then = monitor.change { state -> [@Sendable () -> Void] in
      if disconnected, state.connected > 0 { state.connected -= 1 }
      guard state.connected == 0 else { return [] }
      if state.phase == .suspending { state.phase = .suspended }
      defer { state.then = [] }
      return state.then
    }
    for step in then { step() }
  }

  /// Stops what is read at its next step and closes the connections; `then` runs when they are.
  func suspend(holdReads: Bool, then: @escaping @Sendable () -> Void) {
    stop.raise()
    let (refused, isThere) = monitor.change { state -> ([WaitingRead], Bool) in
      guard state.phase == .running || state.phase == .suspending else { return ([], true) }
      state.holdWhileSuspended = holdReads
      let refused = holdReads ? [] : state.reads.takeAll()
      if state.connected == 0 {
        state.phase = .suspended
        return (refused, true)
      }
      state.phase = .suspending
      state.then.append(then)
      return (refused, false)
    }
    for read in refused { read.fail(StorageError.suspended) }
    if isThere { then() }
  }

  func resume() {
    stop.lower()
    monitor.change { if $0.phase != .closed { $0.phase = .running } }
  }

  /// Lets what is being read end, refuses the rest; `then` runs when the connections are closed.
  func close(then: @escaping @Sendable () -> Void) {
    let (refused, isThere) = monitor.change { state -> ([WaitingRead], Bool) in
      state.phase = .closed
      if state.connected == 0 { return (state.reads.takeAll(), true) }
      state.then.append(then)
      return (state.reads.takeAll(), false)
    }
    for read in refused { read.fail(StorageError.closed) }
    if isThere { then() }
  }
}
