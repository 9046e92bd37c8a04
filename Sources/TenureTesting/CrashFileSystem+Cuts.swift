/// What becomes of everything that was not synced when the power goes.
///
/// ```swift
/// CutPolicy(data: .kept, names: .lost)           // the file was written out, its name was not
/// CutPolicy(data: .scattered, names: .scattered, seed: 7)
/// ```
public struct CutPolicy: Hashable, Sendable, CustomStringConvertible {
  /// What becomes of a list of unsynced changes.
  public enum Fate: String, Hashable, Sendable {
    /// None of them happened.
    case lost
    /// All of them happened.
    case kept
    /// The first few happened, how many by the seed, and of a write that was under way its first sectors.
    case prefix
    /// Any of them happened, by the seed: each sector of each write, each name, for itself.
    case scattered
  }

  /// Writes and sizes, for each file by itself.
  public var data: Fate
  /// Names.
  public var names: Fate
  /// The same seed at the same position of the same recording gives the same disk.
  public var seed: UInt64

  /// A policy by its parts.
  public init(data: Fate, names: Fate, seed: UInt64 = 0) {
    self.data = data
    self.names = names
    self.seed = seed
  }

  /// The four corners, and prefixes and scatterings by so many seeds.
  public static func standard(seeds: Int = 2) -> [CutPolicy] {
    var policies = [
      CutPolicy(data: .lost, names: .lost), CutPolicy(data: .kept, names: .kept),
      CutPolicy(data: .lost, names: .kept), CutPolicy(data: .kept, names: .lost),
    ]
    for seed in 0..<UInt64(max(0, seeds)) {
      policies.append(CutPolicy(data: .prefix, names: .prefix, seed: seed))
      policies.append(CutPolicy(data: .scattered, names: .scattered, seed: seed))
    }
    return policies
  }

  public var description: String { "data \(data.rawValue), names \(names.rawValue), seed \(seed)" }
}

/// Where a session is cut, and how the disk behaves.
public struct CutPlan: Sendable {
  /// Which positions of a recording.
  public enum Points: Hashable, Sendable {
    /// Before and after each sync, after each acknowledgement, and at the end.
    case syncs
    /// Between any two changes.
    case changes
  }

  /// How names become durable.
  public enum Names: Hashable, Sendable {
    /// Each directory for itself, as POSIX promises: a sync makes the changes of that directory durable and no
    /// others, and a move between two directories may survive in one of them only.
    case perDirectory
    /// Through one journal, as on ext4, XFS and APFS: in order, and a sync of any directory takes along all
    /// earlier changes of names.
    case journalled
  }

  /// Syncs that the disk says it did and did not do.
  public struct Ignored: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Of files.
    public static let files = Ignored(rawValue: 1)
    /// Of directories.
    public static let directories = Ignored(rawValue: 2)
  }

  /// Which positions.
  public var points: Points
  /// The position that nothing is cut before: setting up can be left out.
  public var from: Int
  /// What becomes of unsynced changes; each position is cut by each.
  public var policies: [CutPolicy]
  /// How names become durable.
  public var names: Names
  /// Syncs that do nothing: what a program would lose that left them out.
  public var ignoring: Ignored

  /// A plan by its parts.
  public init(
    at points: Points = .syncs, from: Int = 0, policies: [CutPolicy] = CutPolicy.standard(),
    names: Names = .perDirectory, ignoring: Ignored = []
  ) {
    self.points = points
    self.from = from
    self.policies = policies
    self.names = names
    self.ignoring = ignoring
  }
}

extension CrashFileSystem {
  /// A disk after the power came back.
  public struct Cut: Sendable, CustomStringConvertible {
    /// The disk. A file system like any other: it can be used, recorded and cut again.
    public let survivor: CrashFileSystem
    /// What had been acknowledged, in order.
    public let acknowledged: [String]
    /// How many changes had been made.
    public let position: Int
    /// What became of the unsynced ones.
    public let policy: CutPolicy

    public var description: String { "cut at \(position) (\(policy))" }
  }

  /// Cuts a session at each position of the plan by each of its policies, without running it again.
  ///
  /// An error that `body` throws ends the walk. Put `cut` into the comment of each expectation: its
  /// description is what ``cut(_:at:policy:plan:)`` needs to make the same disk again.
  public static func everyCut(
    of recording: Recording, _ plan: CutPlan = CutPlan(), _ body: (Cut) throws -> Void
  ) rethrows {
    var walk = CutWalk(recording, plan)
    while let cut = walk.next() { try body(cut) }
  }

  /// Cuts a session at each position of the plan by each of its policies, without running it again.
  public static func everyCut(
    of recording: Recording, _ plan: CutPlan = CutPlan(), _ body: (Cut) async throws -> Void
  ) async rethrows {
    var walk = CutWalk(recording, plan)
    while let cut = walk.next() { try await body(cut) }
  }

  /// Cuts a session at one position.
  public static func cut(
    _ recording: Recording, at position: Int, policy: CutPolicy, plan: CutPlan = CutPlan()
  ) -> Cut {
    var replay = CrashReplay(recording.origin, names: plan.names, ignoring: plan.ignoring)
    for change in recording.changes.prefix(position) { replay.advance(change) }
    return replay.cut(at: position, policy)
  }
}

/// Walks through a recording once, stopping at each cut.
private struct CutWalk {
  private let recording: CrashFileSystem.Recording
  private let plan: CutPlan
  private var replay: CrashReplay
  private var position = 0
  private var policy = 0

  init(_ recording: CrashFileSystem.Recording, _ plan: CutPlan) {
    self.recording = recording
    self.plan = plan
    replay = CrashReplay(recording.origin, names: plan.names, ignoring: plan.ignoring)
  }

  mutating func next() -> CrashFileSystem.Cut? {
    while position <= recording.changes.count {
      if policy < plan.policies.count, position >= plan.from, isPoint(position) {
        defer { policy += 1 }
        return replay.cut(at: position, plan.policies[policy])
      }
      if position < recording.changes.count { replay.advance(recording.changes[position]) }
      position += 1
      policy = 0
    }
    return nil
  }

  private func isPoint(_ position: Int) -> Bool {
    if plan.points == .changes || position == recording.changes.count { return true }
    if case .sync = recording.changes[position] { return true }
    if position == 0 { return false }
    switch recording.changes[position - 1] {
    case .sync, .acknowledge: return true
    default: return false
    }
  }
}
