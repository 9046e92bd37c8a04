import CSQLite
import TenureSystem
import TenureTesting
import Testing

@Suite("SQLite on a file system that forgets what was not synced")
struct CrashFileSystemDatabaseTests {
  private func rows(_ cut: CrashFileSystem.Cut) throws -> [String] {
    if try cut.survivor.system.status("/notes.sqlite") == nil { return [] }
    let database = try RawDatabase("/notes.sqlite", layer: cut.survivor.system.databaseLayer)
    let problems = try database.column("PRAGMA integrity_check")
    #expect(problems == ["ok"], "\(cut)")
    if try database.column("SELECT name FROM sqlite_master").isEmpty { return [] }
    return try database.column("SELECT x FROM t ORDER BY x")
  }

  /// Commits twelve rows with a checkpoint between, and says so after each.
  private func session(_ setup: String) throws -> CrashFileSystem.Recording {
    let disk = CrashFileSystem()
    let database = try RawDatabase("/notes.sqlite", layer: disk.system.databaseLayer)
    try database.run("\(setup); CREATE TABLE t(x INTEGER PRIMARY KEY, y)")
    for row in 1...12 {
      try database.run("INSERT INTO t VALUES (\(row), zeroblob(\(row % 3 == 0 ? 9000 : 20)))")
      disk.acknowledge("\(row)")
      if row == 6 { try database.run("PRAGMA wal_checkpoint(RESTART)") }
      if row == 9 { try database.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    }
    return disk.recording
  }

  private func cuts(_ recording: CrashFileSystem.Recording, _ plan: CutPlan) throws -> (lost: Int, cuts: Int)
  {
    var lost = 0
    var cuts = 0
    try CrashFileSystem.everyCut(of: recording, plan) { cut in
      cuts += 1
      if !Set(try rows(cut)).isSuperset(of: cut.acknowledged) { lost += 1 }
    }
    return (lost, cuts)
  }

  @Test(
    "With synchronous=FULL no acknowledged row is lost by any cut and the database is whole",
    arguments: ["PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL", "PRAGMA synchronous=FULL"],
    [CutPlan.Names.perDirectory, .journalled])
  func full(_ setup: String, _ names: CutPlan.Names) throws {
    // In rollback mode the end of a transaction is taking the journal's name away, which FULL does not sync.
    let setup = setup.contains("WAL") ? setup : "PRAGMA synchronous=EXTRA"
    let result = try cuts(try session(setup), CutPlan(policies: CutPolicy.standard(seeds: 3), names: names))
    #expect(result.lost == 0)
    #expect(result.cuts > 300)
  }

  @Test("With synchronous=NORMAL acknowledged rows are lost, and the database is still whole")
  func normal() throws {
    let recording = try session("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL")
    let result = try cuts(recording, CutPlan(policies: CutPolicy.standard(seeds: 3)))
    #expect(result.lost > 0)
  }

  @Test("Without the sync of the directory a new database loses everything it acknowledged")
  func directory() throws {
    let recording = try session("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
    var lost = 0
    CrashFileSystem.everyCut(of: recording, CutPlan(ignoring: .directories)) { cut in
      // A log that vanished beside a half-written database leaves one that SQLite calls malformed: lost as well.
      let found = try? rows(cut)
      if let found, Set(found).isSuperset(of: cut.acknowledged) { return }
      lost += 1
    }
    #expect(lost > 0)
  }

  @Test("Cutting between any two changes of a commit, and recovering under a second cut, loses nothing")
  func twice() throws {
    let disk = CrashFileSystem()
    let database = try RawDatabase("/notes.sqlite", layer: disk.system.databaseLayer)
    try database.run(
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(x); PRAGMA wal_checkpoint")
    let start = disk.position
    try database.run("INSERT INTO t VALUES (1)")
    disk.acknowledge("1")
    try database.run("INSERT INTO t VALUES (2)")
    let plan = CutPlan(at: .changes, from: start, policies: CutPolicy.standard(seeds: 1))
    try CrashFileSystem.everyCut(of: disk.recording, plan) { cut in
      let found = try rows(cut)
      #expect(Set(found).isSuperset(of: cut.acknowledged), "\(cut)")
      // Opening recovered, closing checkpointed: cut that as well.
      let again = CutPlan(policies: CutPolicy.standard(seeds: 1))
      try CrashFileSystem.everyCut(of: cut.survivor.recording, again) { second in
        let foundAgain = try rows(second)
        #expect(foundAgain == found, "\(cut), then \(second)")
      }
    }
  }

  @Test("Connections of several threads and processes share the log, its index and its locks")
  func sharing() throws {
    let disk = CrashFileSystem()
    let setup = try RawDatabase("/notes.sqlite", layer: disk.system.databaseLayer)
    try setup.run("PRAGMA journal_mode=WAL; CREATE TABLE t(x)")
    let writers = 4
    let done = Monitor((ended: 0, errors: [String]()))
    for writer in 0..<writers {
      let process = disk.process("writer \(writer)")
      try SystemThread.start(name: "writer") {
        var failure: String?
        do {
          let database = try RawDatabase("/notes.sqlite", layer: process.databaseLayer)
          try database.run("PRAGMA busy_timeout=20000; PRAGMA synchronous=FULL")
          for row in 0..<25 { try database.run("INSERT INTO t VALUES (\(writer * 25 + row))") }
        } catch { failure = "\(error)" }
        done.change { state in
          state.ended += 1
          if let failure { state.errors.append(failure) }
        }
      }
    }
    let errors = done.wait { $0.ended == writers ? $0.errors : nil }
    #expect(errors == [])
    #expect(try setup.column("SELECT count(*) FROM t") == ["100"])
    #expect(try setup.column("PRAGMA integrity_check") == ["ok"])
  }

  @Test("An open transaction blocks the writer of another process, and a reader keeps its snapshot")
  func locking() throws {
    let disk = CrashFileSystem()
    let one = try RawDatabase("/notes.sqlite", layer: disk.system.databaseLayer)
    try one.run("PRAGMA journal_mode=WAL; CREATE TABLE t(x)")
    let peer = disk.process("peer")
    let two = try RawDatabase("/notes.sqlite", layer: peer.databaseLayer)
    try two.run("BEGIN")
    #expect(try two.column("SELECT x FROM t") == [])
    try one.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    let three = try RawDatabase("/notes.sqlite", layer: peer.databaseLayer)
    #expect(throws: RawDatabase.Failure.self) { try three.run("BEGIN IMMEDIATE") }
    try one.run("COMMIT")
    #expect(try two.column("SELECT x FROM t") == [])
    #expect(try three.column("SELECT x FROM t") == ["1"])
  }

  @Test("A process killed in a transaction leaves no lock behind and nothing of what it had not committed")
  func killed() throws {
    let disk = CrashFileSystem()
    let peer = try RawDatabase("/notes.sqlite", layer: disk.system.databaseLayer)
    try peer.run("PRAGMA journal_mode=WAL; CREATE TABLE t(x)")
    let app = disk.process("app")
    let database = try RawDatabase("/notes.sqlite", layer: app.databaseLayer)
    try database.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    #expect(throws: RawDatabase.Failure.self) { try peer.run("INSERT INTO t VALUES (2)") }
    app.kill()
    try peer.run("INSERT INTO t VALUES (3)")
    #expect(throws: RawDatabase.Failure.self) { try database.run("COMMIT") }
    #expect(try peer.column("SELECT x FROM t") == ["3"])
  }

  /// A process that died after the sync of its commit and before it told the others by the index of the log.
  private func ghost() throws -> (
    disk: CrashFileSystem, dead: RawDatabase, peer: RawDatabase, process: CrashFileSystem.Process
  ) {
    let disk = CrashFileSystem()
    let process = disk.process("peer")
    let peer = try RawDatabase("/notes.sqlite", layer: process.databaseLayer)
    try peer.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(x)")
    let armed = Lock(false)
    let app = disk.process("app") { moment in
      moment.call == .databaseSync && moment.isAfter && armed.withLock { $0 }
    }
    let dead = try RawDatabase("/notes.sqlite", layer: app.databaseLayer)
    try dead.run("PRAGMA synchronous=FULL")
    armed.withLock { $0 = true }
    #expect(throws: RawDatabase.Failure.self) { try dead.run("INSERT INTO t VALUES (1)") }
    #expect(app.isDead)
    return (disk, dead, peer, process)
  }

  @Test("A ghost commit is absent for a live peer and present for the next opener")
  func ghostReturns() throws {
    let (disk, dead, peer, process) = try ghost()
    #expect(try peer.column("SELECT x FROM t") == [])
    process.kill()
    let next = try RawDatabase("/notes.sqlite", layer: disk.process("next").databaseLayer)
    #expect(try next.column("SELECT x FROM t") == ["1"])
    withExtendedLifetime(dead) {}
  }

  @Test("A ghost commit is gone for ever once a live peer has written")
  func ghostGoes() throws {
    let (disk, dead, peer, process) = try ghost()
    try peer.run("INSERT INTO t VALUES (2)")
    process.kill()
    let next = try RawDatabase("/notes.sqlite", layer: disk.process("next").databaseLayer)
    #expect(try next.column("SELECT x FROM t") == ["2"])
    withExtendedLifetime(dead) {}
  }

  @Test("An intercepting layer works over a process of the disk")
  func intercepted() throws {
    let disk = CrashFileSystem()
    let armed = Lock(false)
    let calls = InterceptedCalls(disk.system.calls) { site in
      site.call == .databaseSync && armed.withLock { $0 } ? .fail(.inputOutput) : .proceed
    }
    let layer = try InterceptingDatabaseLayer(calls, over: disk.system.databaseLayer)
    let database = try RawDatabase("/notes.sqlite", layer: layer.name)
    try database.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(x)")
    armed.withLock { $0 = true }
    #expect(throws: RawDatabase.Failure.self) { try database.run("INSERT INTO t VALUES (1)") }
    armed.withLock { $0 = false }
    try database.run("INSERT INTO t VALUES (2)")
    #expect(try database.column("SELECT x FROM t") == ["2"])
  }
}
