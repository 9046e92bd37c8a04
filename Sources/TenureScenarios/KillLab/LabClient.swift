import Tenure
import TenureStorage
import TenureSystem
import TenureTesting

/// One client's requests to the store, each noted before it is made and after it is answered.
final class LabClient: Sendable {
  let name: String
  let store: DocumentStore
  let log: RecordLog
  private struct Place: Sendable {
    var token: HistoryToken?
    var pages = 0
  }

  private let isHindered = Lock(false)
  private let place = Lock<Place?>(nil)

  init(name: String, store: DocumentStore, log: RecordLog) {
    self.name = name
    self.store = store
    self.log = log
  }

  /// A lock could not be had: the burst is cut short, because every further request would wait as long.
  var isStuck: Bool { isHindered.withLock { $0 } }

  var clock: any SystemClock { store.database.container.system.clock }

  func scene(_ index: Int) -> String { "\(name)/\(index)" }

  @discardableResult
  func commit(
    _ document: DocumentID, _ change: ChangeID, expecting expected: Int64, deleting: Bool = false,
    scene: String? = nil
  ) async -> OperationAnswer {
    let bytes = LabBox.body(of: change, in: document)
    let edit = Edit(
      of: document, expecting: expected, body: deleting ? .deleted : .data(Data(bytes)), change: change)
    let number = log.ask(
      .commit(document, change: change, expected: expected, digest: deleting ? "" : LabBox.digest(bytes)))
    let answer: OperationAnswer
    do {
      switch try await store.commit(edit, scene: scene) {
      case .committed(let revision): answer = .committed(version: revision.version)
      case .alreadyCommitted(let recorded, let current):
        answer = .alreadyCommitted(version: recorded.version, current: current.version)
      case .conflict(let current): answer = .conflict(current: current?.version ?? 0)
      }
    } catch { answer = failure(error) }
    log.tell(number, answer)
    return answer
  }

  /// The current version; 0 when there is none, `nil` when it could not be read.
  func read(_ document: DocumentID) async -> Int64? {
    let number = log.ask(.read(document))
    do {
      let (revision, data) = try await store.body(of: document)
      log.tell(
        number,
        .body(version: revision.version, claimed: revision.digest, found: LabBox.digest(data)))
      return revision.version
    } catch DocumentError.noSuchDocument {
      log.tell(number, .body(version: 0, claimed: "", found: ""))
      return 0
    } catch DocumentError.deleted(_, let version) {
      log.tell(number, .body(version: version, claimed: "", found: ""))
      return version
    } catch {
      log.tell(number, failure(error))
      return nil
    }
  }

  /// An earlier version, which may have been purged; the current one never is.
  func readVersion(_ document: DocumentID, _ version: Int64) async {
    let number = log.ask(.readVersion(document, version: version))
    do {
      let (revision, data) = try await store.body(of: document, version: version)
      log.tell(
        number, .body(version: revision.version, claimed: revision.digest, found: LabBox.digest(data)))
    } catch DocumentError.noSuchVersion, DocumentError.noSuchDocument {
      log.tell(number, .gone)
    } catch DocumentError.deleted(_, let version) {
      log.tell(number, .body(version: version, claimed: "", found: ""))
    } catch { log.tell(number, failure(error)) }
  }

  /// Lets old versions go.
  func purge(keeping: Int) async {
    let number = log.ask(.purge(keeping: Int64(keeping)))
    do {
      _ = try await store.purge(keepingVersions: keeping)
      log.tell(number, .done)
    } catch { log.tell(number, failure(error)) }
  }

  func checkpoint(_ scene: String, _ document: DocumentID, _ change: ChangeID, base: Int64, _ draft: Int)
    async
  {
    let bytes = LabBox.body(of: change, in: document, draft: draft)
    let number = log.ask(
      .checkpoint(scene: scene, document, change: change, base: base, digest: LabBox.digest(bytes)))
    do {
      try await store.checkpoint(
        Draft(scene: scene, document: document, change: change, base: base, body: Data(bytes)))
      log.tell(number, .done)
    } catch { log.tell(number, failure(error)) }
  }

