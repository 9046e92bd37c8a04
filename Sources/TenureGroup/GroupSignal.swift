import TenureSystem
import TenureTrace

/// Tells the other processes of a container that something changed, and hears it from them (G5).
///
/// ```swift
/// let signal = GroupSignal(container: container)
/// let watch = try signal.watch(pollEvery: .seconds(2)) { _ in store.refresh() }
/// signal.ring(sequence: 42)
/// ```
/// A signal is not the truth: it says *look again*, and what is to be seen is read from the database. Many
/// rings may be heard as one, and one may be heard twice. It is heard even when the writer died between its
/// commit and its ring: then its lock file is closed, which wakes the watchers on Linux; a slow poll covers
/// everything else.
public final class GroupSignal: Sendable {
  private let container: GroupContainer
  private let bell = Lock<OpenFile?>(nil)

  /// The signal of a container.
  public init(container: GroupContainer) { self.container = container }

  /// Rings, for everything up to `sequence`: one small write at the start of the bell file.
  ///
  /// Never fails for the caller: what it stands for has happened, and whoever misses the ring finds out by the
  /// poll. From any thread; safe beside any number of other ringers.
  public func ring(sequence: Int64) {
    let mark = BellMark(sequence: sequence)
    do {
      try mark.write(to: opened())
      container.trace.record(SignalRung(signal: container.bellPath.lastPathPart, sequence: sequence))
    } catch {
      // The descriptor may be what failed.
      _ = bell.withLock { file in
        defer { file = nil }
        return file
      }
    }
  }

  /// Calls `body` on a thread of its own whenever something may have changed, this process's own rings
  /// included, until the watch is ended or released.
  ///
  /// What happens while `body` runs is one call afterwards. `pollEvery` is the longest time, by the container's
  /// clock, that a change can go unnoticed when nothing else tells; where files cannot be watched (the user's
  /// inotify instances are used up) it is all there is.
  public func watch(
    pollEvery interval: Duration, _ body: @escaping @Sendable (SignalSource) -> Void
  ) throws(GroupError) -> SignalWatch {
    try watch(pollEvery: interval) { { source in if let source { body(source) } } }
  }

  /// The same for whoever keeps something on the thread, such as a connection: `makeBody` runs on it, once, and
  /// what it makes stays there until the watch ends. The body is also called, with `nil`, after
  /// ``SignalWatch/wake()``.
  package func watch(
    pollEvery interval: Duration, onThread makeBody: @escaping @Sendable () -> (SignalSource?) -> Void
  ) throws(GroupError) -> SignalWatch {
    let system = container.system
    let bell = try onGroup(container.bellPath) { () throws(SystemError) in
      try system.open(container.bellPath, .read)
    }
    let hearing = SignalHearing(bell: bell, watcher: try watcher(), trace: container.trace)
    try onGroup(container.bellPath) { () throws(SystemError) in
      try SystemThread.start(name: "group-signal") { hearing.run(makeBody) }
    }
    let clock = system.clock
    hearing.keep(
      Task.detached(priority: .utility) {
        while (try? await clock.sleep(for: interval)) != nil { hearing.poll() }
      })
    return SignalWatch(hearing)
  }

  private func opened() throws(SystemError) -> OpenFile {
    if let file = bell.withLock({ $0 }) { return file }
    let file = try container.system.open(container.bellPath, [.write, .create])
    return bell.withLock { kept in
      if let kept { return kept }
      kept = file
      return file
    }
  }

  /// `nil` where the machine has no watch left to give.
  private func watcher() throws(GroupError) -> (any FileWatching)? {
    do {
      return try container.system.watch([
        WatchedFile(path: container.bellPath, change: .written),
        WatchedFile(path: container.commitLockPath, change: .closedAfterWriting),
      ])
    } catch {
      if error.code == .tooManyFiles || error.code == .noSpace { return nil }
      throw GroupError(error, path: container.path)
    }
  }
}

/// What is written into the bell file: the sequence number in twenty digits, so that the file does not grow.
struct BellMark: Hashable, Sendable {
  static let length = 21
  let sequence: Int64

  func write(to file: OpenFile) throws(SystemError) {
    var text = [UInt8](repeating: UInt8(ascii: "0"), count: Self.length)
    text[Self.length - 1] = UInt8(ascii: "\n")
    var rest = UInt64(max(0, sequence))
    for place in stride(from: Self.length - 2, through: 0, by: -1) where rest > 0 {
      text[place] += UInt8(rest % 10)
      rest /= 10
    }
    try file.writeAll(text, at: 0)
  }

  /// `nil` before the first ring, or when the mark is half-written.
  static func read(from file: OpenFile) -> BellMark? {
    var bytes = [UInt8](repeating: 0, count: length)
    let count = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
    guard count == length else { return nil }
    return Int64(String(decoding: bytes.dropLast(), as: UTF8.self)).map(BellMark.init)
  }
}
