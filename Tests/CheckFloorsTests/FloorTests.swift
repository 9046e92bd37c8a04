import Testing

@testable import CheckFloors

@Suite("The floor check") struct FloorTests {
  func file(_ module: String, _ text: String) -> SourceFile {
    SourceFile(module: module, path: "Sources/\(module)/File.swift", text: text)
  }

  @Test(
    "An import of the own floor or above is a fault",
    arguments: [
      ("TenureTrace", "import TenureState", 1),
      ("TenureState", "import TenureGroup", 1),
      ("TenureSystem", "\n\n@testable import TenureTrace", 3),
      ("TenureSystem", "#if os(Linux)\n  @_exported import struct TenureTrace.Trace\n#endif", 2),
      ("TenureTrace", "/* fine */ import /* really */ TenureCommand", 1),
    ])
  func broken(module: String, text: String, line: Int) {
    let found = faults(in: [file(module, text)], against: .ofTenure)
    #expect(found.map(\.line) == [line])
  }

  @Test(
    "An import of a lower floor, of the system, in a comment or in a string is none",
    arguments: [
      "import TenureSystem\nimport CSQLite", "import Foundation", "// import TenureState",
      "/* /* */ import TenureState */", "let a = \"import TenureState\"",
      "let a = #\"\"\"\n\" import TenureState \\(x)\n\"\"\"#", "a.import(TenureState.self)",
    ])
  func whole(text: String) {
    #expect(faults(in: [file("TenureTrace", text)], against: .ofTenure).isEmpty)
  }

  @Test("A module without a floor is a fault")
  func unknownModule() {
    let found = faults(in: [file("TenureNew", "")], against: .ofTenure)
    #expect(found.first?.message.contains("has no floor") == true)
  }

  @Test("What comes along with the umbrella is found through every import")
  func umbrella() {
    let files = [
      file("Tenure", "@_exported import TenureDocuments"), file("TenureDocuments", "import TenureStorage"),
      file("TenureStorage", "import TenureGroup"), file("TenureFindings", "import TenureTrace"),
    ]
    #expect(
      closure(of: "Tenure", in: files, floors: .ofTenure)
        == ["Tenure", "TenureDocuments", "TenureStorage", "TenureGroup"])
  }

  @Test("A fault is written so that editors can jump to it")
  func description() {
    let found = faults(in: [file("TenureTrace", "import TenureState")], against: .ofTenure)
    #expect(
      found.map(\.description) == [
        "Sources/TenureTrace/File.swift:1: error: TenureTrace (floor 2) imports TenureState (floor 3), "
          + "which is above"
      ])
  }
}
