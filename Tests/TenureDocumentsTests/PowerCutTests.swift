import TenureStorage
import TenureSystem
import TenureTesting
import Testing

@testable import TenureDocuments

@Suite("Documents across power cuts")
struct PowerCutTests {
  /// Enough to show what a missing guard costs.
  private static let harsh = [
    CutPolicy(data: .lost, names: .lost), CutPolicy(data: .lost, names: .kept),
    CutPolicy(data: .scattered, names: .scattered, seed: 1),
  ]

  private func session(
    storage: StorageGuards = StorageGuards(), guards: DocumentGuards = DocumentGuards()
  ) async throws -> (CrashFileSystem.Recording, [PowerCutSession.Fact]) {
    let disk = CrashFileSystem()
    let store = try await PowerCutSession.open(disk.system, storage: storage, guards: guards)
    let session = PowerCutSession(on: disk)
    try await session.run(on: store)
    let recording = disk.recording
    await store.database.close()
    #expect(session.facts.count == 18)
    return (recording, session.facts)
  }

  @Test(
    "D1, D5, D6: cut at any sync, no acknowledged version and no draft is lost, and every body is whole",
    arguments: [CutPlan.Names.perDirectory, .journalled])
  func holds(_ names: CutPlan.Names) async throws {
    let (recording, facts) = try await session()
    let policies = names == .perDirectory ? CutPolicy.standard(seeds: 1) : Self.harsh
    let findings = await PowerCutFindings.over(
      recording, facts, CutPlan(policies: policies, names: names))
    #expect(findings.all == [])
    #expect(findings.cuts > 200)
  }

  @Test("Without the syncs of D1 acknowledged versions are lost, which shows that the cuts can find it")
  func withoutSyncs() async throws {
    let (recording, facts) = try await session(storage: StorageGuards(d1: false))
    let findings = await PowerCutFindings.over(recording, facts, CutPlan(policies: Self.harsh)) {
      !$0.lost.isEmpty && !$0.draftsLost.isEmpty
    }
    #expect(!findings.lost.isEmpty)
    #expect(!findings.draftsLost.isEmpty)
  }

  @Test("On a disk that ignores the syncs of directories acknowledged versions or their bodies are lost")
  func withoutDirectorySyncs() async throws {
    let (recording, facts) = try await session()
    let plan = CutPlan(policies: Self.harsh, ignoring: .directories)
    let findings = await PowerCutFindings.over(recording, facts, plan) { !$0.all.isEmpty }
    #expect(!findings.all.isEmpty)
  }

  @Test("Without the guard of D6 a checkpointed draft is lost")
  func withoutDurableDrafts() async throws {
    var guards = DocumentGuards()
    guards.d6 = false
    let (recording, facts) = try await session(guards: guards)
    let findings = await PowerCutFindings.over(recording, facts, CutPlan(policies: Self.harsh)) {
      !$0.draftsLost.isEmpty
    }
    #expect(!findings.draftsLost.isEmpty)
  }
}

@Suite("Ghost commits under documents")
struct GhostCommitTests {
  private static let document: DocumentID = "plan.md"
  private static let content = PowerCutSession.content(4)

  /// A disk on which an app has died after the sync of its commit of version 2 and before anybody could see it,
  /// while a peer lives on with the store open.
  private struct Ghost {
    let disk = CrashFileSystem()
    let change = ChangeID()
    let peer: CrashFileSystem.Process
    let store: DocumentStore

    init(peerDies: (@Sendable (CrashFileSystem.Moment) -> Bool)? = nil) async throws {
      let setUp = disk.process("set up")
      let first = try await PowerCutSession.open(setUp.system)
      _ = try await first.commit(Edit(of: document, expecting: 0, body: .data(PowerCutSession.content(2))))
      await first.database.close()
      peer = disk.process("peer", dies: peerDies)
      store = try await PowerCutSession.open(peer.system)

      let armed = Lock(false)
      let app = disk.process("app") { moment in
        moment.call == .databaseSync && moment.isAfter && armed.withLock { $0 }
      }
      let dying = try await PowerCutSession.open(app.system)
      armed.withLock { $0 = true }
      let edit = Edit(of: document, expecting: 1, body: .data(content), change: change)
      await #expect(throws: CommitInDoubt.self) { try await dying.commit(edit) }
      #expect(app.isDead)
      await dying.database.close()
    }

    /// The next process to open the store, after everybody has gone.
    func next() async throws -> DocumentStore {
      peer.kill()
      await store.database.close()
      return try await PowerCutSession.open(disk.process("next").system)
    }
  }

  @Test("A live peer does not see the ghost; when the peer has gone it comes back, with its body")
  func comesBack() async throws {
    let ghost = try await Ghost()
    #expect(try await ghost.store.revision(of: Self.document)?.version == 1)
    let store = try await ghost.next()
    #expect(try await store.revision(of: Self.document)?.version == 2)
    #expect(try await store.body(of: Self.document).data == Self.content)
    #expect(try await store.check().filter(\.isDamage) == [])
    await store.database.close()
  }

  @Test("Asking for the outcome settles the ghost: what is said to be absent never comes back")
  func settled() async throws {
    let ghost = try await Ghost()
    #expect(try await ghost.store.outcome(of: ghost.change) == .notCommitted)
    let store = try await ghost.next()
    #expect(try await store.outcome(of: ghost.change) == .notCommitted)
    #expect(try await store.revision(of: Self.document)?.version == 1)
    #expect(try await store.check().filter(\.isDamage) == [])
    await store.database.close()
  }

  @Test("A sweep killed at any of its calls never takes the body of a ghost that comes back")
  func sweepIsHarmless() async throws {
    // How many calls there are is found by a run that nobody dies in.
    let calls = Lock((armed: false, count: 0, dies: Int.max))
    let dies: @Sendable (CrashFileSystem.Moment) -> Bool = { moment in
      if moment.isAfter { return false }
      return calls.withLock { state in
        if state.armed { state.count += 1 }
        return state.armed && state.count >= state.dies
      }
    }
    var outcomes: Set<Int64> = []
    var last = Int.max
    var number = 0
    repeat {
      calls.withLock { $0 = (false, 0, number == 0 ? .max : number) }
      let ghost = try await Ghost(peerDies: dies)
      calls.withLock { $0.armed = true }
      let swept = try? await ghost.store.sweep()
      calls.withLock { $0.armed = false }
      if number == 0 {
        last = calls.withLock { $0.count }
        #expect(swept == 1)
        #expect(last > 20)
      }
      let store = try await ghost.next()
      let version = try await store.revision(of: Self.document)?.version ?? 0
      outcomes.insert(version)
      let expected = version == 2 ? Self.content : PowerCutSession.content(2)
      #expect(try await store.body(of: Self.document).data == expected, "killed at call \(number)")
      #expect(try await store.check().filter(\.isDamage) == [], "killed at call \(number)")
      await store.database.close()
      number += 1
    } while number <= last
    // Killed before its commit the ghost is back; after it, gone.
    #expect(outcomes == [1, 2])
  }
}
