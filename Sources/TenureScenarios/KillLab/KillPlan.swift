import TenureSystem
import TenureTesting

/// Where a worker is to be killed.
enum KillPlan: Sendable, Hashable {
  /// It kills itself there.
  case at(KillPoint)
  /// The lab kills it from outside while it works: after so many of its lines.
  case afterLines(Int)
  /// It is stopped after so many of its lines, wherever it is, and goes on later.
  case stopped(afterLines: Int)
  /// It kills itself there while it starts again, after one of the others.
  case whileStarting(KillPoint)

  /// A plan, most often inside a commit: after it was asked for and before it is answered. `insideCommit`
  /// leaves the others out.
  static func draw(_ random: inout LabRandom, insideCommit: Bool) -> KillPlan {
    let turn = Int.random(in: 1...6, using: &random)
    let step = Int.random(in: 1...3, using: &random)
    let commit = KillPoint.event("save.begun/commit", turn)
    let locked = commit.then(.event("lock.taken/commit"))
    return switch Int.random(in: 0..<(insideCommit ? 56 : 100), using: &random) {
    case ..<12: .at(commit)
    case ..<20: .at(locked)
    case ..<34: .at(locked.then(.call(.databaseWrite, step)))
    case ..<46: .at(locked.then(.call(.databaseSync, 1)))
    case ..<56: .at(locked.then(.event("database.committed")))
    // From here on the commit may have been answered, by a conflict for one, before the point is reached.
    case ..<62: .at(commit.then(.event("lock.released/commit")))
    case ..<66: .at(commit.then(.call(.fsync, 1)))
    case ..<70: .at(commit.then(.call(.rename, 1)))
    case ..<73: .at(commit.then(.call(.unlock, 1)))
    case ..<79: .at(.event("body.written", step))
    case ..<82: .at(.event("save.ended/commit", turn))
    case ..<88: .at(.event("save.ended/commit", turn).then(.call(.databaseSync, 1)))
    case ..<90: .at(.event("file.replaced", step))
    // In the steps of a purge's sweep, and when it is through.
    case ..<91: .at(.call(.unlink, step))
    case ..<92: .at(.event("history.purged"))
    case ..<94: .whileStarting(.call([.databaseWrite, .databaseSync, .fsync][step - 1], 1))
    default: .afterLines(Int.random(in: 1...120, using: &random))
    }
  }
}
