import TenureState
import TenureSystem

@testable import TenureDocuments

/// One subscription to a document, and every version it has heard of.
final class Observation: Sendable {
  /// A lock cannot be captured; an object that holds one can.
  private final class Heard: Sendable { let versions = Monitor<[Int64]>([]) }

  let document: DocumentID
  let first: Versioned<Revision?>
  private let heard: Heard
  private let subscription: Subscription

  init(of document: DocumentID, in store: DocumentStore) async throws {
    let heard = Heard()
    self.document = document
    self.heard = heard
    (first, subscription) = try await store.observe(document) { @Sendable snapshot in
      heard.versions.change { $0.append(snapshot.version) }
    }
  }

  /// From the first snapshot on.
  var versions: [Int64] { [first.version] + heard.versions.withLock { $0 } }

  /// Waits until a version or a later one was heard of; the limit only ends a test that has failed.
  func waits(for version: Int64) async throws -> Bool {
    if first.version >= version { return true }
    return try await SystemThread.run(name: "observation") { [heard] in
      heard.versions.wait(timeout: 20_000_000_000) { $0.last ?? 0 >= version ? true : nil } ?? false
    }
  }
}
