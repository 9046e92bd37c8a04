import TenureDocuments
import TenureStorage
import TenureSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The peer's database: made as a copy of ours, so that tables, indexes and page size are the same, and written
/// with the same statements.
struct RawSQLite: Sendable {
  static let name = "raw SQLite C API"

  let path: String
  /// WAL pages after which a commit checkpoints.
  var checkpointPages = 1000

  /// Copies our freshly made database to `path`.
  static func make(_ path: String, like ours: BenchmarkStore) throws -> RawSQLite {
    let source = try RawConnection(ours.database.container.databasePath, checkpointPages: 0)
    try source.execute("VACUUM INTO '\(path)'")
    return RawSQLite(path: path, checkpointPages: ours.checkpointPages)
  }

  func connect() throws -> RawConnection { try RawConnection(path, checkpointPages: checkpointPages) }

  /// Bytes of the WAL file.
  func logSize(plan: BenchmarkPlan) throws -> Int64 { try plan.system.status(path + "-wal")?.size ?? 0 }

  /// Commits until the WAL has the length at which it is copied back and begun anew.
  func fillLog(plan: BenchmarkPlan) throws {
    let writer = try RawWriter(self)
    while try logSize(plan: plan) < Int64(checkpointPages) * 4096 {
      _ = try writer.write("filling.md", clock: plan.system.clock) { _ in false }
    }
  }

  /// The rate of so many threads that share one connection and take turns at it, each commit on its own.
  ///
  /// A connection for each thread is the slower way: SQLite's writers wait for each other by sleeping for up to a
  /// tenth of a second, while a mutex wakes the next at once.
  func rate(writers: Int, seconds: Double, clock: any SystemClock) async throws -> Double {
    let shared = Monitor(try RawWriter(self))
    let counts = try await BenchmarkThreads.run(
      writers, prepare: { _ in },
      work: { number, _ in
        let document = "writer-\(number).md"
        let start = clock.monotonic
        let deadline = start + UInt64(seconds * 1e9)
        var body = BenchmarkBody()
        var count = 0
        repeat {
          body.number += 1
          let digest = Digest(of: body.bytes)
          let wall = clock.wall
          try shared.withLock { try $0.write(document, body.bytes, digest, wall: wall) }
          count += 1
        } while clock.monotonic < deadline
        return (count, start, clock.monotonic)
      })
    let start = counts.map(\.1).min() ?? 0
    let end = counts.map(\.2).max() ?? 0
    return Double(counts.map(\.0).reduce(0, +)) / (Double(end - start) / 1e9)
  }
}

/// One writer of the peer: a connection, and the five statements of a commit beside BEGIN and COMMIT.
final class RawWriter {
  private let connection: RawConnection
  private let begin, commit, state, look, insert, upsert, advance: RawStatement
  private let writer: Int64

  init(_ database: RawSQLite) throws {
    connection = try database.connect()
    begin = try connection.prepare("BEGIN IMMEDIATE")
    commit = try connection.prepare("COMMIT")
    state = try connection.prepare("SELECT generation, epoch, sequence FROM tenure_state")
    look = try connection.prepare(
      """
      SELECT (SELECT sequence FROM changes WHERE change = ?1), (SELECT version FROM documents WHERE id = ?2),
        EXISTS (SELECT 1 FROM drafts WHERE change = ?1), EXISTS (SELECT 1 FROM writers WHERE id = ?3)
      """)
    insert = try connection.prepare(
      "INSERT INTO changes(sequence, document, version, change, base, digest, size, inline, file, batch, wall, "
        + "writer) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    upsert = try connection.prepare(
      "INSERT INTO documents(id, version, sequence) VALUES (?, ?, ?) ON CONFLICT(id) DO UPDATE "
        + "SET version = excluded.version, sequence = excluded.sequence WHERE excluded.version > documents.version"
    )
    advance = try connection.prepare("UPDATE tenure_state SET sequence = ?")
    writer = .random(in: 1 ... .max)
    try connection.execute(
      "INSERT INTO writers(id, process, pid, bundle, role, app) VALUES (\(writer), 'peer', 1, 'peer', 'bench', '0')"
    )
  }

  /// Commits version after version of one document, at least one, as long as `goesOn` says so; it is told the
  /// nanoseconds each took.
  func write(_ document: String, clock: any SystemClock, goesOn: (_ nanoseconds: UInt64) -> Bool) throws
    -> Int
  {
    var body = BenchmarkBody()
    var count = 0
    var end = clock.monotonic
    var start = end
    repeat {
      start = end
      body.number += 1
      try write(document, body.bytes, Digest(of: body.bytes), wall: clock.wall)
      count += 1
      end = clock.monotonic
    } while goesOn(end - start)
    return count
  }

  /// Commits one version.
  func write(_ document: String, _ body: [UInt8], _ digest: Digest, wall: Int64) throws {
    // As unlikely to be met again as ours, and made for the index as ours are: the time first.
    var change = (UInt64(wall / 1_000_000).bigEndian << 16, UInt64.random(in: .min ... .max))
    var name = document
    try begin.run()
    do {
      try name.withUTF8 { name in
        try withUnsafeBytes(of: &change) { change in
          try digest.bytes.withUnsafeBytes { digest in
            try body.withUnsafeBytes { body in
              try write(
                UnsafeRawBufferPointer(name), change: change, digest: digest, body: body, wall: wall)
            }
          }
        }
      }
      try commit.run()
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
  }

  private func write(
    _ document: UnsafeRawBufferPointer, change: UnsafeRawBufferPointer, digest: UnsafeRawBufferPointer,
    body: UnsafeRawBufferPointer, wall: Int64
  ) throws {
    _ = try state.step()
    let sequence = state.integer(2) + 1
    state.reset()

    look.bind(1, blob: change)
    look.bind(2, text: document)
    look.bind(3, writer)
    _ = try look.step()
    let base = look.integer(1)
    look.reset()

    insert.bind(1, sequence)
    insert.bind(2, text: document)
    insert.bind(3, base + 1)
    insert.bind(4, blob: change)
    insert.bind(5, base)
    insert.bind(6, blob: digest)
    insert.bind(7, Int64(body.count))
    insert.bind(8, blob: body)
    insert.bind(9)
    insert.bind(10)
    insert.bind(11, wall)
    insert.bind(12, writer)
    try insert.run()

    upsert.bind(1, text: document)
    upsert.bind(2, base + 1)
    upsert.bind(3, sequence)
    try upsert.run()

    advance.bind(1, sequence)
    try advance.run()
  }
}

/// Reads a document's current row, with one statement: all that an observer of ours is told.
final class RawReader {
  private let connection: RawConnection
  private let select: RawStatement
  private let document: [UInt8]
  /// What was read last, as whoever asked for it would keep it.
  private var numbers: [Int64] = []
  private var texts: [[UInt8]] = []

  init(_ database: RawSQLite, of document: String) throws {
    connection = try database.connect()
    select = try connection.prepare(
      """
      SELECT c.version, c.sequence, c.base, c.size, c.wall, w.pid,
        c.document, c.change, c.digest, c.batch, w.process, w.bundle, w.role, w.app
      FROM documents d JOIN changes c ON c.sequence = d.sequence LEFT JOIN writers w ON w.id = c.writer
      WHERE d.id = ?
      """)
    self.document = Array(document.utf8)
  }

  func version() throws -> Int64 {
    try document.withUnsafeBytes { document in
      select.bind(1, text: document)
      defer { select.reset() }
      guard try select.step() else { return 0 }
      numbers = (0..<6).map(select.integer)
      texts = (6..<14).map(select.bytes)
      return numbers[0]
    }
  }
}
