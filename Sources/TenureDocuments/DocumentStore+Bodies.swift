import TenureStorage
import TenureSystem
import TenureTrace

extension DocumentStore {
  /// Makes an edit's body ready before the lock is taken: digested, and in a verified file of its own when it is
  /// large (D5).
  func prepare(_ edit: Edit) async throws -> PreparedBody {
    switch edit.body {
    case .deleted: return .deleted
    case .data(let data):
      try check(size: Int64(data.count), edit)
      if data.count <= options.inlineLimit {
        let bytes = Array(data)
        return PreparedBody(digest: Digest(of: bytes), size: Int64(bytes.count), inline: bytes)
      }
      let bodies = database.bodies
      return try await prepared(edit) { _ in try bodies.writeNow(Array(data)) }
    case .file(let url): return try await prepare(edit, path: url.path)
    }
  }

  /// A file that changes meanwhile is read once more, and then given up: never is a mixture of two contents taken.
  private func prepare(_ edit: Edit, path: String) async throws -> PreparedBody {
    do { return try await read(edit, path: path) } catch DocumentError.bodyChanged {
      return try await read(edit, path: path)
    }
  }

  private func read(_ edit: Edit, path: String) async throws -> PreparedBody {
    let (system, options, bodies) = (system, options, database.bodies)
    let before: FileStatus
    let small: PreparedBody?
    do {
      (before, small) = try await files.run {
        // Opening a pipe would wait for somebody who writes into it.
        if let kind = try system.status(path)?.kind, kind != .file { throw DocumentError.bodyNotAFile(path) }
        let file = try system.open(path, .read)
        let status = try file.status()
        guard status.kind == .file else { throw DocumentError.bodyNotAFile(path) }
        if status.size > Int64(options.inlineLimit) { return (status, nil) }
        return (status, try Self.inline(file, status, system))
      }
    } catch let error as SystemError {
      throw DocumentError.bodyUnreadable(error)
    }
    try check(size: before.size, edit)
    if let small { return small }
    return try await prepared(edit) { isCancelled in
      let body = try bodies.writeNow(copying: path, until: isCancelled)
      do {
        if before.mayHideChange(since: system.clock) {
          try bodies.verify(body.file, in: try system.open(path, .read), until: isCancelled)
        }
        // By name, so that a file put in its place counts as a change too.
        let after = try system.status(path)
        if after?.isSameContent(as: before) == true, body.file.size == before.size { return body }
      } catch StorageError.bodyDamaged {
        // Read again it is another.
      } catch {
        bodies.discard(body.file)
        throw error
      }
      bodies.discard(body.file)
      throw DocumentError.bodyChanged(path)
    }
  }

  private static func inline(
    _ file: OpenFile, _ status: FileStatus, _ system: System
  ) throws -> PreparedBody {
    let bytes = try contents(of: file, status)
    if status.mayHideChange(since: system.clock), try contents(of: file, status) != bytes {
      throw DocumentError.bodyChanged(file.path)
    }
    let after = try system.status(file.path)
    guard Int64(bytes.count) == status.size, after?.isSameContent(as: status) == true else {
      throw DocumentError.bodyChanged(file.path)
    }
    return PreparedBody(digest: Digest(of: bytes), size: status.size, inline: bytes)
  }

