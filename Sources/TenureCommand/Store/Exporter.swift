import Tenure
import TenureSystem

/// Writes documents as files.
struct Exporter: Sendable {
  let target: String
  let replaces: Bool
  /// Folders in which nothing may be written.
  let untouched: [String]

  enum Result: Sendable {
    case written, unchanged
    case refused(String)
  }

  /// The untouched folder that a path lies in, by what folders are and not by how they are spelled; the path itself
  /// need not exist.
  func untouchedFolder(above path: String, _ system: System) throws(SystemError) -> String? {
    guard var folder = try Self.nearest(to: path, system) else { return nil }
    var outer: [(folder: String, status: FileStatus)] = []
    for path in untouched { if let status = try system.status(path) { outer.append((path, status)) } }
    // `..` climbs through links and names alike; the root is its own parent.
    while let status = try system.status(folder) {
      if let found = outer.first(where: { $0.status.isSame(as: status) }) { return found.folder }
      let parent = folder.appendingPath("..")
      guard let above = try system.status(parent), !above.isSame(as: status) else { return nil }
      folder = parent
    }
    return nil
  }

  /// The path, or the folder nearest above it that exists.
  private static func nearest(to path: String, _ system: System) throws(SystemError) -> String? {
    var path = path
    while true {
      do {
        if try system.status(path)?.kind == .directory { return path }
      } catch  where error.code == .notDirectory || error.code == .nameTooLong {}
      let above = path.parentPath
      if above == path { return nil }
      path = above
    }
  }

  /// Writes one document. What is wrong with this one is `refused`; thrown is what the next one would meet as well.
  func export(_ revision: Revision, from workspace: Workspace) async throws -> Result {
    let path = target.appendingPath(revision.document.rawValue)
    let (system, trace) = (workspace.container.system, workspace.trace)
    do {
      return try await workspace.documents.withBodyFile(of: revision.document, version: revision.version) {
        _, url in try write(url.path, revision, to: path, system, trace)
      }
    } catch let error as SystemError where error.code != .noSpace && error.code != .quotaExceeded {
      return .refused("\(error)")
    } catch let error as DocumentError {
      // Purged or deleted meanwhile, or damaged.
      if case .storage = error { throw error }
      return .refused("\(error)")
    }
  }

  private func write(
    _ body: String, _ revision: Revision, to path: String, _ system: System, _ trace: Trace
  ) throws -> Result {
    // A link on the way may lead anywhere.
    if let folder = try untouchedFolder(above: path.parentPath, system) {
      return .refused("its folder lies in \(folder), which is never written to")
    }
    if let status = try system.status(path) {
      guard status.kind == .file else { return .refused("something that is not a file has that name") }
      if status.size == revision.size, try Self.digest(of: path, system) == revision.digest {
        return .unchanged
      }
      if !replaces { return .refused("a file of other content is there (--replace)") }
    }
    try system.makeDirectories(path.parentPath, permissions: 0o755)
    try Self.copy(body, to: path, system, trace)
    return .written
  }

  private static func digest(of path: String, _ system: System) throws -> String {
    var hasher = DigestHasher()
    try pieces(of: path, system) { bytes throws(SystemError) in hasher.update(bytes) }
    return hasher.finish().description
  }

  /// Copies beside the target and gives it the name when it is whole and on the disk.
  private static func copy(_ from: String, to path: String, _ system: System, _ trace: Trace) throws {
    // Short whatever the document's own name is, which may be as long as names can be.
    let beside = path.parentPath.appendingPath(".tenure-\(ChangeID())")
    let file = try system.open(beside, [.write, .create, .exclusive], permissions: 0o644)
    do {
      try pieces(of: from, system) { bytes throws(SystemError) in try file.writeAll(bytes) }
      try file.sync()
      try system.rename(beside, to: path)
    } catch {
      _ = try? system.remove(beside)
      throw error
    }
    try system.syncDirectory(path.parentPath)
  }

  private static func pieces(
    of path: String, _ system: System, _ take: (UnsafeRawBufferPointer) throws(SystemError) -> Void
  ) throws(SystemError) {
    let file = try system.open(path, .read)
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    var offset: Int64 = 0
    while true {
      let read = chunk.withUnsafeMutableBytes { buffer in
        Swift.Result { () throws(SystemError) in try file.read(into: buffer, at: offset) }
      }
      let count = try read.get()
      if count == 0 { return }
      let taken = chunk.withUnsafeBytes { bytes in
        Swift.Result { () throws(SystemError) in try take(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
      }
      try taken.get()
      offset += Int64(count)
    }
  }
}

extension FileStatus {
  /// Whether both are the same file or folder.
  fileprivate func isSame(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}
