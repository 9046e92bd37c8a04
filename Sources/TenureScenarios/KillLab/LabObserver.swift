import Tenure
import TenureSystem
import TenureTesting

/// Notes what one subscription is told, its first snapshot before everything that came after it.
final class LabObserver: Sendable {
  private struct State {
    var hasFirst = false
    var early: [Int64] = []
  }

  private let document: DocumentID
  private let name: String
  private let log: RecordLog
  private let state = Lock(State())

  init(document: DocumentID, name: String, log: RecordLog) {
    self.document = document
    self.name = name
    self.log = log
  }

  /// Subscribes; told until the subscription is let go.
  static func subscribe(
    to document: DocumentID, of store: DocumentStore, name: String, log: RecordLog
  ) async throws -> Subscription {
    let observer = LabObserver(document: document, name: name, log: log)
    let (first, subscription) = try await store.observe(document) { @Sendable in observer.told($0.version) }
    observer.began(first.version)
    return subscription
  }

  private func began(_ version: Int64) {
    note(version)
    // What was told meanwhile is noted after it; only then may the rest go out by itself.
    while let early = takeEarly() {
      for version in early { note(version) }
    }
  }

  private func takeEarly() -> [Int64]? {
    state.withLock { state in
      if state.early.isEmpty {
        state.hasFirst = true
        return nil
      }
      defer { state.early = [] }
      return state.early
    }
  }

  private func told(_ version: Int64) {
    let isNotable = state.withLock { state in
      if !state.hasFirst { state.early.append(version) }
      return state.hasFirst
    }
    if isNotable { note(version) }
  }

  private func note(_ version: Int64) {
    log.note(.observe(document, observer: name), .observed(version: version))
  }
}
