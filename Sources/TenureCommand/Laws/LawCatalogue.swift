import Tenure
import TenureScenarios

/// The laws with their faces, the one table behind `tenure laws`, the README and the checks.
///
/// A face is named here only when it resolves: the API compiles, the scenario and the rule are registered, the
/// proof is a test. `LawCatalogueTests` holds the table to that.
enum LawCatalogue {
  /// Every law, in the order of the catalogue.
  static let entries: [LawEntry] = Law.allCases.map { law in
    var entry = faces.first { $0.law == law } ?? LawEntry(law)
    entry.scenario = Scenarios.of(law)?.name
    return entry
  }

  private typealias Commit =
    (DocumentStore) -> (Edit, [any CommitParticipant], String?) async throws -> CommitResult
  private typealias WithLock = (GroupLock) -> (String, Duration?, () throws -> Void) throws -> Void

  private static let faces: [LawEntry] = [
    LawEntry(
      .d1,
      api: APIFace(DocumentStore.self, "commit", DocumentStore.commit as Commit),
      proof:
        "Cut at any sync, nothing acknowledged is lost, bodies are whole, and the store opens and writes",
      rule: "D1.lost"),
    LawEntry(
      .d2,
      api: APIFace(Edit.self, "change", \Edit.change),
      proof: "D2: an edit sent again answers what it did, and does nothing",
      rule: "D2.twice"),
    LawEntry(
      .d3,
      api: APIFace(Edit.self, "expected", \Edit.expected),
      proof: "D3: an edit that does not expect the current version meets a conflict and writes nothing",
      rule: "D3.overwrite"),
    LawEntry(
      .d4,
      api: APIFace(Revision.self, "version", \Revision.version),
      proof:
        "D3, D4: of many clients that expect the same version exactly one wins, and versions have no gap",
      rule: "D4.observed"),
    LawEntry(
      .d5,
      api: APIFace(DocumentStore.self, "body", DocumentStore.body(of:version:)),
      proof: "Without the guard of D5, bodies written in place and not synced, a note has a torn body",
      rule: "D5.read"),
    LawEntry(
      .d6,
      api: APIFace(DocumentStore.self, "recover", DocumentStore.recover(scene:)),
      proof:
        "D6: what a scene kept and did not save is offered to its next process, and can be saved from there",
      rule: "D6.draft-lost"),
    LawEntry(
      .d7,
      api: APIFace(DocumentStore.self, "flush", DocumentStore.flush(until:)),
      proof:
        "D7: at the deadline a save inside its transaction is in doubt, one that waits is unsaved and never begun",
      rule: "D7.late"),
    LawEntry(
      .d8,
      api: APIFace(DocumentStore.self, "register", DocumentStore.register(_:forKind:)),
      proof: "D8: what has no rule does not merge; the conflict and the draft stay",
      rule: "D8.no-rule"),
    LawEntry(
      .d9,
      api: APIFace(DocumentStore.self, "history", DocumentStore.history(after:for:limit:)),
      proof: "D9: every change is indexed, once, whatever the service's restarts",
      rule: "D9.gap"),
    LawEntry(
      .d10,
      api: APIFace(DocumentStore.self, "saveState", DocumentStore.saveState(_:ofScene:)),
      proof: "D10: the selection is the scene's and comes back with it; another scene has its own",
      rule: "D10.misplaced"),
    LawEntry(
      .d11,
      api: APIFace(DocumentStore.self, "outcome", DocumentStore.outcome(of:)),
      proof: "D11: a cancelled task's commit has one outcome, which is returned and can be asked for",
      rule: "D11.told-failed"),
    LawEntry(
      .d12,
      api: APIFace(Component.self),
      proof: "D12: an older process that is already open notices in its next transaction, and writes nothing",
      rule: "D12.wrote"),
    LawEntry(
      .d13,
      api: APIFace(DocumentStore.self, "purge", DocumentStore.purge(keepingVersions:)),
      proof:
        "A read that does not end: commits are refused at the hard bound, naming it, and go on when it ends",
      rule: "D13.over"),
    LawEntry(
      .d14,
      api: APIFace(HistoryToken.self, "epoch", \HistoryToken.epoch),
      proof: "D14: a process that has the container from before a restore writes nothing"),
    LawEntry(
      .s1,
      api: APIFace(StateStore<Int>.self, "subscribe", StateStore<Int>.subscribe(_:_:)),
      proof: "S1: of values arriving while many subscribe, each hears all after its first, once and in order"),
    LawEntry(
      .s2,
      api: APIFace(StateStore<Int>.self, "update", StateStore<Int>.update(to:version:)),
      proof: "S2: a snapshot never replaces a newer or equal one"),
    LawEntry(
      .s5,
      api: APIFace(StateStore<Int>.self),
      proof: "S5: the value that is replaced is released outside the lock"),
    LawEntry(
      .g2,
      api: APIFace(GroupLock.self, "withLock", GroupLock.withLock as WithLock),
      proof: "G2: a killed holder frees the lock; the customary lock file is left behind by it",
      rule: "G2.suspended"),
    LawEntry(
      .g3,
      api: APIFace(AtomicFile.self, "replace", AtomicFile.replace(_:with:system:trace:timeout:)),
      proof: "G3: a reader sees one writer's content whole; without the guard it sees the file empty",
      rule: "G3.in-place"),
    LawEntry(
      .g4,
      api: APIFace(Component.self, "migrate", \Component.migrate),
      proof: "G4: many that open at once migrate once"),
    LawEntry(
      .g5,
      api: APIFace(GroupSignal.self, "watch", GroupSignal.watch(pollEvery:_:)),
      proof: "G5: a writer that ends between commit and ring is noticed by its lock file being closed",
      rule: "G5.unseen"),
    LawEntry(
      .g6,
      api: APIFace(Revision.self, "writer", \Revision.writer),
      proof: "G6: a version names its writer's process, role, bundle, app version and time",
      rule: "G6.unattributed"),
  ]
}
