import TenureTrace
import Testing

@testable import TenureCommand

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("tenure laws") struct LawsCommandTests {
  struct Row: Decodable {
    var id: String
    var sentence: String
    var api: String?
    var scenario: String?
    var proof: String?
    var rule: String?
  }

  @Test("--json prints every law once, in order, with every key")
  func json() async throws {
    let captured = CapturedTerminal()
    #expect(await captured.run("laws", "--json") == .success)
    let rows = try JSONDecoder().decode([Row].self, from: Data(captured.output.utf8))
    #expect(rows.map(\.id) == Law.allCases.map(\.rawValue))
    #expect(rows.map(\.sentence) == Law.allCases.map(\.sentence))
    for key in ["id", "sentence", "api", "scenario", "proof", "rule"] {
      #expect(captured.output.components(separatedBy: "\"\(key)\" :").count == rows.count + 1, "\(key)")
    }
  }

  @Test("Laws can be chosen, in either case of letters; an unknown one is an error")
  func choice() async {
    let captured = CapturedTerminal()
    #expect(await captured.run("laws", "d3", "G2") == .success)
    #expect(captured.output.contains("D3 no silent overwrite"))
    #expect(captured.output.contains("G2"))
    #expect(!captured.output.contains("D1 durable"))
    #expect(await captured.run("laws", "Q9") == .unusable)
    #expect(captured.errors.contains("There is no law \u{201C}Q9\u{201D}."))
  }
}
