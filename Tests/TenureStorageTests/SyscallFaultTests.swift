import TenureStorage
import TenureSystem
import TenureTesting
import Testing

@Suite("Every call fails once under the group database")
struct SyscallFaultTests {
  /// A call that fails, once: the how-many-th of its kind.
  struct Fault: Sendable, CustomTestStringConvertible {
    let call: SystemCall
    let effect: InterceptedCalls.Effect
    /// Every so many-th of them is tried.
    var stride = 1

    var testDescription: String { "\(call.rawValue) \(effect)" }
  }

  static let faults: [Fault] = [
    Fault(call: .databaseSync, effect: .fail(.inputOutput)),
    Fault(call: .databaseSync, effect: .failAfter(.inputOutput)),
    Fault(call: .databaseSync, effect: .fail(.noSpace)),
    Fault(call: .databaseSync, effect: .failAfter(.noSpace)),
    Fault(call: .databaseWrite, effect: .fail(.inputOutput), stride: 5),
    Fault(call: .databaseWrite, effect: .failAfter(.inputOutput), stride: 5),
    Fault(call: .databaseWrite, effect: .fail(.noSpace), stride: 5),
    Fault(call: .databaseWrite, effect: .short(13), stride: 5),
    Fault(call: .databaseRead, effect: .fail(.inputOutput), stride: 3),
    Fault(call: .databaseOpen, effect: .fail(.tooManyFiles)),
    Fault(call: .databaseTruncate, effect: .fail(.inputOutput)),
    Fault(call: .databaseLock, effect: .fail(.inputOutput)),
    Fault(call: .databaseSharedLock, effect: .fail(.inputOutput), stride: 11),
    Fault(call: .databaseSharedMap, effect: .fail(.noSpace)),
    Fault(call: .open, effect: .fail(.tooManyFiles), stride: 3),
    Fault(call: .fsync, effect: .fail(.inputOutput)),
    Fault(call: .fsync, effect: .failAfter(.noSpace)),
    Fault(call: .pwrite, effect: .fail(.noSpace), stride: 3),
    Fault(call: .pwrite, effect: .short(1), stride: 3),
    Fault(call: .rename, effect: .fail(.inputOutput)),
    Fault(call: .rename, effect: .failAfter(.inputOutput)),
    Fault(call: .unlink, effect: .fail(.inputOutput)),
    Fault(call: .fallocate, effect: .fail(.noSpace)),
    Fault(call: .mkdir, effect: .fail(.noSpace)),
    Fault(call: .lock, effect: .fail(.inputOutput), stride: 3),
    Fault(call: .readdir, effect: .fail(.inputOutput), stride: 3),
    Fault(call: .stat, effect: .fail(.inputOutput), stride: 3),
  ]

  /// One run of the session on a disk of its own.
  private final class Run: Sendable {
    let disk = CrashFileSystem()
    let session = NoteSession()
    let calls: InterceptedCalls
    let layer: InterceptingDatabaseLayer

    init(_ decide: @escaping @Sendable (InterceptedCalls.Site) -> InterceptedCalls.Effect) throws {
      calls = InterceptedCalls(disk.system.calls, decide: decide)
      layer = try InterceptingDatabaseLayer(calls, over: disk.system.databaseLayer)
    }

    var system: System { System(calls: calls, databaseLayer: layer.name) }

    /// Opens, again when a fault came in the way of it, and runs the session.
    func run() async throws -> GroupDatabase {
      let database: GroupDatabase
      do {
        database = try await NoteSession.open(system)
      } catch {
        database = try await NoteSession.open(system)
      }
      await session.run(on: database)
      return database
    }
  }

  private func count(_ call: SystemCall) async throws -> Int {
    let run = try Run { _ in .proceed }
    await (try await run.run()).close()
    return run.calls.counts[call] ?? 0
  }

  @Test(
    "A failing call is an error, a retry or a doubt, never a lost or a false answer, and the store goes on",
    arguments: faults)
  func failing(_ fault: Fault) async throws {
    let total = try await count(fault.call)
    for number in stride(from: 1, through: max(total, 1), by: fault.stride) {
      // How many calls a run makes differs by how its writes fell into groups: the fault ends with the session.
      let isOver = Lock(false)
      let run = try Run { site in
        if site.call != fault.call || site.number != number { return .proceed }
        return isOver.withLock { $0 } ? .proceed : fault.effect
      }
      let place = Comment(rawValue: "\(fault.call.rawValue) number \(number) of \(total)")
      let database = try await run.run()
      isOver.withLock { $0 = true }

      // Not wedged: what was full or in doubt is over with the fault.
      await run.session.add(99, to: database)
      #expect(run.session.answers[99] == .committed, "\(place): \(run.session.refusals)")
      try await check(run.session, database, place)

      // Killed here, every page that was written reaches the disk, or only what was synced.
      let recording = run.disk.recording
      for fate in [CutPolicy.Fate.kept, .lost] {
        let cut = CrashFileSystem.cut(
          recording, at: recording.count, policy: CutPolicy(data: fate, names: fate))
        let survivor = try await NoteSession.open(cut.survivor.system)
        try await check(run.session, survivor, Comment(rawValue: "\(place), \(cut)"))
        await survivor.close()
      }
      await database.close()
    }
  }

  /// Every answer that was given is true.
  private func check(_ session: NoteSession, _ database: GroupDatabase, _ comment: Comment) async throws {
    let found = try await NoteSession.inspect(database)
    #expect(found.problems == [], comment)
    for (id, answer) in session.answers {
      #expect(found.ids.contains(id) == (answer == .committed), "note \(id) \(answer): \(comment)")
    }
  }

  @Test(
    "A commit whose sync failed is refused only if it cannot come back after a kill",
    arguments: [Errno.inputOutput, .noSpace, .quotaExceeded, .accessDenied])
  func syncFailsThenKill(_ code: Errno) async throws {
    let armed = Lock(false)
    let run = try Run { site in
      site.call == .databaseSync && armed.withLock { $0 } ? .failAfter(code) : .proceed
    }
    let database = try await NoteSession.open(run.system)
    await run.session.add(1, to: database)
    armed.withLock { $0 = true }
    var answer: (any Error)?
    do {
      try await database.write("add") {
        try $0.connection.run("INSERT INTO note(id, text) VALUES (2, ?)", .text(NoteSession.text(2)))
      }
    } catch { answer = error }
    let error = try #require(answer as? StorageError)
    // Killed now, before any barrier.
    let recording = run.disk.recording
    let policy = CutPolicy(data: .kept, names: .kept)
    let cut = CrashFileSystem.cut(recording, at: recording.count, policy: policy)
    let survivor = try await NoteSession.open(cut.survivor.system)
    let ids = try await NoteSession.ids(survivor)
    #expect(ids.contains(2), "The commit's frames are in the file: this test makes what it is about.")
    if case .inDoubt = error {} else { Issue.record("\(error) says that the commit did not happen") }
    armed.withLock { $0 = false }
    await survivor.close()
    await database.close()
  }
}
