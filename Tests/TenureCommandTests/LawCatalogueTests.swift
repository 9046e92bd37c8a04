import TenureDiagnosis
import TenureScenarios
import TenureSystem
import TenureTrace
import Testing

@testable import TenureCommand

@Suite("The law catalogue") struct LawCatalogueTests {
  static let root = String(#filePath).parentPath.parentPath.parentPath

  /// The display names of all tests in the package.
  static let tests: Set<String> = {
    var names: Set<String> = []
    for path in swiftFiles(below: root.appendingPath("Tests")) {
      let text = (try? System.live.contents(of: path, limit: 1 << 22)) ?? []
      names.formUnion(testNames(in: String(decoding: text, as: UTF8.self)))
    }
    return names
  }()

  static func swiftFiles(below path: String) -> [String] {
    ((try? System.live.list(path)) ?? []).flatMap { name in
      let inner = path.appendingPath(name)
      if name.hasSuffix(".swift") { return [inner] }
      let status = try? System.live.status(inner)
      return status?.kind == .directory ? swiftFiles(below: inner) : []
    }
  }

  /// What stands in `@Test("…"`, also where the text begins on a line of its own.
  static func testNames(in source: String) -> [String] {
    source.matches(of: #/@Test\(\s*"((?:[^"\\]|\\.)*)"/#).map { match in
      String(match.output.1.replacing(#"\""#, with: "\""))
    }
  }

  @Test("Every law is in the table once, in order")
  func complete() {
    #expect(LawCatalogue.entries.map(\.law) == Law.allCases)
  }

  @Test("A face that is claimed resolves", arguments: LawCatalogue.entries)
  func resolves(entry: LawEntry) {
    if let proof = entry.proof { #expect(Self.tests.contains(proof), "no test is called \(proof)") }
    if let scenario = entry.scenario {
      let found = Scenarios.all.first { $0.name == scenario }
      #expect(found?.law == entry.law, "\(scenario) is no registered scenario of \(entry.law.rawValue)")
    }
    if let rule = entry.rule {
      let found = RuleRegistry.all.first { $0.id == rule }
      #expect(found?.law == entry.law, "\(rule) is no registered rule of \(entry.law.rawValue)")
    }
  }

  @Test("The READMEs show the faces that exist and no others", arguments: ["README.md", "README.ko.md"])
  func readme(name: String) throws {
    let bytes = try System.live.contents(of: Self.root.appendingPath(name), limit: 1 << 20)
    let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .filter { $0.contains(#/^\| [DSWVGXT]\d+ \|/#) }.map(String.init)
    let expected = LawCatalogue.entries.filter {
      $0.api != nil || $0.scenario != nil || $0.proof != nil || $0.rule != nil
    }.map(Self.row)
    #expect(rows == expected)
  }

  private static func row(_ entry: LawEntry) -> String {
    func code(_ text: String?) -> String { text.map { "`\($0)`" } ?? "–" }
    let cells = [
      entry.law.rawValue, entry.law.title, code(entry.api?.name), entry.scenario ?? "–",
      entry.proof == nil ? "–" : "test", code(entry.rule),
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  @Test("A claim that does not resolve would be found")
  func wouldBeFound() {
    #expect(!Self.tests.contains("D1: a test that nobody wrote"))
    #expect(!RuleRegistry.all.contains { $0.id == "D1.imagined" })
    #expect(!Scenarios.all.contains { $0.name == "a moment nobody told" })
    #expect(
      Self.testNames(in: "@Test(\"one\") func a() {}\n  @Test(\n    \"two \\\"x\\\"\",\n arguments: [1])")
        == [
          "one", "two \"x\"",
        ])
  }

  @Test("The name of an API face is that of the symbol the compiler saw")
  func namesOfAPIs() throws {
    let path = Self.root.appendingPath("Sources/TenureCommand/Laws/LawCatalogue.swift")
    let source = String(decoding: try System.live.contents(of: path, limit: 1 << 20), as: UTF8.self)
    let faces = source.matches(of: #/APIFace\(([\w<>]+)\.self, "(\w+)", \\?([\w<>]+)\.(\w+)/#)
    let members = LawCatalogue.entries.compactMap(\.api?.name).filter { $0.contains(".") }
    #expect(faces.count == members.count)
    for face in faces {
      #expect(face.output.1 == face.output.3)
      #expect(face.output.2 == face.output.4)
    }
  }
}
