import CSQLite
import TenureGroup
import TenureSystem

/// A private copy of a container's database, for one that must not be touched (protocol point 12).
///
/// SQLite cannot look without leaving something: a read-only connection makes a `-shm`, and an `immutable` one
/// ignores the log. So database and log are copied into a folder of this process's own, and the copy is opened.
/// Bodies stay where they are: one that has its name is never written again, and reading it leaves nothing.
///
/// Order makes the copy whole also while others commit: the database first, then the log. A page that a checkpoint
/// brought into the database meanwhile is in the log still, unless the log was started anew, which its head tells;
/// then the copying begins again.
final class Inspection: Sendable {
  /// The container that is looked at.
  let original: GroupContainer
  private let folder: TransientFolder
  /// The copy's folder.
  var path: String { folder.path }

  private static let prefix = "tenure-inspection-"
  private static let attempts = 8
  private static let pieceSize = 1 << 20

  /// Copies what is in `file`'s container, unless `stop` is raised in between. Blocks; nothing is left behind by
  /// what it throws.
  init(of file: DatabaseFile, in place: String, stop: StopFlag) throws(StorageError) {
    guard try file.inspect() else { throw .missing(path: file.path) }
    original = file.container
    let system = file.container.system
    do throws(SystemError) {
      folder = try TransientFolder.make(in: place, prefix: Self.prefix, system: system)
    } catch {
      throw error.isFull
        ? .noRoomForCopy(of: file.container.path, folder: place, bytes: Self.size(of: file))
        : StorageError(error)
    }
    do throws(StorageError) {
      try copy(file, stop)
    } catch {
      folder.end()
      throw error
    }
  }

  /// Removes the copy. A second call does nothing.
  func end() { folder.end() }

  private static let logs = ["-wal", "-journal"]

  private static func size(of file: DatabaseFile) -> Int64 {
    ([""] + logs).reduce(0) { sum, end in
      let size = (try? file.container.system.status(file.path + end))??.size ?? 0
      return sum.addingReportingOverflow(size).partialValue
    }
  }

  private func copy(_ file: DatabaseFile, _ stop: StopFlag) throws(StorageError) {
    for _ in 0..<Self.attempts {
      let before = try Marks(of: file)
      guard try copyDatabase(file, stop) else { continue }
      for end in Self.logs { try copyLog(file, end, stop) }
      if try Marks(of: file) == before { return }
    }
    throw .busy(
      SQLiteFailure(
        code: SQLITE_BUSY, message: "its log started anew \(Self.attempts) times while it was copied",
        sql: nil,
        path: file.path))
  }

  /// `false`: the file became shorter meanwhile.
  private func copyDatabase(_ file: DatabaseFile, _ stop: StopFlag) throws(StorageError) -> Bool {
    let source = try LayerFile(file.path, layer: original.system.databaseLayer)
    let size = try source.size()
    let target = try make(file.path.lastPathPart, of: file)
    var isWhole = true
    try copy(to: target, of: file, stop) { (buffer, offset) throws(StorageError) in
      let piece = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<Int(min(size - offset, Int64(buffer.count)))])
      if piece.isEmpty { return 0 }
      isWhole = try source.read(into: piece, at: offset)
      return isWhole ? piece.count : 0
    }
    return isWhole
  }

  /// Copies a log, or removes what an earlier try copied of one that is gone.
  private func copyLog(_ file: DatabaseFile, _ end: String, _ stop: StopFlag) throws(StorageError) {
    let name = file.path.lastPathPart + end
    let source: OpenFile
    do throws(SystemError) {
      guard try original.system.status(file.path + end) != nil else {
        try original.system.remove(path.appendingPath(name))
        return
      }
      source = try original.system.open(file.path + end, .read)
    } catch {
      throw StorageError(error)
    }
    let target = try make(name, of: file)
    try copy(to: target, of: file, stop) { (buffer, offset) throws(StorageError) in
      do throws(SystemError) { return try source.read(into: buffer, at: offset) } catch {
        throw StorageError(error)
      }
    }
  }

  /// Copies in pieces what `read` puts into a buffer from an offset on, until it puts nothing there.
  private func copy(
    to target: OpenFile, of file: DatabaseFile, _ stop: StopFlag,
    _ read: (UnsafeMutableRawBufferPointer, Int64) throws(StorageError) -> Int
  ) throws(StorageError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 4096)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while true {
      if stop.isRaised { throw .interrupted }
      let count = try read(buffer, offset)
      if count == 0 { return }
      let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      try onCopy(file) { () throws(SystemError) in try target.writeAll(piece, at: offset) }
      offset += Int64(count)
    }
  }

  private func make(_ name: String, of file: DatabaseFile) throws(StorageError) -> OpenFile {
    try onCopy(file) { () throws(SystemError) in
      try original.system.open(path.appendingPath(name), [.write, .create, .truncate])
    }
  }

  private func onCopy<Result>(
    _ file: DatabaseFile, _ body: () throws(SystemError) -> Result
  ) throws(StorageError) -> Result {
    do throws(SystemError) { return try body() } catch {
      throw error.isFull
        ? .noRoomForCopy(of: original.path, folder: path.parentPath, bytes: Self.size(of: file))
        : StorageError(error)
    }
  }

  /// What differs when the log was started anew, or the database replaced.
  private struct Marks: Equatable {
    var heads: [[UInt8]] = []
    var database: FileStatus?

    init(of file: DatabaseFile) throws(StorageError) {
      do throws(SystemError) {
        let system = file.container.system
        database = try system.status(file.path)
        for end in Inspection.logs { heads.append(try Self.head(of: file.path + end, system)) }
        if heads.contains(where: { !$0.isEmpty }) {
          // What is copied back meanwhile is in the log still. Without one, nobody may write at all: another
          // program's last connection takes the log away.
          database?.size = 0
          database?.modified = 0
        }
      } catch {
        throw StorageError(error)
      }
    }

    /// A log's head holds numbers that are drawn each time it starts anew.
    private static func head(of path: String, _ system: System) throws(SystemError) -> [UInt8] {
      if try system.status(path) == nil { return [] }
      let file = try system.open(path, .read)
      var head = [UInt8](repeating: 0, count: 32)
      let count = head.withUnsafeMutableBytes { bytes in
        Result { () throws(SystemError) in try file.read(into: bytes, at: 0) }
      }
      return Array(head.prefix(try count.get()))
    }
  }
}

extension SystemError {
  fileprivate var isFull: Bool { code == .noSpace || code == .quotaExceeded }
}