  /// Edits through a keeper, which makes durable what it will, and at last all of it. `false`: that did not go,
  /// and the draft was given up; or, `leaving`, a flush had the last word and the keeper is let go.
  func type(
    _ scene: String, _ document: DocumentID, _ change: ChangeID, base: Int64, edits: Int, leaving: Bool
  ) async -> Bool {
    let keeper = store.draftKeeper(
      scene: scene, document: document, base: base, change: change, count: 3, interval: .milliseconds(2))
    func ask(_ draft: Int) -> (number: Int, bytes: [UInt8]) {
      let bytes = LabBox.body(of: change, in: document, draft: draft)
      let request = OperationRequest.checkpoint(
        scene: scene, document, change: change, base: base, digest: LabBox.digest(bytes))
      return (log.ask(request), bytes)
    }
    for draft in 1...edits {
      let (number, bytes) = ask(draft)
      keeper.edited(Data(bytes))
      log.tell(number, .taken)
      // Others, a flush among them, come in between.
      await Task.yield()
    }
    if leaving {
      await flush(within: 300_000)
      return false
    }
    let (number, _) = ask(edits)
    do {
      try await keeper.checkpoint()
      log.tell(number, .done)
      return true
    } catch {
      log.tell(number, failure(error))
      let number = log.ask(.discard(scene: scene, document))
      do {
        try await keeper.discard()
        log.tell(number, .done)
      } catch { log.tell(number, failure(error)) }
      return false
    }
  }

  /// Makes durable what can be in so many nanoseconds: what has not begun by then is refused, and told so.
  func flush(within nanoseconds: UInt64) async {
    let number = log.ask(.flush)
    log.tell(number, .flushed(await store.flush(until: clock.monotonic &+ nanoseconds)))
  }

  func discard(_ scene: String, _ document: DocumentID) async {
    let number = log.ask(.discard(scene: scene, document))
    do {
      try await store.discardDraft(scene: scene, document: document)
      log.tell(number, .done)
    } catch { log.tell(number, failure(error)) }
  }

  /// This client's drafts.
  func recover() async -> [RecoveredDraft] {
    let number = log.ask(.recover)
    do {
      let all = try await store.recover()
      let mine = all.filter { $0.draft.scene.hasPrefix("\(name)/") }
      log.tell(number, .drafts(mine.map(RecoveredItem.init)))
      return mine
    } catch {
      log.tell(number, failure(error))
      return []
    }
  }

  /// Reads what is new in the history, as a consumer that keeps its place in the container. One task at a time.
  ///
  /// The place is acknowledged now and then and `atEnd`; what was read since is read once more after a kill.
  func consume(atEnd: Bool = false) async {
    let consumer = "\(name)-index"
    do {
      var place = try await consumerPlace(consumer)
      while !isStuck {
        let number = log.ask(.history(consumer: consumer, after: place.token?.sequence ?? 0))
        let next: HistoryToken
        var isLast = false
        switch try await store.history(after: place.token, for: consumer, limit: 40) {
        case .changes(let revisions, let end):
          log.tell(number, .changes(revisions.map(HistoryItem.init), through: end.sequence))
          isLast = revisions.isEmpty
          next = end
        case .startFromSnapshot(let token):
          log.tell(number, .snapshot(through: token.sequence))
          next = token
        }
        place = Place(token: next, pages: place.pages + 1)
        if place.pages % 8 == 0 || (isLast && atEnd) {
          await acknowledge(next, for: consumer)
        }
        let reached = place
        self.place.withLock { $0 = reached }
        if isLast { return }
      }
    } catch { _ = failure(error) }
  }

  private func acknowledge(_ token: HistoryToken, for consumer: String) async {
    let number = log.ask(.acknowledge(consumer: consumer, through: token.sequence))
    do {
      try await store.acknowledge(token, for: consumer)
      log.tell(number, .done)
    } catch { log.tell(number, failure(error)) }
  }

  private func consumerPlace(_ consumer: String) async throws -> Place {
    if let known = place.withLock({ $0 }) { return known }
    return Place(token: try await store.consumers().first { $0.name == consumer }?.token)
  }

  func failure(_ error: any Error) -> OperationAnswer {
    if error is CommitInDoubt { return .inDoubt }
    if case .bodyDamaged(_, _, let detail) = error as? DocumentError { return .damaged(detail) }
    if case .storage(.lockTimedOut) = error as? DocumentError { isHindered.withLock { $0 = true } }
    return .refused("\(error)")
  }
}

extension RecoveredItem {
  init(_ recovered: RecoveredDraft) {
    let draft = recovered.draft
    let standing: Standing =
      switch recovered.standing {
      case .current: .current
      case .documentMovedOn: .movedOn
      case .deleted: .deleted
      case .alreadyCommitted: .alreadyCommitted
      case .inDoubt: .inDoubt
      case .damaged: .damaged
      }
    self.init(
      scene: draft.scene, document: draft.document, change: draft.change, base: draft.base,
      digest: LabBox.digest(draft.body), standing: standing)
  }
}

extension HistoryItem {
  init(_ revision: Revision) {
    self.init(sequence: revision.sequence, document: revision.document, version: revision.version)
  }
}
