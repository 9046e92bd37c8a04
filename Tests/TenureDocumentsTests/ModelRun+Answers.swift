import TenureDocuments

// What a store and the model must agree on: all but who wrote it when.
extension ModelRun {
  static func plain(_ revision: Revision) -> String {
    "\(revision.document)@\(revision.version) \(revision.change) on \(revision.base) \(revision.digest) "
      + "\(revision.size) \(revision.isDeleted) #\(revision.sequence) \(revision.batch?.description ?? "-")"
  }

  static func plain(_ result: CommitResult) -> String {
    switch result {
    case .committed(let revision): "committed \(plain(revision))"
    case .alreadyCommitted(let recorded, let current): "already \(plain(recorded)) now \(plain(current))"
    case .conflict(let current): "conflict \(current.map(plain) ?? "nothing")"
    }
  }

  static func plain(_ result: BatchResult) -> String {
    switch result {
    case .committed(let revisions): "committed \(revisions.map(plain))"
    case .alreadyCommitted(let recorded, let current):
      "already \(recorded.map(plain)) now \(current.map(plain))"
    case .conflict(let conflicts):
      "conflict "
        + conflicts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.map(plain) ?? "nothing")" }
        .joined()
    }
  }

  static func plain(_ result: HistoryResult) -> String {
    switch result {
    case .changes(let changes, let next): "changes \(changes.map(plain)) \(next)"
    case .startFromSnapshot(let token): "snapshot \(token)"
    }
  }

  static func plain(_ outcome: ChangeOutcome) -> String {
    switch outcome {
    case .committed(let revision): plain(revision)
    case .notCommitted: "not committed"
    }
  }

  static func plain(_ result: MergeResult) -> String {
    switch result {
    case .merged(let body): "merged \(Array(body))"
    case .conflict(let regions): "conflict \(regions)"
    case .noRule: "no rule"
    }
  }
}
