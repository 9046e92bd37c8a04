import TenureStorage
import TenureSystem

// What apps customarily do, for the lab: run only when a guard was taken away by code of this package.
extension DocumentStore {
  /// D4, D5 and D9 without their guards.
  func performUnguarded(
    _ prepared: [PreparedEdit], _ batch: ChangeID?, _ participants: [any CommitParticipant], _ flight: Flight
  ) async throws -> CommitStep.Answer {
    var edits = prepared
    if !guards.d4 {
      // The number is read first and written later; whoever was faster in between is overtaken.
      for index in edits.indices {
        let document = edits[index].edit.document
        edits[index].seen =
          try await reading("look") { try DocumentTables.current($0, document)?.version } ?? 0
      }
    }
    if !guards.d9 {
      for index in edits.indices { edits[index].reserved = try await reservedPlace() }
    }
    var first = edits
    if !guards.d5 {
      // The version goes ahead of its body, which follows in a transaction of its own.
      for index in edits.indices where edits[index].body.inline != nil {
        let edit = edits[index].edit
        let old = try? await body(of: edit.document).data
        first[index] = PreparedEdit(
          edit: edit,
          body: PreparedBody(
            digest: edits[index].body.digest, size: edits[index].body.size,
            inline: old.map { Array($0) } ?? []),
          seen: edits[index].seen, reserved: edits[index].reserved)
      }
    }
    let step = CommitStep(
      edits: first, batch: batch, writer: writer, guards: guards, participants: participants)
    let answer = try await writing("commit") { transaction in
      try flight.begin()
      return try step.run(transaction)
    }
    if !guards.d5, case .committed(let revisions) = answer {
      for (revision, item) in zip(revisions, edits) {
        guard let bytes = item.body.inline else { continue }
        try await writing("body") { transaction in
          try transaction.connection.run(
            "UPDATE changes SET inline = ? WHERE sequence = ?", .blob(bytes), .integer(revision.sequence))
        }
      }
    }
    return answer
  }

  /// D9 without its guard: places are cached by each process, so that whoever took its block later may commit
  /// earlier.
  private func reservedPlace() async throws -> Int64 {
    func next() -> Int64? { places.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    if let place = next() { return place }
    let block = try await writing("reserve") { transaction in
      try (0..<32).map { _ in try transaction.nextSequence() }
    }
    places.withLock { $0 += block }
    return next() ?? block[0]
  }

  /// D6 without its guard: the checkpoint is said to be kept and is written some time.
  func keepLater(_ draft: Draft, _ body: PreparedBody) {
    let clock = system.clock
    Task {
      try? await clock.sleep(for: .seconds(1))
      let (options, trace) = (options, trace)
      _ = try? await writing("checkpoint") { transaction in
        try Self.put(draft, body, transaction, options, trace)
      }
    }
  }
}
