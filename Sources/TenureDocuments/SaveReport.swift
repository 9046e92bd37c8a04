import TenureSystem
import TenureTrace

/// Tells the trace of one save, from being asked for to being answered.
struct SaveReport: Sendable {
  let trace: Trace
  let purpose: SavePurpose
  let scene: String?
  /// Sizes of bodies that are given as files.
  let fileSizes: [ChangeID: Int64]

  /// Looks at the files among the bodies, so that their sizes can be told from the first event on. Only where
  /// somebody listens.
  static func about(
    _ edits: [Edit], to trace: Trace, purpose: SavePurpose, scene: String?, files: FileWork, system: System
  ) async -> SaveReport {
    var paths: [ChangeID: String] = [:]
    for edit in edits {
      if case .file(let url) = edit.body { paths[edit.change] = url.path }
    }
    var sizes: [ChangeID: Int64] = [:]
    if trace.isOn, !paths.isEmpty {
      // What cannot be looked at has no size; the save that follows says why.
      let found = try? await files.run { [paths] in
        paths.compactMapValues { (try? system.status($0))??.size }
      }
      sizes = found ?? [:]
    }
    return SaveReport(trace: trace, purpose: purpose, scene: scene, fileSizes: sizes)
  }

  func begun(_ edit: Edit) {
    trace.record(
      SaveBegun(
        document: edit.document.rawValue, version: edit.expected &+ 1, change: edit.change.description,
        base: edit.expected, purpose: purpose, bytes: size(of: edit), scene: scene))
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
        base: edit.expected, purpose: purpose, bytes: size(of: edit), outcome: outcome, scene: scene))
  }
  private func size(of edit: Edit) -> Int64 {
    switch edit.body {
    case .data(let data): Int64(data.count)
    case .file: fileSizes[edit.change] ?? 0
    case .deleted: 0
    }
  }
}
