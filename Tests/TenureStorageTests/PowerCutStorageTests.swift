import TenureStorage
import TenureSystem
import TenureTesting
import Testing

@Suite("Power cuts under the group database")
struct PowerCutStorageTests {
  /// What was found wrong over all cuts of one session.
  private struct Findings {
    var cuts = 0
    var lost = 0
    var damaged = 0
    var unopened = 0
    var first: String?

    var total: Int { lost + damaged + unopened }

    mutating func note(_ what: String, _ cut: CrashFileSystem.Cut) {
      if first == nil { first = "\(cut): \(what)" }
    }
  }

  /// Enough to show what a missing guard costs.
  private static let harsh = [
    CutPolicy(data: .lost, names: .lost), CutPolicy(data: .lost, names: .kept),
    CutPolicy(data: .scattered, names: .scattered, seed: 1),
  ]

  private func record(guards: StorageGuards = StorageGuards()) async throws -> CrashFileSystem.Recording {
    let disk = CrashFileSystem()
    let database = try await NoteSession.open(disk.system, guards: guards)
    let session = NoteSession { disk.acknowledge($0) }
    await session.run(on: database)
    #expect(session.answers.count == 16)
    #expect(session.answers.values.allSatisfy { $0 == .committed })
    await database.close()
    return disk.recording
  }

  private struct Enough: Error {}

  /// Until `enough` was found: opens what survived each cut, looks at it, sweeps, writes, and looks again.
  private func findings(
    _ recording: CrashFileSystem.Recording, _ plan: CutPlan,
    until enough: (Findings) -> Bool = { _ in false }
  ) async throws -> Findings {
    var findings = Findings()
    try? await CrashFileSystem.everyCut(of: recording, plan) { cut in
      if enough(findings) { throw Enough() }
      findings.cuts += 1
      let acknowledged = Set(cut.acknowledged.compactMap { Int64($0) })
      do {
        let database = try await NoteSession.open(cut.survivor.system)
        let found = try await NoteSession.inspect(database)
        if !found.ids.isSuperset(of: acknowledged) {
          findings.lost += 1
          findings.note("lost \(acknowledged.subtracting(found.ids).sorted())", cut)
        }
        _ = try await NoteSession.sweep(database)
        try await database.write("add") {
          try $0.connection.run("INSERT INTO note(id, text) VALUES (99, ?)", .text(NoteSession.text(99)))
        }
        let after = try await NoteSession.inspect(database)
        if after.ids != found.ids.union([99]) || !(found.problems + after.problems).isEmpty {
          findings.damaged += 1
          findings.note("\(found.problems + after.problems)", cut)
        }
        await database.close()
      } catch {
        findings.unopened += 1
        findings.note("\(error)", cut)
      }
    }
    return findings
  }

  @Test(
    "Cut at any sync, nothing acknowledged is lost, bodies are whole, and the store opens and writes",
    arguments: [CutPlan.Names.perDirectory, .journalled])
  func nothingIsLost(_ names: CutPlan.Names) async throws {
    // A journal only narrows what can happen to names, so that order gets a smaller share of the time.
    let policies = names == .perDirectory ? CutPolicy.standard(seeds: 1) : Self.harsh
    let plan = CutPlan(policies: policies, names: names)
    let findings = try await findings(try await record(), plan)
    #expect(findings.total == 0, "\(findings)")
    #expect(findings.cuts > 300)
  }

  @Test("Without the guard of D1, neither synced commits nor synced folders, acknowledged notes are lost")
  func withoutSyncs() async throws {
    let recording = try await record(guards: StorageGuards(d1: false))
    let findings = try await findings(recording, CutPlan(policies: Self.harsh)) { $0.lost > 0 }
    #expect(findings.lost > 0)
  }

  @Test("On a disk that ignores the syncs of directories, acknowledged notes or their bodies are lost")
  func withoutDirectorySyncs() async throws {
    let plan = CutPlan(policies: Self.harsh, ignoring: .directories)
    let findings = try await findings(try await record(), plan) { $0.total > 0 }
    #expect(findings.total > 0)
  }

  @Test("Without the guard of D5, bodies written in place and not synced, a note has a torn body")
  func withoutVerifiedBodies() async throws {
    let recording = try await record(guards: StorageGuards(d5: false))
    let findings = try await findings(recording, CutPlan(policies: Self.harsh)) { $0.damaged > 0 }
    #expect(findings.damaged > 0)
  }
}
