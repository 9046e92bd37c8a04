import TenureStorage
import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureDocuments

@Suite("History") struct HistoryTests {
  @Test("D9: every change, once, in the order of commits, however it is paged", arguments: [1, 3, 100])
  func pages(limit: Int) async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let other = try await fixture.open()
      var committed: [Revision] = []
      for index in 0..<10 {
        let writer = index % 2 == 0 ? store : other
        committed.append(
          try await writer.write("\(index)", to: DocumentID("a\(index % 3)"), expecting: Int64(index / 3)))
      }
      var found: [Revision] = []
      var token: HistoryToken?
      while true {
        guard case .changes(let changes, let next) = try await store.history(after: token, limit: limit)
        else {
          Issue.record("snapshot")
          return
        }
        if changes.isEmpty { break }
        found += changes
        token = next
      }
      #expect(found == committed)
      #expect(zip(found, found.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
    }
  }

  @Test("D9: a consumer's place is kept in the container and moves with its effect, or not at all")
  func consumer() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open(components: [CommitTests.Row.component])
      try await store.write("1", to: "a", expecting: 0)
      try await store.write("2", to: "a", expecting: 1)
      guard case .changes(let first, let next) = try await store.history(after: nil, for: "index", limit: 1)
      else { return }
      #expect(first.map(\.version) == [1])
      await #expect(throws: Unexpected.self) {
        try await store.acknowledge(next, for: "index", with: [CommitTests.Row(text: "x", fails: true)])
      }
      #expect(try await store.consumers().map(\.token.sequence) == [0])
      try await store.acknowledge(next, for: "index", with: [CommitTests.Row(text: "indexed 1")])
      let other = try await fixture.open()
      guard case .changes(let rest, _) = try await other.history(after: nil, for: "index") else { return }
      #expect(rest.map(\.version) == [2])
      #expect(try await CommitTests.Row.all(store) == ["indexed 1"])
      #expect(try await store.consumers().map(\.behind) == [1])
    }
  }

  @Test("D9: of two clients that run one consumer, the slower one's effect is undone", arguments: [1, 2])
  func twoOfOne(limit: Int) async throws {
    try await Fixture.run { fixture in
      let one = try await fixture.open(components: [CommitTests.Row.component])
      let two = try await fixture.open(components: [CommitTests.Row.component])
      for version in 0..<3 { try await one.write("\(version)", to: "a", expecting: Int64(version)) }
      guard case .changes(_, let first) = try await one.history(after: nil, for: "index", limit: 1),
        case .changes(_, let second) = try await two.history(after: nil, for: "index", limit: limit)
      else { return }
      try await one.acknowledge(first, for: "index", with: [CommitTests.Row(text: "one")])
      // Equal token, or one that overlaps: either way change 1 would take effect twice.
      await #expect {
        try await two.acknowledge(second, for: "index", with: [CommitTests.Row(text: "two")])
      } throws: { error in
        guard case .acknowledgedElsewhere("index", let place) = error as? DocumentError else { return false }
        return place == first
      }
      #expect(try await CommitTests.Row.all(one) == ["one"])
      // Without an effect, saying it again is harmless.
      try await one.acknowledge(first, for: "index")
    }
  }

  @Test(
    "D9: one acknowledgement stands for several pages, or for some of them, and has its effect once",
    arguments: [true, false])
  func pages(isPartial: Bool) async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open(components: [CommitTests.Row.component])
      for version in 0..<4 { try await store.write("\(version)", to: "a", expecting: Int64(version)) }
      var tokens: [HistoryToken] = []
      for _ in 0..<3 {
        guard
          case .changes(let page, let next) = try await store.history(
            after: tokens.last, for: "index", limit: 1), page.count == 1
        else {
          Issue.record("no page of one change")
          return
        }
        tokens.append(next)
      }
      if isPartial {
        try await store.acknowledge(tokens[1], for: "index", with: [CommitTests.Row(text: "1, 2")])
        await #expect(throws: DocumentError.acknowledgedElsewhere(consumer: "index", at: tokens[1])) {
          try await store.acknowledge(tokens[1], for: "index", with: [CommitTests.Row(text: "again")])
        }
      }
      try await store.acknowledge(tokens[2], for: "index", with: [CommitTests.Row(text: "to 3")])
      await #expect(throws: DocumentError.acknowledgedElsewhere(consumer: "index", at: tokens[2])) {
        try await store.acknowledge(tokens[2], for: "index", with: [CommitTests.Row(text: "again")])
      }
      #expect(try await CommitTests.Row.all(store) == (isPartial ? ["1, 2", "to 3"] : ["to 3"]))
      #expect(try await store.consumers().map(\.behind) == [1])
    }
  }

  @Test("D9: of two clients that read several pages each, the slower one's effect is undone")
  func pagesOfTwo() async throws {
    try await Fixture.run { fixture in
      let one = try await fixture.open(components: [CommitTests.Row.component])
      let two = try await fixture.open(components: [CommitTests.Row.component])
      for version in 0..<4 { try await one.write("\(version)", to: "a", expecting: Int64(version)) }
      var reached: [HistoryToken?] = [nil, nil]
      for (index, client) in [one, two].enumerated() {
        for _ in 0...index {
          guard
            case .changes(_, let next) = try await client.history(
              after: reached[index], for: "index", limit: 1)
          else { return }
          reached[index] = next
        }
      }
      let (first, second) = (try #require(reached[0]), try #require(reached[1]))
      try await one.acknowledge(first, for: "index", with: [CommitTests.Row(text: "one")])
      await #expect(throws: DocumentError.acknowledgedElsewhere(consumer: "index", at: first)) {
        try await two.acknowledge(second, for: "index", with: [CommitTests.Row(text: "two")])
      }
      #expect(try await CommitTests.Row.all(one) == ["one"])
    }
  }

  @Test(
    "D9, D13: a purge stops at the slowest live consumer and names it; retired, it is no longer in the way")
  func purge() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      for version in 0..<6 { try await store.write("\(version)", to: "a", expecting: Int64(version)) }
      guard case .changes(_, let slow) = try await store.history(after: nil, for: "slow", limit: 2),
        case .changes(_, let quick) = try await store.history(after: nil, for: "quick")
      else { return }
      try await store.acknowledge(slow, for: "slow")
      try await store.acknowledge(quick, for: "quick")
      let held = try await store.purge(keepingVersions: 1)
      #expect(held.removed == 2)
      #expect(held.through == 2)
      #expect(held.slowest?.name == "slow")
      #expect(held.slowest?.behind == 4)
      guard case .changes(let rest, _) = try await store.history(after: nil, for: "slow") else {
        Issue.record("a live consumer lost its place")
        return
      }
      #expect(rest.map(\.version) == [3, 4, 5, 6])
      #expect(try await store.retire(consumer: "slow"))
      #expect(try await !store.retire(consumer: "slow"))
      let rest2 = try await store.purge(keepingVersions: 1)
      #expect(rest2.removed == 3)
      #expect(rest2.slowest == nil)
      #expect(try await store.versions(of: "a").map(\.version) == [6])
      #expect(fixture.ring.events(HistoryPurged.self).map(\.slowest) == ["slow", nil])
    }
  }

  @Test(
    "D9: too old a token gets 'start from a snapshot', never a gap; so does one of another epoch or ahead")
  func tooOld() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      for version in 0..<4 { try await store.write("\(version)", to: "a", expecting: Int64(version)) }
      guard case .changes(_, let old) = try await store.history(after: nil, limit: 1) else { return }
      _ = try await store.purge(keepingVersions: 1)
      let now = HistoryToken(epoch: old.epoch, sequence: 4)
      for token in [
        nil, old, HistoryToken(epoch: "other", sequence: 4), HistoryToken(epoch: old.epoch, sequence: 5),
      ] {
        #expect(try await store.history(after: token) == .startFromSnapshot(now))
      }
      #expect(try await store.history(after: now) == .changes([], next: now))
      let next = try await store.write("5", to: "a", expecting: 4)
      #expect(
        try await store.history(after: now)
          == .changes([next], next: HistoryToken(epoch: old.epoch, sequence: next.sequence)))
    }
  }

  @Test("D2: a purged change sent again meets a conflict, never a second effect")
  func purgedChange() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let edit = Edit(of: "a", expecting: 0, body: .data(data("1")))
      _ = try await store.commit(edit)
      let current = try await store.write("2", to: "a", expecting: 1)
      _ = try await store.purge(keepingVersions: 1)
      #expect(try await store.commit(edit) == .conflict(current: current))
    }
  }

  @Test("A purge keeps current versions, tombstones, and the bases of drafts, and takes body files away")
  func keeps() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let large = Data(repeating: 1, count: 100_000)
      _ = try await store.commit(Edit(of: "a", expecting: 0, body: .data(large)))
      _ = try await store.commit(Edit(of: "a", expecting: 1, body: .data(large)))
      try await store.write("3", to: "a", expecting: 2)
      try await store.write("1", to: "b", expecting: 0)
      _ = try await store.commit(Edit(of: "b", expecting: 1, body: .deleted))
      let draft = Draft(scene: "left", document: "a", change: ChangeID(), base: 2, body: data("draft"))
      try await store.checkpoint(draft)
      let report = try await store.purge(keepingVersions: 1)
      #expect(report.removed == 2)
      #expect(report.keptForDrafts == [FlushItem(document: "a", change: draft.change, scene: "left")])
      #expect(try await store.versions(of: "a").map(\.version) == [3, 2])
      #expect(try await store.versions(of: "b").map(\.version) == [2])
      #expect(try await Array(store.body(of: "a", version: 2).data) == Array(large))
      #expect(try fixture.bodies.count == 1)
      #expect(try await store.check().isEmpty)
    }
  }
}

