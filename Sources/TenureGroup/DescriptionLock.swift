import TenureSystem

/// The lock of one open file description (`F_OFD_SETLKW`, `flock` on Apple), on a descriptor of its own.
///
/// Linux has no wait with an end. So a wait with a timeout is done by a parked thread, and the caller waits for
/// that thread:
///
/// ```
/// free ──try──▶ held                        the common case: one call
///   └─busy─▶ parked(wanted) ──acquires──▶ granted ──▶ held
///               │  ▲ time ran out │ the next caller wants it after all
///               ▼  │
///            parked(unwanted) ──acquires──▶ unlocks at once ──▶ free
/// ```
/// While a thread is parked nobody else locks through the descriptor: a second lock on the same description
/// always succeeds, and its unlock would free the first. So at most one thread is parked, however many waits
/// were given up (D13).
final class DescriptionLock: Exclusion {
  private enum Phase {
    case free
    case parked(wanted: Bool)
    case granted
    case failed(SystemError)
    case held
  }

  private struct State {
    var phase = Phase.free
    var file: OpenFile?
  }

  private let path: String
  private let system: System
  private let note: HolderNote
  private let monitor = Monitor(State())

  init(path: String, system: System, holder: HolderNote) {
    self.path = path
    self.system = system
    self.note = holder
  }

  func acquire(timeout: UInt64?) throws(SystemError) -> Bool {
    let file = try opened()
    let isParked = monitor.withLock { state in
      guard case .parked = state.phase else { return false }
      state.phase = .parked(wanted: true)
      return true
    }
    if !isParked {
      if try lockWithoutParking(file, timeout: timeout) { return true }
      if timeout == 0 { return false }
      try park(file)
    }
    guard try granted(within: timeout) else { return false }
    note.write(to: file)
    return true
  }

  func release() {
    guard
      let file = monitor.withLock({ state in
        state.phase = .free
        return state.file
      })
    else { return }
    do {
      try file.unlock()
    } catch {
      // Closing the description frees the lock in any case.
      monitor.withLock { $0.file = nil }
    }
  }

  var holder: String? {
    monitor.withLock { $0.file }.flatMap(HolderNote.read(from:))
  }

  /// One descriptor for the life of this object, so that its closing tells others of the process's end (G5).
  private func opened() throws(SystemError) -> OpenFile {
    if let file = monitor.withLock({ $0.file }) { return file }
    let file = try system.open(path, [.read, .write, .create])
    monitor.withLock { $0.file = file }
    return file
  }

  /// `false`: another holds it, and the caller does not want to wait for ever.
  private func lockWithoutParking(_ file: OpenFile, timeout: UInt64?) throws(SystemError) -> Bool {
    if try !file.tryLock() {
      if timeout != nil { return false }
      try file.lock()
    }
    monitor.withLock { $0.phase = .held }
    note.write(to: file)
    return true
  }

  private func park(_ file: OpenFile) throws(SystemError) {
    monitor.withLock { $0.phase = .parked(wanted: true) }
    do {
      try SystemThread.start(name: "group-lock") { self.waitParked(file) }
    } catch {
      monitor.withLock { $0.phase = .free }
      throw error
    }
  }

  /// The parked thread: acquires, and hands over or gives back, until nobody is disappointed.
  private func waitParked(_ file: OpenFile) {
    while true {
      let outcome = Result { () throws(SystemError) in try file.lock() }
      let isWanted = monitor.change { state in
        guard case .parked(wanted: true) = state.phase else { return false }
        switch outcome {
        case .success: state.phase = .granted
        case .failure(let error): state.phase = .failed(error)
        }
        return true
      }
      if isWanted { return }
      if case .success = outcome {
        do {
          try file.unlock()
        } catch {
          drop(after: error)
          return
        }
      }
      let isOver = monitor.change { state in
        if case .parked(wanted: true) = state.phase { return false }
        state.phase = .free
        return true
      }
      if isOver { return }
    }
  }

  /// Only closing frees the lock now; whoever comes next opens the file anew.
  private func drop(after error: SystemError) {
    monitor.change { state in
      state.file = nil
      if case .parked(wanted: true) = state.phase {
        state.phase = .failed(error)
      } else {
        state.phase = .free
      }
    }
  }

  private func granted(within timeout: UInt64?) throws(SystemError) -> Bool {
    let answer = monitor.wait(timeout: timeout) { Self.collect(&$0) }
    if let answer { return try answer.get() }
    let late = monitor.withLock { state in
      if let answer = Self.collect(&state) { return answer }
      state.phase = .parked(wanted: false)
      return .success(false)
    }
    return try late.get()
  }

  private static func collect(_ state: inout State) -> Result<Bool, SystemError>? {
    switch state.phase {
    case .granted:
      state.phase = .held
      return .success(true)
    case .failed(let error):
      state.phase = .free
      return .failure(error)
    default: return nil
    }
  }
}
