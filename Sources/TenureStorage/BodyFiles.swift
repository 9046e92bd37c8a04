import TenureGroup
import TenureSystem

/// Files for what is too large for a row: complete and verified before anything refers to them (D5).
///
/// ```swift
/// let file = try await database.bodies.write(copying: "/tmp/film.mov")
/// try await database.write("add film") { try $0.connection.run("INSERT INTO film(body) VALUES (?)", .text(file.name)) }
/// ```
/// A body is written under a temporary name, read back, compared with what was asked for, synced and renamed to
/// a name that is never used again; then its folder is synced. So a row never names a file that is torn. Equal
/// content is not shared between writes.
///
/// Memory is flat: one mebibyte, whatever the size. The methods that are `async` work on a thread of their own;
/// the others block, and are for threads that may.
public final class BodyFiles: Sendable {
  /// The container's folder for bodies.
  public let directory: String
  let container: GroupContainer
  let lease: SharedLease
  /// The container whose bodies these are, when they are only looked at.
  private let original: GroupContainer?
  private let limit: Int64
  private let guards: StorageGuards
  let worker = WorkerThread(name: "tenure.bodies")

  init(
    container: GroupContainer, lease: SharedLease, limit: Int64, guards: StorageGuards,
    original: GroupContainer? = nil
  ) {
    self.container = container
    self.original = original
    self.lease = lease
    self.limit = limit
    self.guards = guards
    directory = (original ?? container).bodiesPath
  }

  private var system: System { container.system }

  // MARK: Writing

  /// Writes bytes into a new body file. When it returns the file is durable.
  public func write(_ bytes: [UInt8]) async throws -> BodyFile {
    try await worker.run { try self.writeNow(bytes).file }
  }

  /// Clones or copies a file into a new body file; the source stays as it is. When it returns the file is durable.
  ///
  /// A source that changes meanwhile gives the body as it was read: what is recorded is the digest of what was
  /// written.
  public func write(copying source: String) async throws -> BodyFile {
    try await worker.run { try self.writeNow(copying: source).file }
  }

  /// Blocking form of ``write(_:)``.
  package func writeNow(_ bytes: [UInt8]) throws(StorageError) -> WrittenBody {
    try make(size: Int64(bytes.count), of: "a new body") { (file) throws(SystemError) in
      let count = bytes.withUnsafeBytes { buffer in
        Result { () throws(SystemError) in try file.writeAll(buffer, at: 0) }
      }
      try count.get()
      return (Digest(of: bytes), Int64(bytes.count))
    }
  }

  /// Blocking form of ``write(copying:)``. Gives up with ``StorageError/interrupted`` when `isOver`, asked before each
  /// piece, says so; nothing stays behind.
  package func writeNow(
    copying source: String, until isOver: () -> Bool = { false }
  ) throws(StorageError) -> WrittenBody {
    let opened: OpenFile
    let status: FileStatus
    do throws(SystemError) {
      // Opening a pipe would wait for somebody who writes into it.
      if let kind = try system.status(source)?.kind, kind != .file {
        throw SystemError(.open, kind == .directory ? .isDirectory : .invalidArgument, path: source)
      }
      opened = try system.open(source, .read)
      status = try opened.status()
    } catch {
      throw StorageError(error)
    }
    return try make(size: status.size, of: source, until: isOver) { (file) throws(SystemError) in
      // A clone is digested as it lies in the new file; it cannot change any more.
      if try file.clone(from: opened) { return try Self.digest(of: file, until: isOver) }
      return try Self.copy(opened, to: file, limit: self.limit, until: isOver)
    }
  }

  private func make(
    size: Int64, of source: String, until isOver: () -> Bool = { false },
    _ fill: (OpenFile) throws(SystemError) -> (Digest, Int64)
  ) throws(StorageError) -> WrittenBody {
    if let original { throw .inspectedOnly(original: original.path) }
    if size > limit { throw .bodyTooLarge(path: source, size: size, bound: limit) }
    let name = try freshName()
    let path = directory.appendingPath(name)
    let temporary = guards.d5 ? path + Self.temporaryEnding : path
    do {
      let (digest, written, isVerified) = try fillAndVerify(temporary, until: isOver, fill)
      if guards.d5 { try system.rename(temporary, to: path) }
      if guards.d1 && guards.d5 { try system.syncDirectory(directory) }
      return WrittenBody(
        file: BodyFile(name: name, digest: digest.description, size: written), wasVerified: isVerified)
    } catch let error {
      // The name is never used again, so whatever cannot be removed now is swept later.
      _ = try? system.remove(temporary)
      if temporary != path { _ = try? system.remove(path) }
      if isOver() { throw .interrupted }
      throw (error as? StorageError) ?? (error as? SystemError).map { StorageError($0) } ?? .interrupted
    }
  }

  private func fillAndVerify(
    _ path: String, until isOver: () -> Bool, _ fill: (OpenFile) throws(SystemError) -> (Digest, Int64)
  ) throws -> (Digest, Int64, isVerified: Bool) {
    let file = try system.open(path, [.read, .write, .create, .exclusive])
    let (digest, size) = try fill(file)
    guard guards.d5 else { return (digest, size, false) }
    let (found, length) = try Self.digest(of: file, until: isOver)
    if found != digest || length != size {
      throw StorageError.bodyDamaged(
        path: path, detail: "\(length) bytes with digest \(found) were read back of \(size) with \(digest)")
    }
    if guards.d1 { try file.sync() }
    return (digest, size, true)
  }