@Suite("Merging") struct MergeTests {
  @Test("D8: without a rule the conflict stays; with one, both changes go in against the kept base")
  func merge() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      try await store.write("a\nb\nc\n", to: "plan.md", expecting: 0)
      try await store.write("a\nb\nC\n", to: "plan.md", expecting: 1)
      let mine = Edit(of: "plan.md", expecting: 1, body: .data(data("A\nb\nc\n")))
      guard case .noRule = try await store.merge(mine, onto: 2) else {
        Issue.record("merged without a rule")
        return
      }
      store.register(LineMerge(), forKind: "MD")
      #expect(try await store.merge(mine, onto: 2) == .merged(data("A\nb\nC\n")))
      let touching = Edit(of: "plan.md", expecting: 1, body: .data(data("a\nb\nX\n")))
      #expect(
        try await store.merge(touching, onto: 2)
          == .conflict([ConflictRegion(base: 2..<3, mine: 2..<3, theirs: 2..<3)]))
      // Nothing was committed by any of it.
      #expect(try await store.revision(of: "plan.md")?.version == 2)
      #expect(fixture.ring.events(MergeTried.self).map(\.merged) == [false, true, false])
    }
  }

  @Test("D8: a purged base is no reason to guess, and a deletion never merges")
  func noBase() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      store.register(LineMerge(), forKind: "*")
      try await store.write("a\n", to: "x", expecting: 0)
      try await store.write("b\n", to: "x", expecting: 1)
      _ = try await store.purge(keepingVersions: 1)
      guard
        case .noRule(let reason) = try await store.merge(
          Edit(of: "x", expecting: 1, body: .data(data("c\n"))), onto: 2)
      else {
        Issue.record("merged without a base")
        return
      }
      #expect(reason.contains("no longer kept"))
      #expect(try await store.merge(Edit(of: "x", expecting: 2, body: .deleted), onto: 2) == .conflict([]))
      _ = try await store.commit(Edit(of: "x", expecting: 2, body: .deleted))
      #expect(
        try await store.merge(Edit(of: "x", expecting: 2, body: .data(data("c\n"))), onto: 3) == .conflict([])
      )
    }
  }
}
