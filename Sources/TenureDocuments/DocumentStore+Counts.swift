import TenureStorage

/// How much a store holds.
public struct StoreCounts: Sendable, Hashable {
  /// Documents that are not deleted.
  public let documents: Int64
  /// Kept versions of all documents, tombstones included.
  public let versions: Int64
  /// Kept drafts.
  public let drafts: Int64

  /// Counts by their parts.
  public init(documents: Int64, versions: Int64, drafts: Int64) {
    self.documents = documents
    self.versions = versions
    self.drafts = drafts
  }
}

extension DocumentStore {
  /// Counts what is there, all at one moment. Takes as long as a listing without its rows.
  public func counts() async throws -> StoreCounts {
    try await reading("counts") { try DocumentTables.counts($0) }
  }
}
