import TenureFindings
import TenureTrace

/// How far a save got that was never answered.
public enum SaveStage: String, Sendable, Comparable, CaseIterable {
  /// It was asked for.
  case begun
  /// Its body stands in a file of its own, which no version points at.
  case bodyWritten
  /// Its process waited for the lock.
  case lockWanted
  /// Its process held the lock.
  case lockTaken
  /// A transaction of its process was committed: the edit may be in it.
  case committed
  /// Its caller was told that the outcome cannot be known yet.
  case inDoubt

  public static func < (one: SaveStage, other: SaveStage) -> Bool { one.rank < other.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What a trace tells of one document that "vanished".
public struct VanishedStory: Sendable {
  /// A save that was begun and not answered, or answered "in doubt" and not looked up.
  public struct Unfinished: Sendable {
    /// Its change ID: `tenure store` and `outcome(of:)` answer what became of it.
    public let change: String
    /// The version it edits.
    public let base: Int64
    /// Draft or version.
    public let purpose: SavePurpose
    /// The scene that asked.
    public let scene: String?
    /// Where it began.
    public let begun: Evidence
    /// Where it stopped.
    public internal(set) var stage: SaveStage = .begun
    /// The event that shows how far it got.
    public internal(set) var reached: Evidence
    /// Whether its body was read back; nil when it has no file.
    public internal(set) var bodyVerified: Bool?
    /// What its process did afterwards.
    public internal(set) var process: ProcessEnd = .unknown
  }

  /// What became of the process of an unfinished save.
  public enum ProcessEnd: Hashable, Sendable {
    case unknown
    /// It recorded on: the save is perhaps still under way, or its answer was not recorded.
    case wentOn
    /// It recorded nothing more while others did, for so many nanoseconds.
    case silent(UInt64)
    /// Another process found its lease free: it had ended.
    case reaped
    /// The trace ends with it.
    case endOfTrace
  }

  /// An edit that expected a version which was not current.
  public struct Overlap: Sendable {
    /// Its change ID.
    public let change: String
    /// The scene that asked.
    public let scene: String?
    /// The version it expected.
    public let expected: Int64
    /// The version it met.
    public let current: Int64
    /// The event.
    public let evidence: Evidence
    /// Whether the same change was committed later, or its draft discarded.
    public internal(set) var settled = false
  }

  /// A version that was committed.
  public struct Save: Sendable {
    /// What was recorded.
    public let event: SaveEnded
    /// The event.
    public let evidence: Evidence
  }

  /// The document.
  public let document: String
  /// The last version that was committed.
  public internal(set) var lastSave: Save?
  /// Unanswered saves, oldest first; the last 32.
  public internal(set) var unfinished: [Unfinished] = []
  /// Scenes that edited a version others had moved on from; the last 32.
  public internal(set) var overlaps: [Overlap] = []
  /// Versions whose base another version shares: edits that were overwritten.
  public internal(set) var overwritten: [Save] = []
  /// Other things a person should know: refused saves, deleted drafts; the last 32.
  public internal(set) var others: [Evidence] = []
  /// More happened than is kept.
  public internal(set) var shortened = false

  init(document: String) { self.document = document }

  /// Whether there is anything to tell.
  public var isSuspicious: Bool {
    !unfinished.isEmpty || overlaps.contains { !$0.settled } || !overwritten.isEmpty
      || lastSave?.event.temporaryVerified == false || !others.isEmpty
  }
}
