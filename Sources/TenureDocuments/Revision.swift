/// One version of one document, as it was committed. Never changes afterwards.
public struct Revision: Hashable, Sendable, Codable {
  /// The document.
  public let document: DocumentID
  /// Counts from 1.
  public let version: Int64
  /// The edit that made it.
  public let change: ChangeID
  /// The version the edit was made on.
  public let base: Int64
  /// SHA-256 of the body in hexadecimal; empty for a tombstone.
  public let digest: String
  /// Size of the body in bytes.
  public let size: Int64
  /// Whether it is a tombstone.
  public let isDeleted: Bool
  /// Its place in the container's history.
  public let sequence: Int64
  /// The batch it was committed in, if in one.
  public let batch: ChangeID?
  /// Who committed it, and when (G6).
  public let writer: Attribution

  /// A revision by its parts.
  public init(
    document: DocumentID, version: Int64, change: ChangeID, base: Int64, digest: String, size: Int64,
    isDeleted: Bool, sequence: Int64, batch: ChangeID? = nil, writer: Attribution
  ) {
    self.document = document
    self.version = version
    self.change = change
    self.base = base
    self.digest = digest
    self.size = size
    self.isDeleted = isDeleted
    self.sequence = sequence
    self.batch = batch
    self.writer = writer
  }
}

/// Who wrote a change and when (G6).
public struct Attribution: Hashable, Sendable, Codable {
  /// The executable's name.
  public let process: String
  /// The process ID at that time; it repeats.
  public let pid: Int32
  /// The bundle identifier, or what stands in for it.
  public let bundleIdentifier: String
  /// `app`, `scene`, `service`, `share`…
  public let role: String
  /// The app's version.
  public let appVersion: String
  /// Nanoseconds since 1970, by the writer's clock, which may jump: order is by ``Revision/sequence``.
  public let wall: Int64

  /// An attribution by its parts.
  public init(
    process: String, pid: Int32, bundleIdentifier: String, role: String, appVersion: String, wall: Int64
  ) {
    self.process = process
    self.pid = pid
    self.bundleIdentifier = bundleIdentifier
    self.role = role
    self.appVersion = appVersion
    self.wall = wall
  }
}

/// A stretch of a longer list.
public struct Page<Item: Sendable>: Sendable {
  /// The items, in order.
  public let items: [Item]
  /// What to pass as `after` for the next stretch; `nil` at the end.
  public let next: DocumentID?

  /// A page by its parts.
  public init(items: [Item], next: DocumentID?) {
    self.items = items
    self.next = next
  }
}

extension Page: Equatable where Item: Equatable {}
