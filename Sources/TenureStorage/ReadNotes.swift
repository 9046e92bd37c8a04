import TenureGroup
import TenureSystem

/// Who reads for long, so that whoever cannot commit because of it can say so (D13).
///
/// A short read costs two visits to a lock. A watching thread sleeps until the oldest read is
/// ``GroupDatabase/Options/readNoteAfter`` old, leaves a note in the directory of this process's lease, and ends
/// when nobody reads.
final class ReadNotes: Sendable {
  private struct Reading {
    var purpose: String
    var began: UInt64
    var note: String?
  }

  private struct State {
    var readings: [UInt64: Reading] = [:]
    var next: UInt64 = 0
    var isWatched = false
    var isEnded = false
  }

  private static let prefix = "reading-"
  private let container: GroupContainer
  private let noteAfter: UInt64
  private let lease: SharedLease
  private let monitor = Monitor(State())

  init(container: GroupContainer, noteAfter: Duration, lease: SharedLease) {
    self.container = container
    self.noteAfter = noteAfter.nanoseconds
    self.lease = lease
  }

  func begin(_ purpose: String) -> UInt64 {
    let now = container.system.clock.monotonic
    let (id, needsWatch) = monitor.withLock { state in
      state.next += 1
      state.readings[state.next] = Reading(purpose: purpose, began: now)
      let needsWatch = !state.isWatched && !state.isEnded
      if needsWatch { state.isWatched = true }
      return (state.next, needsWatch)
    }
    if needsWatch { startWatching() }
    return id
  }

  func end(_ id: UInt64) {
    let reading = monitor.withLock { $0.readings.removeValue(forKey: id) }
    if let note = reading?.note { remove(note) }
  }

  /// Ends the watching thread.
  func close() { monitor.change { $0.isEnded = true } }

  /// The long reads of all live processes: purpose and process.
  func all() -> [String] {
    let own = monitor.withLock { $0.readings.values.map { "\"\($0.purpose)\" of this process" } }
    let leases = (try? Lease.all(in: container)) ?? []
    return own.sorted() + leases.filter { $0.isHeld && $0.name != lease.name }.flatMap(notes)
  }

  private func notes(of status: LeaseStatus) -> [String] {
    let system = container.system
    let directory = container.leaseDirectory(status.name)
    let names = ((try? system.list(directory)) ?? []).filter { $0.hasPrefix(Self.prefix) }
    return names.compactMap { name in
      // One that ended between the two calls is not in the way any more.
      guard let text = try? system.contents(of: directory.appendingPath(name), limit: 4096) else {
        return nil
      }
      return "\"\(String(decoding: text, as: UTF8.self))\" of \(status.holder ?? "a process")"
    }
  }

  private func startWatching() {
    do {
      try SystemThread.start(name: "tenure.reads") { self.watch() }
    } catch {
      // Without a thread long reads go unnamed; the next read tries again.
      monitor.withLock { $0.isWatched = false }
    }
  }

  private func watch() {
    while true {
      // Nobody wakes it for a read that begins: it looks once in each period, and ends in a quiet one.
      let isEnded = monitor.wait(timeout: noteAfter) { $0.isEnded ? true : nil }
      if isEnded == true { return }
      let now = container.system.clock.monotonic
      let (old, isQuiet) = monitor.withLock { state in
        let old = state.readings.filter { $0.value.note == nil && now &- $0.value.began >= noteAfter }
        if state.readings.isEmpty { state.isWatched = false }
        return (old, state.readings.isEmpty)
      }
      for (id, reading) in old { leaveNote(id, reading.purpose) }
      if isQuiet { return }
    }
  }

  private func leaveNote(_ id: UInt64, _ purpose: String) {
    guard let directory = try? lease.taken().directory else { return }
    let path = directory.appendingPath("\(Self.prefix)\(id)")
    guard let file = try? container.system.open(path, [.write, .create, .truncate]) else { return }
    Array(purpose.utf8.prefix(1000)).withUnsafeBytes { try? file.writeAll($0) }
    let isOver = monitor.withLock { state in
      if state.readings[id] == nil { return true }
      state.readings[id]?.note = path
      return false
    }
    if isOver { remove(path) }
  }

  /// A note that cannot be removed names a read that is over; the lease's end clears it.
  private func remove(_ path: String) { _ = try? container.system.remove(path) }
}
