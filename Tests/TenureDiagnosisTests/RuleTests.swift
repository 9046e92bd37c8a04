import TenureFindings
import TenureTrace
import Testing

@testable import TenureDiagnosis

private func check(_ steps: [TraceEntry]) -> Report {
  var engine = RuleEngine()
  for entry in steps { engine.take(entry) }
  return engine.report(inputs: ["made"])
}

private func found(_ steps: [TraceEntry]) -> [String] { check(steps).findings.map(\.rule.id) }

private let examples = documentExamples + groupExamples

@Suite("The rules")
struct RuleTests {
  @Test("find what they are for, and nothing else does", arguments: examples)
  func bad(example: RuleExample) {
    let report = check(entries(example.bad))
    #expect(report.findings.map(\.rule.id) == [example.rule])
    for finding in report.findings {
      #expect(!finding.evidence.isEmpty && !finding.subject.isEmpty)
      #expect(finding.what.hasSuffix("."))
    }
  }

  @Test("leave the nearest harmless thing alone", arguments: examples)
  func good(example: RuleExample) {
    #expect(found(entries(example.good)) == [])
  }

  @Test("are each shown by an example, have one law and different IDs")
  func registry() {
    let ids = RuleRegistry.all.map(\.id)
    #expect(Set(ids) == Set(examples.map(\.rule)))
    #expect(Set(ids).count == ids.count)
    #expect(RuleRegistry.all.allSatisfy { $0.id.hasPrefix($0.law.rawValue + ".") })
    let laws: [Law] = [
      .d1, .d2, .d3, .d4, .d5, .d6, .d7, .d8, .d9, .d10, .d11, .d12, .d13, .g2, .g3, .g5, .g6,
    ]
    #expect(Set(RuleRegistry.all.map(\.law)) == Set(laws))
    #expect(
      RuleRegistry.rules.allSatisfy { type in
        let kinds = Set(type.kinds.map { $0.kind })
        return type.description.needs.allSatisfy { needed in
          needed.allSatisfy {
            kinds.contains($0) || $0 == ProcessStarted.kind || $0 == FileReplaced.kind
              || $0 == FileWritten.kind
          }
        }
      })
  }

  @Test("take an event that was recorded twice for one", arguments: examples)
  func doubled(example: RuleExample) {
    let good = entries(example.good)
    for index in good.indices {
      #expect(found(Array(good[...index]) + Array(good[index...])) == [], "event \(index) twice")
    }
  }

  @Test("find a missing event or are not misled by it", arguments: examples)
  func dropped(example: RuleExample) {
    let good = entries(example.good)
    var turned = false
    for index in good.indices {
      var some = good
      some.remove(at: index)
      let ids = found(some)
      turned = turned || ids.contains(example.rule)
      // Whatever they say then is about the law that the event was there for.
      #expect(ids.allSatisfy { $0.hasPrefix(example.rule.split(separator: ".")[0] + ".") }, "event \(index)")
    }
    #expect(turned == example.isFragile)
  }

  @Test("say nothing of other laws when neighbours change places", arguments: examples)
  func swapped(example: RuleExample) {
    let good = entries(example.good)
    for index in good.indices.dropLast() {
      var other = good
      other.swapAt(index, index + 1)
      #expect(
        found(other).allSatisfy { $0.hasPrefix(example.rule.split(separator: ".")[0] + ".") },
        "events \(index) and \(index + 1)")
    }
  }

  @Test("answer the same whenever they are asked, whatever is mixed into the trace")
  func mixed() {
    // All good traces at once, each with documents, changes and processes as they are: a heap of events.
    var random = SplitMix(state: 9)
    for _ in 0..<30 {
      var heap = examples.flatMap { entries($0.good) }
      heap.shuffle(using: &random)
      let first = check(heap)
      let second = check(heap)
      #expect(first.findings == second.findings)
      #expect(first.answers == second.answers)
    }
  }
}

