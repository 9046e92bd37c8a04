import TenureStorage
import TenureSystem
import TenureTesting
import Testing

@testable import TenureDocuments

@Suite("Every call fails once under documents")
struct PowerCutFaultTests {
  /// A call that fails once; every so many-th of its kind is tried.
  struct Fault: Sendable, CustomTestStringConvertible {
    let call: SystemCall
    let effect: InterceptedCalls.Effect
    var stride = 1

    var testDescription: String { "\(call.rawValue) \(effect)" }
  }

  /// A client that sends each edit again, with the same change ID, until it is answered.
  private final class Run: Sendable {
    static let document: DocumentID = "plan.md"
    static let versions = 6

    let disk = CrashFileSystem()
    let calls: InterceptedCalls
    let layer: InterceptingDatabaseLayer
    let edits = (1...versions).map { version in
      Edit(of: document, expecting: Int64(version - 1), body: .data(PowerCutSession.content(version)))
    }

    init(_ decide: @escaping @Sendable (InterceptedCalls.Site) -> InterceptedCalls.Effect) throws {
      calls = InterceptedCalls(disk.system.calls, decide: decide)
      layer = try InterceptingDatabaseLayer(calls, over: disk.system.databaseLayer)
    }

    /// Opens and sends; the answers in order, or `nil` for an edit that had none after three tries.
    func run() async throws -> (store: DocumentStore, answers: [CommitResult?]) {
      let system = System(calls: calls, databaseLayer: layer.name)
      let store: DocumentStore
      do {
        store = try await PowerCutSession.open(system)
      } catch {
        store = try await PowerCutSession.open(system)
      }
      var answers: [CommitResult?] = []
      for edit in edits {
        var answer: CommitResult?
        for _ in 1...3 where answer == nil { answer = try? await store.commit(edit) }
        answers.append(answer)
      }
      return (store, answers)
    }
  }

  @Test(
    "D1, D2: sent again after an error or a doubt, each edit has one effect, and no cut loses it",
    arguments: [
      Fault(call: .databaseSync, effect: .fail(.inputOutput)),
      Fault(call: .databaseSync, effect: .failAfter(.inputOutput)),
      Fault(call: .databaseWrite, effect: .fail(.inputOutput), stride: 2),
      Fault(call: .databaseWrite, effect: .short(100), stride: 5),
      Fault(call: .databaseRead, effect: .fail(.inputOutput), stride: 2),
      Fault(call: .fsync, effect: .fail(.inputOutput)),
      Fault(call: .pwrite, effect: .fail(.noSpace)),
      Fault(call: .rename, effect: .failAfter(.inputOutput)),
    ])
  func oneEffect(_ fault: Fault) async throws {
    let calm = try Run { _ in .proceed }
    let (store, _) = try await calm.run()
    await store.database.close()
    let total = calm.calls.counts[fault.call] ?? 0
    #expect(total > 0)
    for number in stride(from: 1, through: total, by: fault.stride) {
      let place = Comment(rawValue: "\(fault.call.rawValue) number \(number) of \(total)")
      let run = try Run { site in
        site.call == fault.call && site.number == number ? fault.effect : .proceed
      }
      let (store, answers) = try await run.run()
      for (edit, answer) in zip(run.edits, answers) {
        switch answer {
        case .committed(let revision), .alreadyCommitted(let revision, _):
          #expect(revision.version == edit.expected + 1 && revision.change == edit.change, place)
        case .conflict, nil: Issue.record("version \(edit.expected + 1) got no answer: \(place)")
        }
      }
      try await check(store, place)
      let recording = run.disk.recording
      let cut = CrashFileSystem.cut(
        recording, at: recording.count, policy: CutPolicy(data: .lost, names: .lost))
      let survivor = try await PowerCutSession.open(cut.survivor.system)
      try await check(survivor, Comment(rawValue: "\(place), \(cut)"))
      await survivor.database.close()
      await store.database.close()
    }
  }

  private func check(_ store: DocumentStore, _ place: Comment) async throws {
    let versions = try await store.versions(of: Run.document, limit: 100).map(\.version).sorted()
    #expect(versions == Array(1...Int64(Run.versions)), place)
    for version in versions {
      let data = try await store.body(of: Run.document, version: version).data
      #expect(data == PowerCutSession.content(Int(version)), place)
    }
    #expect(try await store.check().filter(\.isDamage) == [], place)
  }
}
