import Notebook
import Tenure

extension SettleResult {
  /// Whether the conflict is over.
  var isSettled: Bool {
    switch self {
    case .saved, .dropped: true
    case .cannotMerge, .noRule, .movedOnAgain: false
    }
  }

  /// What it came to, in words.
  var sentence: String {
    switch self {
    case .saved(let revision): return "Saved \(revision.document) as version \(revision.version)."
    case .dropped(let current): return "The draft is gone; the document is version \(current?.version ?? 0)."
    case .cannotMerge(let regions):
      let places = regions.map { "\($0.mine.lowerBound + 1)" }.joined(separator: ", ")
      return "Both changed the same lines (at line \(places) of the draft). Edit, or settle mine or theirs."
    case .noRule(let why): return "Cannot merge: \(why). Settle mine or theirs."
    case .movedOnAgain(let current):
      return "The document moved on again, to version \(current?.version ?? 0). Settle once more."
    }
  }
}
