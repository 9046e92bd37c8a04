import Testing

@testable import TenureDocuments

@Suite("D2: a change ID names one edit, and lies beside those of its time")
struct ChangeIDTests {
  @Test("New ones are UUIDs of version 7: unlike each other, in the order of their milliseconds")
  func isVersion7() {
    let changes = (0..<1000).map { _ in ChangeID() }
    #expect(Set(changes).count == changes.count)
    for change in changes {
      #expect(change.bytes.count == 16)
      #expect(change.bytes[6] >> 4 == 7)
      #expect(change.bytes[8] >> 6 == 0b10)
    }
    let times = changes.map { $0.bytes.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    #expect(times == times.sorted())
  }

  @Test("Derived ones follow from their parts alone, each with its length")
  func isDerived() {
    #expect(ChangeID(derivedFrom: ["a", "b"]) == ChangeID(derivedFrom: ["a", "b"]))
    #expect(ChangeID(derivedFrom: ["a", "b"]) != ChangeID(derivedFrom: ["ab"]))
    #expect(ChangeID(derivedFrom: ["a", ""]) != ChangeID(derivedFrom: ["a"]))
  }

  @Test(
    "Text and bytes are read back; others are refused",
    arguments: ["", "00", "zz", String(repeating: "0", count: 31)])
  func isReadBack(_ wrong: String) {
    let change = ChangeID()
    #expect(ChangeID(hexadecimal: change.description) == change)
    #expect(ChangeID(bytes: change.bytes) == change)
    #expect(ChangeID(hexadecimal: wrong) == nil)
  }
}
