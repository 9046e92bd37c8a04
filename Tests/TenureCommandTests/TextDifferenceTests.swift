import Tenure
import Testing

@testable import TenureCommand

@Suite("Differences of texts") struct TextDifferenceTests {
  private func unified(_ old: String, _ new: String) -> String {
    TextDifference(from: Data(old.utf8), to: Data(new.utf8))
      .unified(from: "old", to: "new", on: CapturedTerminal().terminal)
  }

  @Test("Lines that end in carriage return and line feed are ended lines")
  func carriageReturns() {
    #expect(
      unified("a\r\nb\r\n", "a\r\nc\r\n")
        == "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n")
  }

  @Test("A last line without a line feed is said to have none")
  func unendedLine() {
    #expect(
      unified("a", "a\n")
        == "--- old\n+++ new\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n")
  }

  @Test(
    "What is not UTF-8 is not shown as text", arguments: [[0xFF, 0x0A], [0x61, 0x00], [0xC3]] as [[UInt8]])
  func binary(bytes: [UInt8]) {
    let difference = TextDifference(from: Data("a\n".utf8), to: Data(bytes))
    #expect(difference.isBinary)
    #expect(!difference.isEmpty)
    #expect(difference.hunks.isEmpty)
  }
}
