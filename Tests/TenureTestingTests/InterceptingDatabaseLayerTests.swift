import CSQLite
import TenureSystem
import TenureTesting
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("A SQLite file layer that asks before each call")
struct InterceptingDatabaseLayerTests {
  @Test("A commit in WAL mode is seen as one write to the log and one sync, with the paths of the files")
  func seesCalls() throws {
    let folder = try Folder()
    defer { folder.remove() }
    let sites = Sites()
    let layer = try InterceptingDatabaseLayer(sites.calls { _ in .proceed })
    let database = try RawDatabase(folder.path + "/a.sqlite", layer: layer.name)
    try database.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(x); SELECT * FROM t")
    sites.forget()
    try database.run("INSERT INTO t VALUES (1)")
    let syncs = sites.all.filter { $0.call == .databaseSync }
    #expect(syncs.map(\.path) == [folder.path + "/a.sqlite-wal"])
    let writes = sites.all.filter { $0.call == .databaseWrite }
    #expect(writes.allSatisfy { $0.path == folder.path + "/a.sqlite-wal" })
    #expect(writes.contains { $0.bytes == 4096 })
    #expect(sites.all.contains { $0.call == .databaseSharedLock && $0.path == folder.path + "/a.sqlite-shm" })
  }

  @Test(
    "A failed call gives SQLite the result code of its own layer, and the errno",
    arguments: [
      Failing(.databaseOpen, .tooManyFiles, SQLITE_CANTOPEN, 14),
      Failing(.databaseRead, .inputOutput, SQLITE_IOERR, 266),
      Failing(.databaseWrite, .inputOutput, SQLITE_IOERR, 778),
      Failing(.databaseWrite, .noSpace, SQLITE_FULL, 13),
      Failing(.databaseSync, .inputOutput, SQLITE_IOERR, 1034),
      Failing(.databaseTruncate, .inputOutput, SQLITE_IOERR, 1546),
      Failing(.databaseDelete, .inputOutput, SQLITE_IOERR, 2570),
      Failing(.databaseLock, .inputOutput, SQLITE_IOERR, 3850),
      Failing(.databaseLock, .wouldBlock, SQLITE_BUSY, 5),
    ])
  func failures(_ failing: Failing) throws {
    let folder = try Folder()
    defer { folder.remove() }
    let path = folder.path + "/a.sqlite"
    try RawDatabase(path).run("CREATE TABLE t(x); INSERT INTO t VALUES (1)")
    let layer = try InterceptingDatabaseLayer(
      InterceptedCalls(PlatformCalls()) { $0.call == failing.call ? .fail(failing.errno) : .proceed })
    let error = #expect(throws: RawDatabase.Failure.self) {
      let database = try RawDatabase(path, layer: layer.name)
      let mode = failing.call == .databaseTruncate ? "TRUNCATE" : "DELETE"
      try database.run("PRAGMA journal_mode=\(mode); INSERT INTO t VALUES (2)")
    }
    #expect(error?.code == failing.code)
    #expect(error?.extended == failing.extended)
    // After the others SQLite makes more calls before it keeps the errno.
    if [.databaseOpen, .databaseRead].contains(failing.call) {
      #expect(error?.errno == failing.errno.rawValue)
    }
    #expect(try RawDatabase(path).column("SELECT x FROM t") == ["1"])
  }

  @Test(
    "Shared memory that cannot be locked or mapped is an error, and nothing stays locked",
    arguments: [
      Failing(.databaseSharedLock, .inputOutput, SQLITE_IOERR, 5130),
      Failing(.databaseSharedMap, .inputOutput, SQLITE_IOERR, 5386),
    ])
  func sharedMemory(_ failing: Failing) throws {
    let folder = try Folder()
    defer { folder.remove() }
    let path = folder.path + "/a.sqlite"
    let peer = try RawDatabase(path)
    try peer.run("PRAGMA journal_mode=WAL; CREATE TABLE t(x)")
    let layer = try InterceptingDatabaseLayer(
      InterceptedCalls(PlatformCalls()) {
        $0.call == failing.call ? .failAfter(failing.errno) : .proceed
      })
    let database = try RawDatabase(path, layer: layer.name)
    let error = #expect(throws: RawDatabase.Failure.self) { try database.run("INSERT INTO t VALUES (2)") }
    #expect(error?.code == failing.code)
    #expect(error?.extended == failing.extended)
    try peer.run("INSERT INTO t VALUES (3)")
    #expect(try peer.column("SELECT x FROM t") == ["3"])
  }

  @Test("A write cut short leaves its first bytes in the file and says that the disk is full")
  func shortWrite() throws {
    let folder = try Folder()
    defer { folder.remove() }
    let path = folder.path + "/a.sqlite"
    let sites = Sites()
    let armed = Lock(false)
    let layer = try InterceptingDatabaseLayer(
      sites.calls {
        $0.call == .databaseWrite && $0.bytes == 4096 && armed.withLock { $0 } ? .short(100) : .proceed
      })
    let database = try RawDatabase(path, layer: layer.name)
    try database.run("PRAGMA journal_mode=WAL; CREATE TABLE t(x)")
    armed.withLock { $0 = true }
    let before = try #require(try System.live.status(path + "-wal")).size
    let error = #expect(throws: RawDatabase.Failure.self) { try database.run("INSERT INTO t VALUES (1)") }
    #expect(error?.code == SQLITE_FULL)
    // A frame is a header of 24 bytes and a page.
    #expect(try #require(try System.live.status(path + "-wal")).size == before + 24 + 100)
    armed.withLock { $0 = false }
    try database.run("INSERT INTO t VALUES (2)")
    #expect(try database.column("SELECT x FROM t") == ["2"])
  }

  @Test(
    "A sync that is made and then said to have failed leaves the commit in doubt: absent now, there later")
  func inDoubt() throws {
    let folder = try Folder()
    defer { folder.remove() }
    let path = folder.path + "/a.sqlite"
    let armed = Lock(false)
    let layer = try InterceptingDatabaseLayer(
      InterceptedCalls(PlatformCalls()) {
        $0.call == .databaseSync && armed.withLock { $0 } ? .failAfter(.inputOutput) : .proceed
      })
    let database = try RawDatabase(path, layer: layer.name)
    try database.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(x)")
    armed.withLock { $0 = true }
    #expect(throws: RawDatabase.Failure.self) { try database.run("INSERT INTO t VALUES (1)") }
    #expect(try database.column("SELECT x FROM t") == [])
    // What the next process finds after this one was killed: the files as they are, without the shared memory.
    let copy = folder.path + "/copy.sqlite"
    for suffix in ["", "-wal"] {
      let bytes = try System.live.contents(of: path + suffix, limit: 1 << 20)
      let file = try System.live.open(copy + suffix, [.write, .create])
      try bytes.withUnsafeBytes { bytes in
        Result { () throws(SystemError) in try file.writeAll(bytes) }
      }.get()
    }
    #expect(try RawDatabase(copy).column("SELECT x FROM t") == ["1"])
  }

  @Test("Layers stack, every one is asked, and each has a name of its own")
  func stacking() throws {
    let folder = try Folder()
    defer { folder.remove() }
    let lower = InterceptedCalls(PlatformCalls()) { _ in .proceed }
    let upper = InterceptedCalls(PlatformCalls()) { _ in .proceed }
    let under = try InterceptingDatabaseLayer(lower)
    let over = try InterceptingDatabaseLayer(upper, over: under.name)
    #expect(under.name != over.name)
    try RawDatabase(folder.path + "/a.sqlite", layer: over.name).run("CREATE TABLE t(x)")
    #expect(lower.counts == upper.counts)
    #expect(lower.counts[.databaseSync, default: 0] > 0)
  }

  @Test("After the layer is released open databases go on and new ones are refused")
  func release() throws {
    let folder = try Folder()
    defer { folder.remove() }
    var layer: InterceptingDatabaseLayer? = try InterceptingDatabaseLayer(
      InterceptedCalls(PlatformCalls()) { _ in .proceed })
    let name = try #require(layer?.name)
    let database = try RawDatabase(folder.path + "/a.sqlite", layer: name)
    try database.run("PRAGMA journal_mode=WAL; CREATE TABLE t(x)")
    layer = nil
    try database.run("INSERT INTO t VALUES (1)")
    #expect(throws: RawDatabase.Failure.self) { try RawDatabase(folder.path + "/b.sqlite", layer: name) }
    #expect(throws: InterceptingDatabaseLayer.Failure.noSuchLayer(name)) {
      try InterceptingDatabaseLayer(InterceptedCalls(PlatformCalls()) { _ in .proceed }, over: name)
    }
  }
}