  /// A name for one body: the lease it is made under tells a sweep whether its maker lives.
  private func freshName() throws(StorageError) -> String {
    let random = (0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    return try lease.taken().name + "\(Self.separator)" + random
  }

  static let temporaryEnding = ".part"
  static let separator: Character = "~"

  private static let pieceSize = 1 << 20

  private static func copy(
    _ source: OpenFile, to target: OpenFile, limit: Int64, until isOver: () -> Bool
  ) throws(SystemError) -> (Digest, Int64) {
    try inPieces(source, until: isOver) { (piece, offset) throws(SystemError) in
      // A source that grows while it is copied may pass the bound that its first size kept.
      if offset + Int64(piece.count) > limit { throw SystemError(.read, .fileTooLarge, path: source.path) }
      try target.writeAll(piece, at: offset)
    }
  }

  static func digest(
    of file: OpenFile, until isOver: () -> Bool = { false }
  ) throws(SystemError) -> (Digest, Int64) {
    try inPieces(file, until: isOver) { (_, _) throws(SystemError) in }
  }

  private static func inPieces(
    _ file: OpenFile, until isOver: () -> Bool,
    _ body: (UnsafeRawBufferPointer, Int64) throws(SystemError) -> Void
  ) throws(SystemError) -> (Digest, Int64) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 4096)
    defer { buffer.deallocate() }
    var hasher = DigestHasher()
    var offset: Int64 = 0
    while true {
      if isOver() { throw SystemError(.read, .interrupted, path: file.path) }
      let count = try file.read(into: buffer, at: offset)
      if count == 0 { break }
      let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      hasher.update(piece)
      try body(piece, offset)
      offset += Int64(count)
    }
    return (hasher.finish(), offset)
  }

  // MARK: Reading

  /// Opens a body inside the read transaction that found its name; the open file stays readable whatever is
  /// swept. `nil`: gone, because the row was replaced; read again on a new snapshot.
  public func open(_ name: String) throws(StorageError) -> OpenFile? {
    let path = directory.appendingPath(name)
    do {
      // Looked at first: opening a pipe in a body's place would wait for somebody who writes into it.
      guard let status = try system.status(path) else { return nil }
      if status.kind == .file { return try system.open(path, .read) }
    } catch {
      if error.code == .noEntry { return nil }
      throw StorageError(error)
    }
    throw .bodyDamaged(path: path, detail: "it is no file")
  }

  /// Gives a body a second name in this process's lease directory, where no sweep reaches it, and answers that
  /// path. `nil`: gone; read again on a new snapshot. Where bodies are only looked at it is a copy: a link would
  /// change the file's own record.
  public func link(_ name: String, as alias: String) throws(StorageError) -> String? {
    let path = try lease.taken().directory.appendingPath(alias)
    if original != nil { return try copy(name, to: path) }
    do {
      try system.link(directory.appendingPath(name), to: path)
      return path
    } catch {
      if error.code == .noEntry { return nil }
      throw StorageError(error)
    }
  }

  private func copy(_ name: String, to path: String) throws(StorageError) -> String? {
    guard let body = try open(name) else { return nil }
    do throws(SystemError) {
      _ = try Self.copy(
        body, to: try system.open(path, [.write, .create, .exclusive]), limit: .max, until: { false })
      return path
    } catch {
      _ = try? system.remove(path)
      throw StorageError(error)
    }
  }

  /// Reads a whole body and checks size and digest: what comes back is what was written, or an error.
  public func contents(of body: BodyFile, in file: OpenFile) throws(StorageError) -> [UInt8] {
    let bytes: [UInt8]
    do {
      let size = try file.status().size
      if size != body.size {
        throw StorageError.bodyDamaged(path: file.path, detail: "it has \(size) bytes of \(body.size)")
      }
      var content = [UInt8](repeating: 0, count: Int(size))
      let count = content.withUnsafeMutableBytes { buffer in
        Result { () throws(SystemError) in try file.read(into: buffer, at: 0) }
      }
      content.removeLast(content.count - (try count.get()))
      bytes = content
    } catch {
      throw (error as? StorageError) ?? (error as? SystemError).map { StorageError($0) } ?? .interrupted
    }
    let digest = Digest(of: bytes).description
    if digest != body.digest {
      throw .bodyDamaged(path: file.path, detail: "its digest is \(digest), not \(body.digest)")
    }
    return bytes
  }

  /// Checks a body without loading it.
  public func verify(_ body: BodyFile, in file: OpenFile) throws(StorageError) {
    try verify(body, in: file, until: { false })
  }

  /// The same, given up with ``StorageError/interrupted`` when `isOver`, asked before each piece, says so.
  package func verify(
    _ body: BodyFile, in file: OpenFile, until isOver: () -> Bool
  ) throws(StorageError) {
    do {
      let (digest, size) = try Self.digest(of: file, until: isOver)
      if digest.description == body.digest, size == body.size { return }
      throw StorageError.bodyDamaged(
        path: file.path,
        detail: "it has \(size) bytes with digest \(digest), not \(body.size) with \(body.digest)")
    } catch {
      if isOver() { throw .interrupted }
      throw (error as? StorageError) ?? (error as? SystemError).map { StorageError($0) } ?? .interrupted
    }
  }

  // MARK: Taking back

  /// Removes a body that certainly no row names: one whose transaction was refused. Never after a commit in
  /// doubt. What cannot be removed is swept later.
  public func discard(_ body: BodyFile) {
    if original != nil { return }
    _ = try? system.remove(directory.appendingPath(body.name))
  }

  func end() { worker.end() }
}
