import TenureSystem
import TenureTrace

/// One turn at replacing one file, from taking the lock to giving it back.
///
/// ```
/// lock ─▶ temporary file ─▶ write ─▶ sync ─▶ read back ─▶ rename ─▶ sync directory ─▶ unlock
///                 a failure up to here leaves the old content │ from here the new is seen
/// ```
/// The temporary name is always the same: writers take turns, so one that is there was left by a killed one.
struct Replacement {
  private static let chunk = 256 << 10

  private let operation: FileOperation
  private let path: String
  private let temporary: String
  private let system: System
  private let trace: Trace
  private let hold: GroupLock.Hold

  /// Waits for the turn.
  init(
    _ operation: FileOperation, of path: String, system: System, trace: Trace, timeout: Duration?
  ) throws(GroupError) {
    let folder = path.parentPath
    let name = path.lastPathPart
    let lock = GroupLock(path: folder.appendingPath(".\(name).lock"), system: system, trace: trace)
    self.operation = operation
    self.path = path
    self.temporary = folder.appendingPath(".\(name).new")
    self.system = system
    self.trace = trace
    self.hold = try lock.take(for: operation.rawValue, timeout: timeout)
  }

  /// Ends the turn.
  func end() { hold.end() }

  /// Puts new content in place.
  func write(_ bytes: [UInt8]) throws(GroupError) {
    try replace { file throws(SystemError) in
      try file.writeAll(bytes, at: 0)
      return (Digest(of: bytes), Int64(bytes.count))
    }
  }

  /// Puts the old content with something added in place.
  func writeOld(followedBy bytes: [UInt8]) throws(GroupError) {
    try replace { file throws(SystemError) in
      var hasher = DigestHasher()
      var size: Int64 = 0
      if let old = try opened(path) {
        let isCloned = try file.clone(from: old)
        size = try pieces(of: old) { piece, offset throws(SystemError) in
          hasher.update(piece)
          if !isCloned { try file.writeAll(piece, at: offset) }
        }
      }
      try file.writeAll(bytes, at: size)
      bytes.withUnsafeBytes { hasher.update($0) }
      return (hasher.finish(), size + Int64(bytes.count))
    }
  }

  private func replace(
    _ fill: (OpenFile) throws(SystemError) -> (digest: Digest, size: Int64)
  ) throws(GroupError) {
    let size: Int64
    do throws(GroupError) {
      size = try makeTemporary(fill)
      try onGroup(path) { () throws(SystemError) in try system.rename(temporary, to: path) }
    } catch {
      // When this fails, too, the next writer does it.
      _ = try? system.remove(temporary)
      throw error
    }
    var cause: SystemError?
    do throws(SystemError) {
      try system.syncDirectory(path.parentPath)
    } catch {
      cause = error
    }
    trace.record(
      FileReplaced(
        file: path.lastPathPart, operation: operation, bytes: size, verified: true, synced: cause == nil,
        locked: true))
    if let cause { throw .notDurable(path: path, cause: cause) }
  }

  /// A complete, synced and verified file under the temporary name; its size.
  private func makeTemporary(
    _ fill: (OpenFile) throws(SystemError) -> (digest: Digest, size: Int64)
  ) throws(GroupError) -> Int64 {
    let (expected, found, size) = try onGroup(path) { () throws(SystemError) in
      let old = try system.status(path)
      if old?.kind == .directory { throw SystemError(.open, .isDirectory, path: path) }
      let file = try createTemporary()
      if let old, old.permissions != 0o600 { try system.changeMode(temporary, permissions: old.permissions) }
      let (expected, size) = try fill(file)
      try file.sync()
      var hasher = DigestHasher()
      try pieces(of: file) { piece, _ in hasher.update(piece) }
      return (expected, hasher.finish(), size)
    }
    if expected != found { throw .notVerified(path: path) }
    return size
  }

  private func createTemporary() throws(SystemError) -> OpenFile {
    do {
      return try system.open(temporary, [.read, .write, .create, .exclusive])
    } catch {
      if error.code != .exists { throw error }
      try system.remove(temporary)
      return try system.open(temporary, [.read, .write, .create, .exclusive])
    }
  }

  private func opened(_ path: String) throws(SystemError) -> OpenFile? {
    do {
      return try system.open(path, .read)
    } catch {
      if error.code == .noEntry { return nil }
      throw error
    }
  }

  /// Goes through a file piece by piece; its size.
  @discardableResult
  private func pieces(
    of file: OpenFile, _ take: (UnsafeRawBufferPointer, Int64) throws(SystemError) -> Void
  ) throws(SystemError) -> Int64 {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 1)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while true {
      let count = try file.read(into: buffer, at: offset)
      if count > 0 { try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), offset) }
      offset += Int64(count)
      if count < buffer.count { return offset }
    }
  }
}