@Suite("The rule engine")
struct RuleEngineTests {
  @Test("cannot tell what was not recorded, and says how to record it")
  func cannotTell() {
    let report = check(entries([Step(1, SceneForeground(scene: "left"))]))
    #expect(report.findings.isEmpty)
    for answer in report.answers {
      guard case .cannotTell(let why, let remedy) = answer.verdict else {
        Issue.record("\(answer.rule.id) says \(answer.verdict)")
        continue
      }
      #expect(why.hasPrefix("no event ") && remedy.contains("Workspace.open"))
    }
  }

  @Test("is clean where it saw what it needs")
  func clean() {
    let report = check(entries(saved(1, "c1", 0)))
    let clean = report.answers.filter { $0.verdict == .clean }.map(\.rule.id)
    #expect(clean.contains("D1.lost") && clean.contains("D3.overwrite") && !clean.contains("D7.late"))
  }

  @Test("does not take what was dropped for what did not happen")
  func dropped() throws {
    let draft = try #require(examples.first { $0.rule == "D6.draft-lost" })
    let lost = [Step(3, TraceDropped(count: 2, reason: "write: No space left on device"))]
    let report = check(entries(draft.bad + lost))
    #expect(report.findings.isEmpty)
    guard
      case .cannotTell(let why, _) = report.answers.first(where: { $0.rule.id == "D6.draft-lost" })?.verdict
    else {
      Issue.record("not said")
      return
    }
    #expect(why.contains("2 events could not be recorded before p3.jsonl:4"))
  }

  @Test("does not take a removed beginning for what did not happen")
  func removedBeginning() throws {
    let kept = try #require(examples.first { $0.rule == "G2.kept" })
    let steps = [Step(1, ProcessStarted(format: 1, boot: "boot", segment: 4))] + kept.bad
    #expect(check(entries(steps)).findings.isEmpty)
  }

  @Test("reports a hundred findings of a rule one by one and counts the rest")
  func manyFindings() {
    let steps = (0..<130).map { Step(1, FileWritten(file: "f\($0)", bytes: 1)) }
    let report = check(entries(steps))
    #expect(report.findings.count == 100)
    #expect(report.answers.first { $0.rule.id == "G3.in-place" }?.notes == ["30 more findings like these"])
  }

  @Test("says when a bound of memory was met")
  func overflow() {
    var steps: [Step] = []
    for number in 0..<20_100 {
      steps.append(
        Step(
          1,
          SaveEnded(
            document: "d\(number)", version: 1, change: "c\(number)", base: 0, purpose: .commit, bytes: 1,
            outcome: .committed)))
    }
    let report = check(entries(steps))
    #expect(report.findings.isEmpty)
    #expect(report.answers.first { $0.rule.id == "D3.overwrite" }?.notes.count == 1)
  }

  @Test("keeps apart two processes that had one process ID, and two machines' boots")
  func processKeys() {
    // The first was killed with the lock; the second, with the same ID and file, took and released its own.
    let steps = [
      Step(1, started), Step(1, LockTaken(lock: "l", purpose: "p", waited: 0)),
      Step(1, started), Step(1, SceneForeground(scene: "a"), after: 5_000),
    ]
    #expect(found(entries(steps)) == [])
  }

  @Test("looks at a ring in memory")
  func ring() {
    let ring = TraceRing()
    let trace = Trace(to: ring, as: .current(role: "app"))
    trace.record(FileWritten(file: "s.plist", bytes: 1))
    #expect(RuleEngine.check(ring).findings.map(\.rule.id) == ["G3.in-place"])
  }

  @Test("runs only the rules that were asked for")
  func chosenRules() {
    var engine = RuleEngine(rules: ["D3", "G3.in-place"])
    for entry in entries([Step(1, FileWritten(file: "f", bytes: 1))]) { engine.take(entry) }
    let ids = engine.report(inputs: []).answers.map(\.rule.id)
    #expect(ids == ["D3.overwrite", "D3.base", "D3.conflict-ignored", "G3.in-place"])
  }
}

/// Numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
