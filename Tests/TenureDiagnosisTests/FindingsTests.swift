import TenureFindings
import TenureTrace
import Testing

@testable import TenureDiagnosis

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

private func report(_ steps: [Step]) -> Report {
  var engine = RuleEngine()
  for entry in entries(steps) { engine.take(entry) }
  return engine.report(inputs: ["p1.jsonl"])
}

private let written = [
  Step(1, FileWritten(file: "notes/s \"1\".plist", bytes: 1)), Step(1, FileWritten(file: "b", bytes: 2)),
]

@Suite("Findings")
struct FindingsTests {
  @Test("are covered by a suppression of their rule, law or of everything, for what it is about")
  func covered() throws {
    let text = """
      # rule subject reason

      G3.in-place notes/*  until 2027-01-31 because it is replaced
      G3          "b"      because the vendor writes it
      D1          *        because nothing
      """
    let suppressions = try Suppression.parse(text, file: "s")
    #expect(suppressions.map(\.origin) == ["s:3", "s:4", "s:5"])
    var covered = report(written)
    let day: Int64 = 86_400_000_000_000
    covered.apply(suppressions, wall: 20_819 * day)  // 2027-01-01
    #expect(covered.findings.isEmpty && covered.suppressed.count == 2)
    #expect(covered.unusedSuppressions.map(\.origin) == ["s:5"])
    var later = report(written)
    later.apply(suppressions, wall: 20_850 * day)  // 2027-02-01
    #expect(later.findings.map(\.subject) == ["notes/s \"1\".plist"])
    #expect(later.unusedSuppressions.map(\.origin) == ["s:3", "s:5"])
  }

  @Test(
    "are suppressed only with a subject, a reason and a day that exists",
    arguments: [
      ("D1", "subject"), ("D1 because x", "subject"), ("D1 a", "because"), ("D1 a because", "because"),
      ("D1 a until 2027-02-29 because x", "day"), ("D1 a until because x", "day"),
      ("D1 \"a because x", "quotation"),
    ])
  func malformed(line: String, named: String) {
    do {
      _ = try Suppression.parse("\n" + line, file: "s")
      Issue.record("taken")
    } catch {
      #expect(error.line == 2 && error.what.contains(named), "\(error)")
    }
  }

  @Test(
    "match subjects with any number of stars, in time that does not explode",
    arguments: [
      ("*", "", true), ("a*c", "abc", true), ("a*c", "ab", false), ("**b*", "aaab", true), ("", "a", false),
      (String(repeating: "*a", count: 30) + "*b", String(repeating: "a", count: 20_000), false),
    ])
  func stars(pattern: String, subject: String, matches: Bool) {
    let rule = RuleRegistry.all[0]
    let finding = Finding(rule: rule, subject: subject, what: "", evidence: [])
    let suppression = Suppression(rule: "*", subject: pattern, reason: "r", origin: "o")
    #expect(suppression.covers(finding) == matches)
  }

  @Test("are shown to a person with place, law, evidence and what to do")
  func text() {
    let text = TextReporter().render(report(Array(written.suffix(1))))
    #expect(
      text == """
        p1.jsonl:1: error: b was written in place. [G3.in-place]
          law G3, replace is atomic: another process reads half of it, and a kill leaves it so
          p1.jsonl:1 notebook 1 (service) file.written {"file":"b","bytes":2}
          To do: Use AtomicFile.replace, .update or .append.

        1 events of 1 file: 1 finding; 1 rule clean, 29 cannot tell (--verbose says why).

        """)
    let coloured = TextReporter(colour: true).render(report(written))
    #expect(coloured.contains("\u{1B}[31merror\u{1B}[0m"))
    let verbose = TextReporter(verbose: true).render(report(written))
    #expect(
      verbose.contains("cannot tell: D1.lost: no event save.begun, save.ended was recorded. Record with"))
    #expect(verbose.contains("clean: G3.unsafe"))
  }

  @Test("are given to programs as JSON that a strict reader takes")
  func json() throws {
    struct Shape: Decodable {
      struct Item: Decodable {
        struct Proof: Decodable {
          var file: String
          var line: Int
          var fields: String
        }
        var rule, law, severity, subject, what, advice: String
        var evidence: [Proof]
      }
      struct Rule: Decodable {
        var id, verdict: String
        var why: String?
      }
      var version, events: Int
      var findings: [Item]
      var rules: [Rule]
    }
    let text = JSONReporter().render(report(written))
    let shape = try JSONDecoder().decode(Shape.self, from: Data(text.utf8))
    #expect(shape.version == 1 && shape.events == 2)
    #expect(shape.findings.map(\.subject) == ["notes/s \"1\".plist", "b"])
    #expect(shape.findings[0].evidence[0].fields == #"{"file":"notes/s \"1\".plist","bytes":1}"#)
    #expect(shape.rules.count == RuleRegistry.all.count)
    #expect(shape.rules.allSatisfy { ($0.why != nil) == ($0.verdict == "cannotTell") })
  }
}
