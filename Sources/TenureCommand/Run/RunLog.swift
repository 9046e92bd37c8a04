import Notebook
import Tenure
import TenureSystem

/// What a run says, a line at a time: to standard output, or to standard error where that carries JSON.
struct RunLog: Sendable {
  let terminal: Terminal
  let clock: any SystemClock
  /// Standard output is for JSON.
  let isQuiet: Bool
  var view: LiveView?

  init(terminal: Terminal, clock: any SystemClock, isQuiet: Bool, view: LiveView? = nil) {
    self.terminal = terminal
    self.clock = clock
    self.isQuiet = isQuiet
    self.view = view
  }

  /// Says one thing, with the time of day. Names in it may come from anywhere.
  func say(_ text: String, _ style: Terminal.Style? = nil) {
    let text = text.printable()
    let time = terminal.styled(timeOfDay(clock.wall), .dim)
    let line = "\(time) \(style.map { terminal.styled(text, $0) } ?? text)"
    if let view {
      view.log(line)
    } else if isQuiet {
      terminal.complain(line)
    } else {
      terminal.print(line)
    }
  }

  /// Says what an import did.
  func imported(_ report: ImportReport, from folder: String) {
    let new = report.committed.count
    let what =
      report.unchanged == 0 ? "\(new) imported" : "\(new) imported, \(report.unchanged) were imported before"
    say("\(folder): \(report.files) files, \(what).")
    for problem in report.problems { say("Not imported: \(problem)", .yellow) }
    for document in report.missing {
      say("Gone from the folder: \(document). The document is kept.", .yellow)
    }
    for conflict in report.conflicts {
      let now = conflict.current.map { $0.isDeleted ? "deleted" : "version \($0.version)" } ?? "gone"
      let kept =
        conflict.isKept
        ? "`tenure store settle \(shellWord(conflict.document.rawValue)) mine|theirs|merge` settles it"
        : "the file is too large to keep as a draft; rename it to import it apart"
      say(
        "Conflict: \(conflict.document) changed outside since version \(conflict.base), and is \(now). "
          + "Nothing was overwritten; \(kept).", .red)
    }
  }

  /// Says what a flush saved.
  func flushed(_ report: FlushReport, by who: String) {
    func list(_ items: [FlushItem]) -> String {
      items.isEmpty ? "none" : items.map { "\($0.document)" }.joined(separator: ", ")
    }
    say(
      "\(who): saved \(list(report.saved)); unsaved \(list(report.unsaved)); in doubt \(list(report.inDoubt))."
    )
  }
}

extension RecoveredDraft {
  /// What was found, in words.
  var sentence: String {
    let what = "\(draft.scene)'s draft of \(draft.document) on version \(draft.base)"
    return switch standing {
    case .current: "\(what); the document has not changed since."
    case .documentMovedOn(let current):
      "\(what); the document moved on to version \(current?.version ?? 0), settle it."
    case .deleted(let revision): "\(what); the document was deleted by version \(revision.version)."
    case .alreadyCommitted(let revision): "\(what) was saved as version \(revision.version) after all."
    case .inDoubt: "\(what); whether it was saved is not known yet."
    case .damaged(let reason):
      "\(what) is damaged: \(reason). `tenure store settle \(shellWord(draft.document.rawValue)) theirs "
        + "--scene \(shellWord(draft.scene))` removes it."
    }
  }
}

/// A word as one would type it to a shell.
func shellWord(_ text: String) -> String {
  let plain = text.allSatisfy { $0.isLetter || $0.isNumber || "/._-@+".contains($0) }
  return plain && !text.isEmpty
    ? text
    : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
