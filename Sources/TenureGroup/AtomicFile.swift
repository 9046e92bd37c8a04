import TenureSystem
import TenureTrace

/// Files that several processes read and write, each write one step for all of them (G3).
///
/// ```swift
/// try AtomicFile.update(path, trace: trace) { old in merge(old ?? [], with: mine) }
/// ```
/// A reader, which needs no lock, sees the old content or the new, complete, also after a kill or a power cut in
/// the middle. Writers take turns under a lock file beside the file (`.name.lock`, which stays). What a killed
/// writer leaves is one temporary file (`.name.new`); the next writer removes it, under that lock.
///
/// All calls block the thread. A thrown ``GroupError`` other than ``GroupError/notDurable(path:cause:)`` means
/// that the old content is in place. A symbolic link at `path` is replaced, not followed. A new file can be read
/// and written by its user only; a replaced one keeps its permissions.
public enum AtomicFile {
  /// Puts new content in place of whatever is there.
  public static func replace(
    _ path: String, with bytes: [UInt8], system: System = .live, trace: Trace,
    timeout: Duration? = .seconds(30)
  ) throws(GroupError) {
    try replace(path, with: bytes, system: system, trace: trace, timeout: timeout, guards: GroupGuards())
  }

  /// Reads the content (`nil`: there is no file), and puts in place what `change` makes of it, as one step:
  /// no other writer comes between. `nil` from `change`, or an error, leaves everything as it is.
  ///
  /// `change` runs under the lock: other writers of this file wait for it, and it must not write the file itself
  /// (``GroupError/lockHeldByCaller(lock:purpose:)``). A file of more than `limit` bytes is
  /// refused with ``GroupError/fileTooLarge(path:limit:)``.
  public static func update(
    _ path: String, limit: Int = 64 << 20, system: System = .live, trace: Trace,
    timeout: Duration? = .seconds(30), _ change: (_ old: [UInt8]?) throws -> [UInt8]?
  ) throws {
    try update(
      path, limit: limit, system: system, trace: trace, timeout: timeout, guards: GroupGuards(), change)
  }

  /// Adds bytes at the end, making the file when it is missing: all of them or none, never torn, never mixed
  /// with another writer's. Copies the file (sharing its blocks where the file system can), in flat memory.
  public static func append(
    _ bytes: [UInt8], to path: String, system: System = .live, trace: Trace,
    timeout: Duration? = .seconds(30)
  ) throws(GroupError) {
    try append(bytes, to: path, system: system, trace: trace, timeout: timeout, guards: GroupGuards())
  }
}

extension AtomicFile {
  package static func replace(
    _ path: String, with bytes: [UInt8], system: System, trace: Trace, timeout: Duration? = .seconds(30),
    guards: GroupGuards
  ) throws(GroupError) {
    guard guards.g3 else { return try writeInPlace(path, bytes, system: system, trace: trace) }
    let turn = try Replacement(.replace, of: path, system: system, trace: trace, timeout: timeout)
    defer { turn.end() }
    try turn.write(bytes)
  }

  package static func update(
    _ path: String, limit: Int = 64 << 20, system: System, trace: Trace, timeout: Duration? = .seconds(30),
    guards: GroupGuards, _ change: (_ old: [UInt8]?) throws -> [UInt8]?
  ) throws {
    guard guards.g3 else {
      guard let new = try change(content(of: path, limit: limit, system: system)) else { return }
      return try writeInPlace(path, new, system: system, trace: trace)
    }
    let turn = try Replacement(.update, of: path, system: system, trace: trace, timeout: timeout)
    defer { turn.end() }
    if let new = try change(content(of: path, limit: limit, system: system)) { try turn.write(new) }
  }

  package static func append(
    _ bytes: [UInt8], to path: String, system: System, trace: Trace, timeout: Duration? = .seconds(30),
    guards: GroupGuards
  ) throws(GroupError) {
    guard guards.g3 else {
      let old = try content(of: path, limit: .max, system: system) ?? []
      return try writeInPlace(path, old + bytes, system: system, trace: trace)
    }
    let turn = try Replacement(.append, of: path, system: system, trace: trace, timeout: timeout)
    defer { turn.end() }
    try turn.writeOld(followedBy: bytes)
  }

  /// `nil`: there is no such file, which is not the same as "cannot be read".
  private static func content(of path: String, limit: Int, system: System) throws(GroupError) -> [UInt8]? {
    do {
      return try system.contents(of: path, limit: limit)
    } catch {
      switch error.code {
      case .noEntry: return nil
      case .fileTooLarge: throw .fileTooLarge(path: path, limit: limit)
      case .accessDenied, .notPermitted: throw .unreadableNow(path: path)
      default: throw GroupError(error, path: path)
      }
    }
  }

  /// What is customary, for the lab: the file is cut to nothing and written anew, under no lock and unsynced.
  private static func writeInPlace(
    _ path: String, _ bytes: [UInt8], system: System, trace: Trace
  ) throws(GroupError) {
    try onGroup(path) { () throws(SystemError) in
      let file = try system.open(path, [.write, .create, .truncate])
      try file.writeAll(bytes, at: 0)
    }
    trace.record(FileWritten(file: path.lastPathPart, bytes: Int64(bytes.count)))
  }
}