  /// One byte more than it should have, when it grew.
  private static func contents(of file: OpenFile, _ status: FileStatus) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(status.size) + 1)
    let read = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in try file.read(into: buffer, at: 0) }
    }
    bytes.removeLast(bytes.count - (try read.get()))
    return bytes
  }

  private func prepared(
    _ edit: Edit,
    _ write: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> WrittenBody
  ) async throws -> PreparedBody {
    let written: WrittenBody
    do {
      written = try await files.run(write)
    } catch StorageError.interrupted where Task.isCancelled {
      // Given up before it was queued: there is no commit whose outcome somebody could ask for.
      throw CancellationError()
    } catch let error as StorageError {
      throw DocumentError.storage(error)
    } catch let error as SystemError {
      throw DocumentError.bodyUnreadable(error)
    }
    let body = written.file
    trace.record(
      BodyWritten(
        document: edit.document.rawValue, change: edit.change.description, file: body.name, bytes: body.size,
        verified: written.wasVerified))
    guard let bytes = [UInt8](hexadecimal: body.digest), let digest = Digest(bytes: bytes) else {
      throw DocumentError.bodyDamaged(edit.document, version: edit.expected, detail: "its digest is not one")
    }
    return PreparedBody(digest: digest, size: body.size, file: body.name, wasVerified: written.wasVerified)
  }

  private func check(size: Int64, _ edit: Edit) throws(DocumentError) {
    if size <= options.bodyLimit { return }
    trace.record(
      BoundReached(
        what: "body", size: size, bound: options.bodyLimit, refused: true, inTheWay: edit.document.rawValue))
    throw .bodyTooLarge(size: size, limit: options.bodyLimit)
  }

  /// Takes away body files that no committed row names. One that cannot be removed now is swept later.
  func discard(_ names: [String]) async {
    if names.isEmpty { return }
    let bodies = database.bodies
    // The closure throws nothing; `run` can only pass on what it throws.
    try? await files.run {
      for name in names { bodies.discard(BodyFile(name: name, digest: "", size: 0)) }
    }
  }

  /// Lends a version's body as a file, without loading it: a hard link in this process's lease directory, where
  /// no purge reaches it, gone when `body` returns (X3). Verified before it is lent (D5). Do not write to it.
  ///
  /// `body` runs on a thread for files, not on Swift's cooperative pool.
  public func withBodyFile<Result: Sendable>(
    of document: DocumentID, version: Int64? = nil,
    _ body: @escaping @Sendable (Revision, URL) throws -> Result
  ) async throws -> Result {
    try document.validated()
    let lease = database.lease
    let alias = "lent-" + ChangeID().description
    let (revision, source) = try await locating(document, version) { bodies, name, _ in
      guard try bodies.link(name, as: alias) != nil, let file = try bodies.open(name) else { return nil }
      return .file(file)
    }
    let (system, bodies) = (system, database.bodies)
    return try await files.run {
      let path = try lease.taken().directory.appendingPath(alias)
      // What cannot be removed goes with the lease.
      defer { _ = try? system.remove(path) }
      switch source {
      case .inline(let bytes):
        try Self.verify(bytes, revision)
        let file = try system.open(path, [.write, .create, .exclusive])
        try bytes.withUnsafeBytes { buffer in
          Swift.Result { () throws(SystemError) in try file.writeAll(buffer, at: 0) }
        }.get()
      case .file(let file):
        do { try bodies.verify(revision.bodyFile, in: file) } catch {
          throw Self.damage(error, revision)
        }
      }
      return try body(revision, URL(fileURLWithPath: path))
    }
  }

  static func verify(_ bytes: [UInt8], _ revision: Revision) throws(DocumentError) {
    if Int64(bytes.count) != revision.size {
      throw .bodyDamaged(
        revision.document, version: revision.version,
        detail: "\(bytes.count) bytes where \(revision.size) were committed")
    }
    if Digest(of: bytes).description != revision.digest {
      throw .bodyDamaged(
        revision.document, version: revision.version, detail: "the bytes are not those that were committed")
    }
  }

  /// A damaged file said in terms of the document it belongs to.
  static func damage(_ error: any Error, _ revision: Revision) -> any Error {
    guard let error = error as? StorageError else { return error }
    if case .bodyDamaged(let path, let detail) = error {
      return DocumentError.bodyDamaged(
        revision.document, version: revision.version, detail: "\(path): \(detail)")
    }
    return DocumentError.storage(error)
  }

  /// A whole body file; verified unless guard D5 is taken away.
  static func contents(
    of revision: Revision, in file: OpenFile, _ bodies: BodyFiles, verified: Bool
  ) throws -> [UInt8] {
    if !verified {
      var bytes = [UInt8](repeating: 0, count: Int(try file.status().size))
      let count = bytes.withUnsafeMutableBytes { buffer in
        Result { () throws(SystemError) in try file.read(into: buffer, at: 0) }
      }
      bytes.removeLast(bytes.count - (try count.get()))
      return bytes
    }
    do { return try bodies.contents(of: revision.bodyFile, in: file) } catch {
      throw damage(error, revision)
    }
  }
}

extension Revision {
  var bodyFile: BodyFile { BodyFile(name: "", digest: digest, size: size) }
}

extension FileStatus {
  /// Whether a change from now on may leave the time of the last one as it is: file systems count time in steps of
  /// up to two seconds. Then only a second reading shows it.
  func mayHideChange(since clock: any SystemClock) -> Bool {
    max(modified, changed) > clock.wall - 2_000_000_000
  }

  /// Whether nothing shows that the file was written or replaced in between.
  func isSameContent(as other: FileStatus) -> Bool {
    isSameFile(as: other) && size == other.size && modified == other.modified && changed == other.changed
  }
}
