import Tenure

extension Scenario {
  /// D9: the search index asks what changed.
  static let changedSinceLastTime = Scenario(
    law: .d9, name: "changed since last time",
    moment: """
      Two notes are saved at about the same time. The index looks between the two; the one that it has not seen \
      yet bears the earlier time.
      """,
    rule: "D9.gap",
    customary: Side("Asks for everything whose time of change is later than the latest it knows.") { stage in
      let trace = try stage.trace()
      var stamps: [(note: String, time: Int64)] = []
      var latest: Int64 = 0
      var index: Set<String> = []
      func look() {
        let new = stamps.filter { $0.time > latest }
        let before = latest
        index.formUnion(new.map(\.note))
        latest = max(latest, new.map(\.time).max() ?? latest)
        trace.record(
          HistoryRead(
            consumer: "index", after: before, through: latest, changes: new.map(\.time).sorted(),
            snapshot: false))
      }
      // The slow writer took its time stamp first and its file became visible last.
      for (note, time) in [("fast.md", Int64(20)), ("slow.md", 10)] {
        let change = ChangeID()
        trace.begun(note, change, base: 0, note)
        try stage.folder.write(note, note)
        stamps.append((note, time))
        trace.ended(note, change, version: 1, base: 0, note, sequence: time)
        look()
      }
      return verdict(index)
    },
    tenure: Side("Asks for what comes after its token; places are given out in the order of commits.") {
      stage in
      let workspace = try await stage.workspace()
      let documents = workspace.documents
      var index: Set<String> = []
      for note in ["fast.md", "slow.md"] {
        try await documents.begin(DocumentID(note), note)
        guard case .changes(let changes, let next) = try await documents.history(after: nil, for: "index")
        else {
          return .broken("the index was sent to a snapshot")
        }
        index.formUnion(changes.map(\.document.rawValue))
        try await documents.acknowledge(next, for: "index")
      }
      await workspace.close()
      return verdict(index)
    })

  private static func verdict(_ index: Set<String>) -> Verdict {
    index == ["fast.md", "slow.md"]
      ? .held("the index knows both notes") : .broken("the index will never know slow.md")
  }
}
