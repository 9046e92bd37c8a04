import TenureTrace

/// Tells the trace of one save, from being asked for to being answered.
struct SaveReport: Sendable {
  let trace: Trace
  let purpose: SavePurpose
  let scene: String?

  func begun(_ edit: Edit) {
    trace.record(
      SaveBegun(
        document: edit.document.rawValue, version: edit.expected &+ 1, change: edit.change.description,
        base: edit.expected, purpose: purpose, bytes: edit.body.knownSize, scene: scene))
  }

  func cancelRequested(_ edit: Edit) {
    trace.record(
      CancelRequested(document: edit.document.rawValue, change: edit.change.description))
  }

  func ended(_ prepared: [PreparedEdit], _ answer: CommitStep.Answer) {
    if !trace.isOn { return }
    for (index, item) in prepared.enumerated() {
      switch answer {
      case .committed(let revisions): ended(item, .committed, revisions[index])
      case .alreadyCommitted(let recorded, _): ended(item, .alreadyCommitted, recorded[index])
      case .conflict(let conflicts):
        let current = conflicts[item.edit.document]
        if let current {
          trace.record(
            SaveConflict(
              document: item.edit.document.rawValue, change: item.edit.change.description,
              expected: item.edit.expected, current: current?.version ?? 0, scene: scene))
        }
        trace.record(
          SaveEnded(
            document: item.edit.document.rawValue, version: (current ?? nil)?.version ?? item.edit.expected,
            change: item.edit.change.description, base: item.edit.expected, purpose: purpose,
            bytes: item.body.size, outcome: .conflict, temporaryVerified: item.body.wasVerified, scene: scene)
        )
      }
    }
  }

  private func ended(_ item: PreparedEdit, _ outcome: SaveOutcome, _ revision: Revision) {
    trace.record(
      SaveEnded(
        document: item.edit.document.rawValue, version: revision.version,
        change: item.edit.change.description, base: item.edit.expected, purpose: purpose,
        bytes: item.body.size, outcome: outcome, temporaryVerified: item.body.wasVerified,
        sequence: revision.sequence, digest: String(revision.digest.prefix(16)), scene: scene))
  }

  func failed(_ edit: Edit, _ error: any Error) {
    var outcome = SaveOutcome.refused
    if error is CommitInDoubt {
      outcome = .inDoubt
      trace.record(
        SaveInDoubt(
          document: edit.document.rawValue, change: edit.change.description, reason: "\(error)"))
    } else if let error = error as? DocumentError, error.isRetryable {
      outcome = .retryable
    }
    trace.record(
      SaveEnded(
        document: edit.document.rawValue, version: edit.expected, change: edit.change.description,
        base: edit.expected, purpose: purpose, bytes: edit.body.knownSize, outcome: outcome, scene: scene))
  }
}

extension Body {
  /// Bytes, as far as they are known without looking at a file.
  var knownSize: Int64 { if case .data(let data) = self { Int64(data.count) } else { 0 } }
}

extension PreparedBody {
  /// `nil` for what is inline.
  var wasVerified: Bool? { file == nil ? nil : true }
}