struct Failing: Sendable, CustomTestStringConvertible {
  let call: SystemCall
  let errno: Errno
  let code: Int32
  let extended: Int32

  init(_ call: SystemCall, _ errno: Errno, _ code: Int32, _ extended: Int32) {
    self.call = call
    self.errno = errno
    self.code = code
    self.extended = extended
  }

  var testDescription: String { "\(call.rawValue): \(errno)" }
}

/// The calls a layer asked about.
private final class Sites: Sendable {
  private let seen = Lock([InterceptedCalls.Site]())

  var all: [InterceptedCalls.Site] { seen.withLock { $0 } }

  func forget() { seen.withLock { $0 = [] } }

  func calls(_ decide: @escaping @Sendable (InterceptedCalls.Site) -> InterceptedCalls.Effect)
    -> InterceptedCalls
  {
    InterceptedCalls(PlatformCalls()) { site in
      self.seen.withLock { $0.append(site) }
      return decide(site)
    }
  }
}

/// A directory of the test's own.
private struct Folder {
  let path: String

  init() throws {
    var template = Array("/tmp/tenure-layer-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
    if !made { throw Errno.current }
    path = template.withUnsafeBufferPointer {
      String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  func remove() {
    for name in (try? System.live.list(path)) ?? [] { _ = try? System.live.remove(path + "/" + name) }
    try? System.live.removeDirectory(path)
  }
}
