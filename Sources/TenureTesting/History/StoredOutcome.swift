import Tenure

/// What a store finally holds, read when every client has ended.
public struct StoredOutcome: Sendable, Hashable {
  /// One kept version.
  public struct Version: Sendable, Hashable {
    /// The document.
    public var document: DocumentID
    /// The version.
    public var version: Int64
    /// The edit that made it.
    public var change: ChangeID
    /// The version the edit was made on.
    public var base: Int64
    /// Its place in the history.
    public var sequence: Int64
    /// The digest the store has for it; empty for a tombstone.
    public var digest: String
    /// The digest of the bytes that are there; `nil` when they could not be read.
    public var found: String?

    /// A version by its parts; by default its bytes are what the store says.
    public init(
      _ document: DocumentID, _ version: Int64, change: ChangeID, base: Int64? = nil, sequence: Int64,
      digest: String, found: String?? = nil
    ) {
      self.document = document
      self.version = version
      self.change = change
      self.base = base ?? version - 1
      self.sequence = sequence
      self.digest = digest
      self.found = found ?? digest
    }
  }

  /// Every kept version of every document.
  public var versions: [Version]
  /// The version that is current; a document that is not named is at its highest.
  public var current: [DocumentID: Int64]
  /// Versions up to here may be missing because they were purged.
  public var purgedThrough: Int64
  /// The drafts, by client.
  public var drafts: [String: [RecoveredItem]]
  /// The number in each counting file.
  public var counters: [String: Int64]
  /// The tokens in each appended file, in order. Text between tokens that is none counts as a token.
  public var tokens: [String: [String]]
  /// What could not be read because it is damaged, one sentence each.
  public var damage: [String]

  /// An outcome by its parts.
  public init(
    versions: [Version] = [], current: [DocumentID: Int64] = [:], purgedThrough: Int64 = 0,
    drafts: [String: [RecoveredItem]] = [:], counters: [String: Int64] = [:],
    tokens: [String: [String]] = [:],
    damage: [String] = []
  ) {
    self.versions = versions
    self.current = current
    self.purgedThrough = purgedThrough
    self.drafts = drafts
    self.counters = counters
    self.tokens = tokens
    self.damage = damage
  }
}
