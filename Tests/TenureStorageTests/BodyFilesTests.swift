import TenureGroup
import TenureSystem
import TenureTesting
import Testing

@testable import TenureStorage

/// Points 4, 6 and 7 of the storage protocol: D5.
@Suite("Body files") struct BodyFilesTests {
  private static let films = Component(name: "films", version: 1) { connection, _ in
    try connection.script("CREATE TABLE film(body TEXT)")
  }

  private static func isNamed(_ connection: SQLiteConnection, _ names: [String]) throws -> Set<String> {
    Set(names).intersection(try connection.query("SELECT body FROM film") { $0.text(0) })
  }

  private static let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

  private func put(_ bytes: [UInt8], _ path: String) throws {
    let file = try System.live.open(path, [.write, .create])
    let written = bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try file.writeAll(buffer, at: 0) }
    }
    try written.get()
  }

  @Test("A body comes back as it was written, from bytes and from a file")
  func roundTrip() async throws {
    let box = try Box()
    let database = try await box.open([Self.films])
    let source = box.path.appendingPath("source")
    try put(Self.content, source)
    for body in [
      try await database.bodies.write(Self.content), try await database.bodies.write(copying: source),
    ] {
      #expect(body.size == Int64(Self.content.count))
      #expect(body.digest == Digest(of: Self.content).description)
      let file = try #require(try database.bodies.open(body.name))
      #expect(try database.bodies.contents(of: body, in: file) == Self.content)
      try database.bodies.verify(body, in: file)
    }
    #expect(try System.live.contents(of: source, limit: 1 << 30) == Self.content)
    let empty = try await database.bodies.write([])
    #expect(
      try database.bodies.contents(of: empty, in: try #require(try database.bodies.open(empty.name))) == [])
    await database.close()
  }

  @Test("Whichever call fails, no body appears under its name that is not whole, and the next try succeeds")
  func everyFailingCall() async throws {
    let faults = try Faults()
    let box = try Box(system: faults.system)
    let database = try await box.open([Self.films])
    _ = try database.lease.taken()
    let folder = box.container.bodiesPath
    let source = box.path.appendingPath("source")
    try put(Self.content, source)
    for fromFile in [false, true] {
      var failing = 1
      while true {
        let number = Monitor(0)
        let target = failing
        faults.start { site in
          guard site.path?.hasPrefix(folder) == true, site.call != .close else { return .proceed }
          let mine = number.change { count in
            count += 1
            return count
          }
          return mine == target ? .fail(.inputOutput) : .proceed
        }
        let error = await failure {
          _ =
            try fromFile
            ? await database.bodies.write(copying: source) : await database.bodies.write(Self.content)
        }
        faults.stop()
        for name in try System.live.list(folder) {
          let path = folder.appendingPath(name)
          if !name.hasSuffix(BodyFiles.temporaryEnding) {
            #expect(try System.live.contents(of: path, limit: 1 << 30) == Self.content)
          }
          try System.live.remove(path)
        }
        if error == nil { break }
        failing += 1
      }
      #expect(failing > 6, "open, write, read back, sync, rename, sync the folder")
      _ = try await database.bodies.write(Self.content)
      for name in try System.live.list(folder) { try System.live.remove(folder.appendingPath(name)) }
    }
    await database.close()
  }

  @Test("A disk that lies is found out before the body has a name")
  func readBackDiffers() async throws {
    let faults = try Faults()
    let box = try Box(system: faults.system)
    let database = try await box.open([Self.films])
    let folder = box.container.bodiesPath
    _ = try database.lease.taken()
    // The read back ends early: what was written is not all there.
    faults.start { $0.call == .pread && $0.path?.hasPrefix(folder) == true ? .short(0) : .proceed }
    guard case .bodyDamaged = await failure({ try await database.bodies.write(Self.content) }) else {
      Issue.record("found out")
      return
    }
    faults.stop()
    #expect(try System.live.list(folder).isEmpty)
    let unguarded = try await box.open([Self.films], Box.small, guards: StorageGuards(d5: false))
    faults.start { $0.call == .pread && $0.path?.hasPrefix(folder) == true ? .short(0) : .proceed }
    _ = try await unguarded.bodies.write(Self.content)
    faults.stop()
    await database.close()
    await unguarded.close()
  }

  @Test("A body over its bound is refused, and nothing of it is left")
  func tooLarge() async throws {
    let box = try Box()
    var options = Box.small
    options.bodyLimit = 1000
    let database = try await box.open([Self.films], options)
    guard
      case .bodyTooLarge(_, size: 3_000_000, bound: 1000) = await failure({
        try await database.bodies.write(Self.content)
      })
    else {
      Issue.record("refused")
      return
    }
    #expect(try System.live.list(box.container.bodiesPath).isEmpty)
    await database.close()
  }

  @Test("Damage on disk is told, not handed out")
  func damage() async throws {
    let box = try Box()
    let database = try await box.open([Self.films])
    let body = try await database.bodies.write([1, 2, 3])
    try put([9], box.container.bodiesPath.appendingPath(body.name))
    let file = try #require(try database.bodies.open(body.name))
    guard case .bodyDamaged = await failure({ try database.bodies.contents(of: body, in: file) }) else {
      Issue.record("told")
      return
    }
    await database.close()
  }

  /// A body of a maker that has ended: its lease is not held.
  private func leftBehind(_ box: Box, _ number: Int) throws -> String {
    let name = "ended\(BodyFiles.separator)\(number)"
    try put([1], box.container.bodiesPath.appendingPath(name))
    return name
  }

  @Test("Point 6: a sweep unlinks only what a committed sweep row names")
  func sweepCommitsFirst() async throws {
    let faults = try Faults()
    let box = try Box(system: faults.system)
    let database = try await box.open([Self.films])
    let (kept, orphan) = (try leftBehind(box, 1), try leftBehind(box, 2))
    let live = try await database.bodies.write([7])
    try await database.write("film") {
      try $0.connection.run("INSERT INTO film(body) VALUES (?)", .text(kept))
    }
    let folder = box.container.bodiesPath
    // The commit of the sweep fails: nobody may rely on what it saw.
    faults.start { $0.call == .databaseSync ? .fail(.inputOutput) : .proceed }
    guard case .inDoubt = await failure({ try await database.sweep(isNamed: Self.isNamed) }) else {
      Issue.record("in doubt")
      return
    }
    #expect(try System.live.list(folder).contains(orphan))
    let path = box.container.databasePath
    let wasCommitted = Monitor([Bool]())
    faults.start { site in
      guard site.call == .unlink, site.path?.hasPrefix(folder) == true else { return .proceed }
      // Another program's view at the moment of unlinking.
      let seen = try? SQLiteConnection(path, .read).integer("SELECT count(*) FROM tenure_sweep")
      wasCommitted.change { $0.append(seen == 1) }
      return .proceed
    }
    let report = try await database.sweep(isNamed: Self.isNamed)
    faults.stop()
    #expect(wasCommitted.withLock { $0 } == [true])
    #expect(report.removed == [orphan])
    #expect(try System.live.list(folder) == [kept, live.name].sorted())
    #expect(try await database.read { try $0.integer("SELECT count(*) FROM tenure_sweep") } == 0)
    await database.close()
  }

  @Test("Point 6: what a killed sweeper had committed is finished by the next sweep")
  func sweepGoesOn() async throws {
    let faults = try Faults()
    let box = try Box(system: faults.system)
    let database = try await box.open([Self.films])
    let orphan = try leftBehind(box, 1)
    let folder = box.container.bodiesPath
    faults.start { $0.call == .unlink && $0.path?.hasPrefix(folder) == true ? .fail(.inputOutput) : .proceed }
    #expect(try await database.sweep(isNamed: Self.isNamed).removed.isEmpty)
    faults.stop()
    let other = try await box.open([Self.films])
    #expect(try await other.sweep(isNamed: Self.isNamed).removed == [orphan])
    await database.close()
    await other.close()
  }

  @Test(
    "Point 7: an open body and a linked one stay readable when they are swept; a swept one is seen to be gone"
  )
  func readersKeepTheirs() async throws {
    let box = try Box()
    let database = try await box.open([Self.films])
    let body = try await database.bodies.write(Self.content)
    let file = try #require(try database.bodies.open(body.name))
    let link = try #require(try database.bodies.link(body.name, as: "film.mov"))
    try await database.write("gone", freesSpace: true) { try $0.sweep(body.name) }
    #expect(try await database.sweep(isNamed: Self.isNamed).removed == [body.name])
    #expect(try database.bodies.contents(of: body, in: file) == Self.content)
    #expect(try System.live.contents(of: link, limit: 1 << 30) == Self.content)
    #expect(try database.bodies.open(body.name) == nil)
    #expect(try database.bodies.link(body.name, as: "again") == nil)
    await database.close()
  }

  @Test("D5: a body swept while its maker was suspended cannot get a row")
  func claim() async throws {
    let box = try Box()
    let (database, other) = (try await box.open([Self.films]), try await box.open([Self.films]))
    let body = try await database.bodies.write([1])
    try await database.write("film") { try $0.claim(body) }
    await database.suspend()
    #expect(try await other.sweep(isNamed: Self.isNamed).removed == [body.name])
    database.resume()
    guard case .bodySwept = await failure({ try await database.write("film") { try $0.claim(body) } }) else {
      Issue.record("to be written again")
      return
    }
    await database.close()
    await other.close()
  }
}
