/// A place in a container's history. Only meaningful in the epoch it was made in (D9, D14).
public struct HistoryToken: Hashable, Sendable, CustomStringConvertible {
  /// The container's epoch; a restored container has another.
  public let epoch: String
  /// The last change before this place; 0 is the beginning.
  public let sequence: Int64

  /// A token by its parts.
  public init(epoch: String, sequence: Int64) {
    self.epoch = epoch
    self.sequence = sequence
  }

  /// A token from its text; `nil` for anything else.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
      let sequence = Int64(text[text.index(after: colon)...]), sequence >= 0
    else { return nil }
    self.init(epoch: String(text[..<colon]), sequence: sequence)
  }

  /// `EPOCH:SEQUENCE`.
  public var description: String { "\(epoch):\(sequence)" }
}

extension HistoryToken: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let token = HistoryToken(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not a history token such as EPOCH:42")
    }
    self = token
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// What a consumer of history is given.
public enum HistoryResult: Sendable, Hashable {
  /// Every change after its token, in order, up to the limit asked for. Empty: there is nothing new.
  case changes([Revision], next: HistoryToken)
  /// The changes right after its token are gone, or the container was restored: list all documents, then go on
  /// from this token. Changes that are listed may come once more; none is left out.
  case startFromSnapshot(HistoryToken)
}

/// A consumer that is known by name and keeps its place in the container.
public struct ConsumerStatus: Hashable, Sendable {
  /// Its name.
  public let name: String
  /// Everything up to here has been acknowledged.
  public let token: HistoryToken
  /// Changes it has not acknowledged yet.
  public let behind: Int64
  /// When it last acknowledged, in nanoseconds since 1970.
  public let wall: Int64

  /// A status by its parts.
  public init(name: String, token: HistoryToken, behind: Int64, wall: Int64) {
    self.name = name
    self.token = token
    self.behind = behind
    self.wall = wall
  }
}

/// What a purge did, and who kept it from doing more (D9, D13).
public struct PurgeReport: Hashable, Sendable {
  /// Changes removed.
  public let removed: Int64
  /// History up to here may have gaps now; a token before it gets "start from a snapshot".
  public let through: Int64
  /// Body files taken away.
  public let filesRemoved: Int64
  /// The consumer that has acknowledged least, when it kept changes that would otherwise have gone.
  public let slowest: ConsumerStatus?
  /// Drafts whose bases were kept.
  public let keptForDrafts: [FlushItem]

  /// A report by its parts.
  public init(
    removed: Int64, through: Int64, filesRemoved: Int64, slowest: ConsumerStatus?, keptForDrafts: [FlushItem]
  ) {
    self.removed = removed
    self.through = through
    self.filesRemoved = filesRemoved
    self.slowest = slowest
    self.keptForDrafts = keptForDrafts
  }
}
