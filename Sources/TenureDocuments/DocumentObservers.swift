import TenureState
import TenureStorage
import TenureSystem
import TenureTrace

/// The observed documents, each a ``StateStore`` fed by own commits and by other processes' (S1, S2, D4).
///
/// A store's version is the document's, so a snapshot that was read earlier and arrives later is dropped by the
/// store itself, whichever way it came.
final class DocumentObservers: Sendable {
  /// Who is told, and how.
  enum Receiver: Sendable {
    case task(@isolated(any) @Sendable (Versioned<Revision?>) -> Void)
    case inline(@Sendable (Versioned<Revision?>) -> Void)
  }

  /// A reference, because it passes through several hands: a revision has a dozen parts to be copied each time.
  private final class Snapshot: Sendable {
    let revision: Revision?
    init(_ revision: Revision?) { self.revision = revision }
  }

  private final class Observed: Sendable {
    /// -1: nothing was read yet; nobody is subscribed before something was.
    let store = StateStore(Snapshot(nil), version: -1)

    func update(to revision: Revision?) {
      store.update(to: Snapshot(revision), version: revision?.version ?? 0)
    }
  }

  private struct State {
    var observed: [DocumentID: (Observed, count: Int)] = [:]
    var changes: Subscription?
    var nextObserver = 0
  }

  private let database: GroupDatabase
  private let state = Lock(State())

  init(_ database: GroupDatabase) { self.database = database }

  /// Registers, reads what is current and answers it, so that nothing lies between (S1).
  func observe(_ document: DocumentID, _ receiver: Receiver) async throws -> (
    first: Versioned<Revision?>, subscription: Subscription
  ) {
    try listen()
    let (entry, name) = enter(document)
    do {
      let current = try await database.read("observe") { try DocumentTables.current($0, document) }
      entry.update(to: current)
    } catch {
      leave(document)
      throw error
    }
    let trace = database.container.trace
    let observer = "\(trace.process.role)-\(name)"
    let announce: @Sendable (Versioned<Snapshot>) -> Void = { snapshot in
      trace.record(
        DocumentObserved(document: document.rawValue, version: snapshot.version, observer: observer))
    }
    let (first, inner) =
      switch receiver {
      case .task(let body):
        entry.store.subscribe(.newest, announcing: announce) { await body(Self.opened($0)) }
      case .inline(let body):
        entry.store.subscribeInline { snapshot in
          announce(snapshot)
          body(Self.opened(snapshot))
        }
      }
    announce(first)
    let subscription = Subscription {
      inner.cancel()
      self.leave(document)
    }
    return (Self.opened(first), subscription)
  }

  private static func opened(_ snapshot: Versioned<Snapshot>) -> Versioned<Revision?> {
    Versioned(version: snapshot.version, value: snapshot.value.revision)
  }

  /// Own commits are passed on without a look at the database.
  func committed(_ revisions: [Revision]) {
    let entries = state.withLock { state in
      revisions.compactMap { revision in state.observed[revision.document].map { ($0.0, revision) } }
    }
    for (entry, revision) in entries { entry.update(to: revision) }
  }

  private func enter(_ document: DocumentID) -> (Observed, Int) {
    state.withLock { state in
      state.nextObserver += 1
      let (entry, count) = state.observed[document] ?? (Observed(), 0)
      state.observed[document] = (entry, count + 1)
      return (entry, state.nextObserver)
    }
  }

  private func leave(_ document: DocumentID) {
    // What goes is returned, so that it is released outside the lock (S5).
    _ = state.withLock { state -> (Observed?, Subscription?) in
      guard let (entry, count) = state.observed[document] else { return (nil, nil) }
      if count > 1 {
        state.observed[document] = (entry, count - 1)
        return (nil, nil)
      }
      state.observed[document] = nil
      if !state.observed.isEmpty { return (entry, nil) }
      defer { state.changes = nil }
      return (entry, state.changes)
    }
  }

  /// Hears of other processes' commits from the first observer to the last.
  private func listen() throws {
    if state.withLock({ $0.changes != nil }) { return }
    let made = try database.onChange(reading: { [weak self] connection in self?.look(connection) })
    let spare = state.withLock { state -> Subscription? in
      if state.changes != nil { return made }
      state.changes = made
      return nil
    }
    spare?.cancel()
  }

  /// Reads what is observed on the thread that heard of the change: no other has to be woken for it.
  private func look(_ connection: SQLiteConnection) {
    for (document, entry) in state.withLock({ $0.observed.map { ($0.key, $0.value.0) } }) {
      do {
        let current = try DocumentTables.current(connection, document)
        entry.update(to: current)
      } catch {
        // A look that fails (suspended, busy) is made up for by the next change.
      }
    }
  }
}

extension DocumentStore {
  /// Tells of every newer version of a document, committed here or by another process (D4, S1, S2, G5).
  ///
  /// `first` is what is current now, `nil` where the document does not exist; `body` is called for newer
  /// versions only, in its own isolation, one call after the other. A slow receiver is told the newest and not
  /// those it missed; the bodies of all can be read. Deleting is a version with ``Revision/isDeleted``.
  public func observe(
    _ document: DocumentID, _ body: @escaping @isolated(any) @Sendable (Versioned<Revision?>) -> Void
  ) async throws -> (first: Versioned<Revision?>, subscription: Subscription) {
    try await observe(document, .task(body))
  }

  /// The same for a receiver that wants to know soonest: it is called on the thread that heard of the change, or
  /// that committed it, before anybody else is told. It must be short: it holds up every other observer (S5).
  public func observeInline(
    _ document: DocumentID, _ body: @escaping @Sendable (Versioned<Revision?>) -> Void
  ) async throws -> (first: Versioned<Revision?>, subscription: Subscription) {
    try await observe(document, .inline(body))
  }

  private func observe(
    _ document: DocumentID, _ receiver: DocumentObservers.Receiver
  ) async throws -> (first: Versioned<Revision?>, subscription: Subscription) {
    try document.validated()
    do { return try await observers.observe(document, receiver) } catch let error as StorageError {
      throw DocumentError.storage(error)
    }
  }
}
