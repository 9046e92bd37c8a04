import TenureGroup
import TenureStorage
import TenureSystem
import TenureTesting
import TenureTrace

@testable import TenureDocuments

/// A client of a document store on a disk that is cut: what it does, and everything it was told.
///
/// Each fact is acknowledged on the disk by its number, so that what a cut may not lose is known for every cut.
final class PowerCutSession: Sendable {
  /// Something the store answered.
  enum Fact: Sendable {
    /// The change is this version of the document; `nil` bytes: a tombstone.
    case committed(DocumentID, version: Int64, ChangeID, seed: Int?)
    /// The draft of the scene is durable.
    case drafted(Draft)
    /// The draft of the scene was committed or discarded.
    case undrafted(scene: String, DocumentID)
  }

  static let path = "/box"
  private static let sizes = [20, 200, 3_000, 700, 5_000]

  private let disk: CrashFileSystem
  private let told = Lock([Fact]())

  init(on disk: CrashFileSystem) { self.disk = disk }

  var facts: [Fact] { told.withLock { $0 } }

  static func open(
    _ system: System, storage: StorageGuards = StorageGuards(), guards: DocumentGuards = DocumentGuards()
  ) async throws -> DocumentStore {
    let container = try GroupContainer.open(at: path, system: system, trace: .off)
    var bounds = GroupDatabase.Options()
    bounds.reserve = 0
    bounds.readers = 1
    // Small, so that a short session sees checkpoints and the log starting anew.
    bounds.logSoftBound = 24 * 4096
    let database = try await GroupDatabase.open(
      container, components: [DocumentStore.component], options: bounds, guards: storage)
    var options = DocumentStore.Options()
    options.inlineLimit = 512
    do {
      return try await DocumentStore.open(database, options: options, guards: guards)
    } catch {
      await database.close()
      throw error
    }
  }

  private static let contents: [Data] = (0..<100).map { seed in
    Data(
      (0..<sizes[seed % sizes.count]).map { UInt8(truncatingIfNeeded: seed &* 37 &+ $0 &* 11 &+ $0 / 256) })
  }

  /// Bytes that tell which they are, some of them large enough for a file of their own.
  static func content(_ seed: Int) -> Data { contents[seed] }

  private func tell(_ fact: Fact) {
    let number = told.withLock { told in
      told.append(fact)
      return told.count - 1
    }
    disk.acknowledge("\(number)")
  }

  /// The session: versions small and large, a batch, drafts, a deletion, a purge.
  func run(on store: DocumentStore) async throws {
    let (plan, list): (DocumentID, DocumentID) = ("plan.md", "lists/shopping.txt")
    for version in 1...5 {
      try await commit(plan, expecting: Int64(version - 1), seed: version, to: store)
    }
    try await commit(list, expecting: 0, seed: 11, to: store)
    let batch = [edit(plan, expecting: 5, seed: 6), edit(list, expecting: 1, seed: 12)]
    if case .committed(let revisions) = try await store.commit(batch) {
      for (revision, seed) in zip(revisions, [6, 12]) { tell(Self.fact(revision, seed)) }
    }

    let change = ChangeID()
    for seed in [20, 21, 22] {
      let draft = Draft(
        scene: "left", document: plan, change: change, base: 6, body: Self.content(seed))
      try await store.checkpoint(draft)
      tell(.drafted(draft))
    }
    let other = Draft(
      scene: "right", document: list, change: ChangeID(), base: 2, body: Self.content(24))
    try await store.checkpoint(other)
    tell(.drafted(other))
    if case .committed(let revision) = try await store.commit(other.edit) {
      tell(.undrafted(scene: "right", list))
      tell(Self.fact(revision, 24))
    }

    if case .committed(let revision) = try await store.commit(Edit(of: list, expecting: 3, body: .deleted)) {
      tell(Self.fact(revision, nil))
    }
    _ = try await store.purge(keepingVersions: 2)
    for version in 7...9 {
      try await commit(plan, expecting: Int64(version - 1), seed: version, to: store)
    }
  }

  private func edit(_ document: DocumentID, expecting: Int64, seed: Int) -> Edit {
    Edit(of: document, expecting: expecting, body: .data(Self.content(seed)))
  }

  private func commit(
    _ document: DocumentID, expecting: Int64, seed: Int, to store: DocumentStore
  ) async throws {
    if case .committed(let revision) = try await store.commit(
      edit(document, expecting: expecting, seed: seed))
    {
      tell(Self.fact(revision, seed))
    }
  }

  private static func fact(_ revision: Revision, _ seed: Int?) -> Fact {
    .committed(revision.document, version: revision.version, revision.change, seed: seed)
  }
}

