import TenureGroup
import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureStorage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What is refused, and that it is left as it was.
@Suite("Bad input") struct BadInputTests {
  private func put(_ bytes: [UInt8], _ path: String) throws {
    let file = try System.live.open(path, [.write, .create, .truncate])
    let written = bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try file.writeAll(buffer, at: 0) }
    }
    try written.get()
  }

  private func everything(_ box: Box) throws -> [String: [UInt8]] {
    var content: [String: [UInt8]] = [:]
    for name in try System.live.list(box.path) where name.hasPrefix("tenure.sqlite") {
      content[name] = try System.live.contents(of: box.path.appendingPath(name), limit: 1 << 20)
    }
    return content
  }

  @Test("What is no database is refused and left as it was", arguments: [1, 50, 100, 5000])
  func notADatabase(size: Int) async throws {
    let box = try Box()
    try put(Array(repeating: UInt8(ascii: "x"), count: size), box.container.databasePath)
    let before = try everything(box)
    guard case .notADatabase = await failure({ try await box.open() }) else {
      Issue.record("refused by its own name")
      return
    }
    #expect(try everything(box) == before)
  }

  @Test(
    "Another program's database is refused without a byte written, not even beside it",
    arguments: ["DELETE", "WAL"])
  func foreign(journal: String) async throws {
    let box = try Box()
    do {
      let theirs = try SQLiteConnection(box.container.databasePath, .create)
      try theirs.run("PRAGMA journal_mode = \(journal)")
      try theirs.script("PRAGMA application_id = 7; CREATE TABLE theirs(x); INSERT INTO theirs VALUES (1)")
      _ = try theirs.query("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) }
    }
    for end in ["-wal", "-shm"] { try System.live.remove(box.container.databasePath + end) }
    let before = try everything(box)
    guard case .foreignDatabase(_, applicationID: 7) = await failure({ try await box.open() }) else {
      Issue.record("refused by its own name")
      return
    }
    #expect(try everything(box) == before)
  }

  @Test("A creation that a crash cut short is taken up again", arguments: [0, 4096])
  func halfMade(size: Int) async throws {
    let box = try Box()
    try put(Array(repeating: 0, count: size), box.container.databasePath)
    if size > 0 { try put([], box.container.databasePath + "-journal") }
    let error = await failure { try await box.open().close() }
    if size == 0 {
      #expect(error == nil)
    } else {
      // An empty journal rolls nothing back: zeros are no database, and stay where they are.
      #expect(error != nil)
      #expect(try System.live.status(box.container.databasePath)?.size == 4096)
    }
  }

  /// What can be left of a container whose database is gone.
  enum Remainder: CaseIterable { case body, reserve, trace, log }

  @Test(
    "A lost database is refused and not made anew, whatever is left of the container",
    arguments: Remainder.allCases, [nil, "", "log only"])
  func lost(remainder: Remainder, database: String?) async throws {
    let box = try Box()
    let path = box.container.databasePath
    let opened = try await box.open()
    if database == "log only" {
      // What is not copied back yet goes with the log; the file is ours still, and has no table.
      await opened.close()
      if remainder == .log { return }
    } else {
      try await opened.add("one")
      await opened.close()
      _ = try System.live.remove(path)
      if let database { try put(Array(database.utf8), path) }
    }
    if remainder != .log { _ = try System.live.remove(path + "-wal") }
    _ = try System.live.remove(path + "-shm")
    if remainder != .reserve { _ = try System.live.remove(box.container.reservePath) }
    switch remainder {
    case .body: try put([1], box.container.bodiesPath.appendingPath("gone~1"))
    case .trace:
      let file = try TraceFile.open(in: box.container.tracesPath, as: .current(role: "test"), name: "gone")
      Trace(to: file, as: .current(role: "test"))
        .record(DatabaseCommitted(first: 1, last: 1, edits: 1, writer: "test"))
    case .reserve, .log: break
    }
    let before = try everything(box).filter { !$0.key.hasSuffix("-shm") && !$0.value.isEmpty }
    let error = await failure { try await box.open().close() }
    guard case .databaseLost(_, let found) = error else {
      Issue.record("lost: \(String(describing: error))")
      return
    }
    #expect(found.count == 1)
    #expect("\(error!)".contains("move \(box.path) away"))
    #expect(try everything(box).filter { !$0.key.hasSuffix("-shm") && !$0.value.isEmpty } == before)
  }

  @Test("A creation cut short is taken up again beside a trace that tells of no commit")
  func halfMadeWithTrace() async throws {
    let box = try Box()
    let file = try TraceFile.open(in: box.container.tracesPath, as: .current(role: "test"), name: "early")
    let trace = Trace(to: file, as: .current(role: "test"))
    trace.record(BoundReached(what: "disk", size: 0, bound: 1, refused: true))
    try put([], box.container.databasePath)
    let database = try await box.open()
    try await database.add("one")
    await database.close()
  }

  @Test("A history number that cannot be followed is damage, not a trap", arguments: [Int64.max, -7])
  func sequenceAtTheEnd(last: Int64) async throws {
    let box = try Box()
    var database = try await box.open()
    await database.close()
    let outside = try box.outside()
    try outside.run("UPDATE tenure_state SET sequence = ?", .integer(last))
    database = try await box.open()
    let error = await failure { try await database.write("next") { try $0.nextSequence() } }
    guard case .corrupt(let failure) = error else {
      Issue.record("corrupt: \(String(describing: error))")
      return
    }
    #expect(failure.message.contains("\(last)"))
    await database.close()
  }

  @Test(
    "A directory in the place of one of the database's files is named",
    arguments: ["tenure.sqlite-wal", "tenure.sqlite-shm", "tenure.sqlite-journal", "reserve"])
  func directoryInPlace(name: String) async throws {
    let box = try Box()
    let path = box.path.appendingPath(name)
    try System.live.makeDirectories(path)
    #expect(await failure { try await box.open() } == .notAFile(path: path))
  }

  @Test("A table that is gone is named")
  func missingTable() async throws {
    let box = try Box()
    let database = try await box.open()
    try await database.write("break") { try $0.connection.run("DROP TABLE note") }
    guard case .tableMissing(let failure) = await failure({ try await database.titles }) else {
      Issue.record("a missing table has a name of its own")
      return
    }
    #expect(failure.message.contains("note"))
    await database.close()
  }

  @Test("A pipe in a body's place is damage, and waits for nobody")
  func pipe() async throws {
    let box = try Box()
    let database = try await box.open()
    let path = box.container.bodiesPath.appendingPath("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    #expect(throws: StorageError.bodyDamaged(path: path, detail: "it is no file")) {
      try database.bodies.open("pipe")
    }
    await #expect(throws: StorageError.self) { try await database.bodies.write(copying: path) }
    await database.close()
  }

  @Test("A directory in the database's place, and a container that went away")
  func wrongKind() async throws {
    let box = try Box()
    try System.live.makeDirectories(box.container.databasePath)
    guard case .notADatabase = await failure({ try await box.open() }) else {
      Issue.record("a directory is no database")
      return
    }
    Box.removeTree(box.path)
    let error = await failure { try await box.open() }
    switch error {
    case .missing, .group(.missingDirectory): break
    default: Issue.record("missing: \(String(describing: error))")
    }
  }

  @Test(
    "What cannot be read now is never taken for empty",
    arguments: [SystemCall.stat, .databaseOpen], [Errno.accessDenied, .notPermitted])
  func unreadable(call: SystemCall, code: Errno) async throws {
    let faults = try Faults()
    let box = try Box(system: faults.system)
    let database = try await box.open()
    try await database.add("kept")
    await database.close()
    let path = box.container.databasePath
    faults.start { $0.call == call && $0.path == path ? .fail(code) : .proceed }
    let error = await failure { try await box.open() }
    guard case .unreadableNow = error else {
      Issue.record("unreadable: \(String(describing: error))")
      return
    }
    #expect(error?.isRetryable == true)
    faults.stop()
    let again = try await box.open()
    #expect(try await again.titles == ["kept"])
    await again.close()
  }

  @Test("A read-only volume is named as such")
  func readOnly() async throws {
    let faults = try Faults()
    let box = try Box(system: faults.system)
    let path = box.container.databasePath
    faults.start { $0.call == .databaseOpen && $0.path == path ? .fail(.readOnlyFileSystem) : .proceed }
    let error = await failure { try await box.open() }
    guard case .readOnly = error else {
      Issue.record("read-only: \(String(describing: error))")
      return
    }
    #expect("\(error!)".contains("Choose a folder"))
  }

  @Test("A damaged database is said to be damaged")
  func corrupt() async throws {
    let box = try Box()
    let database = try await box.open()
    for number in 0..<200 { try await database.add("\(number)") }
    _ = try await database.errand { writer in
      try writer.underLock("test") { writer.checkpoint(try writer.opened(), 3, wait: 0) }
    }
    await database.close()
    let size = try #require(try System.live.status(box.container.databasePath)).size
    let file = try System.live.open(box.container.databasePath, .write)
    let noise = [UInt8](repeating: 0xAA, count: Int(size) - 4096)
    let written = noise.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try file.writeAll(buffer, at: 4096) }
    }
    try written.get()
    let error = await failure { try await box.open() }
    switch error {
    case .corrupt, .notADatabase: break
    default: Issue.record("damaged: \(String(describing: error))")
    }
  }

  @Test("Statements that are wrong say which and why")
  func wrongStatements() throws {
    let box = try Box()
    let connection = try SQLiteConnection(box.path.appendingPath("other.sqlite"), .create)
    for (sql, values) in [
      ("SELEC 1", []), ("SELECT ?", []), ("SELECT 1; SELECT 2", []), ("SELECT 1", [SQLiteValue.integer(1)]),
    ] {
      do {
        try connection.run(sql, values: values)
        Issue.record("accepted: \(sql)")
      } catch {
        #expect("\(error)".contains(sql))
      }
    }
    #expect(try connection.text("SELECT ?", .text("")) == "")
    #expect(try connection.first("SELECT ?", .blob([])) { $0.optionalBlob(0) } == .some([]))
    #expect(
      try connection.first("SELECT ?, ?", .blob([0, 255]), nil) { ($0.blob(0), $0.isNull(1)) }! == (
        [0, 255], true
      ))
  }
}