/// What is wrong with a store that came back, by law.
struct PowerCutFindings: Sendable {
  var cuts = 0
  /// D1: an acknowledged version is not there, or is another.
  var lost: [String] = []
  /// D5: a body is not what was committed, or a check finds damage.
  var damaged: [String] = []
  /// D6: an acknowledged draft is not offered, or an older one is.
  var draftsLost: [String] = []
  /// The store did not open, or did not take the next edit.
  var wedged: [String] = []

  var all: [String] { lost + damaged + draftsLost + wedged }

  private struct Enough: Error {}

  /// Opens every survivor of a recording, until `enough` was found, and compares it with what had been told by
  /// then.
  static func over(
    _ recording: CrashFileSystem.Recording, _ facts: [PowerCutSession.Fact], _ plan: CutPlan,
    until enough: (PowerCutFindings) -> Bool = { _ in false }
  ) async -> PowerCutFindings {
    var findings = PowerCutFindings()
    try? await CrashFileSystem.everyCut(of: recording, plan) { cut in
      if enough(findings) { throw Enough() }
      findings.cuts += 1
      do {
        let store = try await PowerCutSession.open(cut.survivor.system)
        do {
          try await findings.look(at: store, cut, Array(facts.prefix(cut.acknowledged.count)), all: facts)
        } catch {
          findings.wedged.append("\(cut): \(error)")
        }
        await store.database.close()
      } catch {
        findings.wedged.append("\(cut): \(error)")
      }
    }
    return findings
  }

  private mutating func look(
    at store: DocumentStore, _ cut: CrashFileSystem.Cut, _ told: [PowerCutSession.Fact],
    all: [PowerCutSession.Fact]
  ) async throws {
    var current: [DocumentID: Int64] = [:]
    var drafts: [String: Int] = [:]
    for (number, fact) in told.enumerated() {
      switch fact {
      case .committed(let document, let version, let change, let seed):
        current[document] = version
        try await look(for: document, version, change, seed, in: store, cut)
      case .drafted(let draft): drafts[draft.scene] = number
      case .undrafted(let scene, _): drafts[scene] = nil
      }
    }
    try await look(for: drafts, all, in: store, cut)
    for problem in try await store.check() where problem.isDamage { damaged.append("\(cut): \(problem)") }
    // The next edit of each document finds the version that was told, or a later one that was under way.
    for (document, version) in current {
      let found = try await store.revision(of: document)
      guard let found, found.version >= version else { continue }
      let edit = Edit(of: document, expecting: found.version, body: .data(PowerCutSession.content(99)))
      guard case .committed(let revision) = try await store.commit(edit),
        revision.version == found.version + 1
      else {
        wedged.append("\(cut): \(document) takes no edit after version \(found.version)")
        continue
      }
    }
  }

  private mutating func look(
    for document: DocumentID, _ version: Int64, _ change: ChangeID, _ seed: Int?, in store: DocumentStore,
    _ cut: CrashFileSystem.Cut
  ) async throws {
    let newest = try await store.revision(of: document)
    guard let newest, newest.version >= version else {
      lost.append("\(cut): \(document) version \(version), found \(newest?.version ?? 0)")
      return
    }
    // Purged versions are gone on purpose.
    guard let revision = try await store.revision(of: document, version: version) else { return }
    if revision.change != change || revision.isDeleted != (seed == nil) {
      lost.append("\(cut): \(document) version \(version) is another change")
    }
    guard let seed else { return }
    do {
      if try await store.body(of: document, version: version).data != PowerCutSession.content(seed) {
        damaged.append("\(cut): \(document) version \(version) has another body")
      }
    } catch {
      damaged.append("\(cut): \(document) version \(version): \(error)")
    }
  }

  /// A draft may have been replaced by a later one, or committed, without anybody having been told.
  private mutating func look(
    for drafts: [String: Int], _ facts: [PowerCutSession.Fact], in store: DocumentStore,
    _ cut: CrashFileSystem.Cut
  ) async throws {
    if drafts.isEmpty { return }
    let recovered = try await store.recover()
    for (scene, number) in drafts {
      guard case .drafted(let draft) = facts[number] else { continue }
      guard let found = recovered.first(where: { $0.draft.scene == scene }) else {
        if try await store.outcome(of: draft.change) == .notCommitted {
          draftsLost.append("\(cut): the draft of \(scene) is gone")
        }
        continue
      }
      let later = facts[number...].compactMap { fact -> Data? in
        if case .drafted(let later) = fact, later.scene == scene { later.body } else { nil }
      }
      if !later.contains(found.draft.body) || found.draft.base != draft.base {
        draftsLost.append("\(cut): the draft of \(scene) is not what was checkpointed")
      }
    }
  }
}
