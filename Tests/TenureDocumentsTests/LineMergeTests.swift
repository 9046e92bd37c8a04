import Testing

@testable import TenureDocuments

@Suite("LineMerge") struct LineMergeTests {
  struct Case: Sendable, CustomStringConvertible {
    let description: String
    let base: String
    let mine: String
    let theirs: String
    let merged: String?
  }

  static let cases = [
    Case(description: "nobody changed", base: "a\nb\n", mine: "a\nb\n", theirs: "a\nb\n", merged: "a\nb\n"),
    Case(description: "mine alone", base: "a\nb\n", mine: "a\nB\n", theirs: "a\nb\n", merged: "a\nB\n"),
    Case(description: "theirs alone", base: "a\nb\n", mine: "a\nb\n", theirs: "A\nb\n", merged: "A\nb\n"),
    Case(
      description: "apart", base: "a\nb\nc\nd\n", mine: "A\nb\nc\nd\n", theirs: "a\nb\nc\nD\n",
      merged: "A\nb\nc\nD\n"),
    Case(description: "both the same", base: "a\nb\n", mine: "a\nX\n", theirs: "a\nX\n", merged: "a\nX\n"),
    Case(
      description: "same line, differently", base: "a\nb\n", mine: "a\nX\n", theirs: "a\nY\n", merged: nil),
    Case(
      description: "neighbouring lines touch", base: "a\nb\nc\n", mine: "A\nb\nc\n", theirs: "a\nB\nc\n",
      merged: nil),
    Case(
      description: "deleted here, changed there", base: "a\nb\nc\n", mine: "a\nc\n", theirs: "a\nB\nc\n",
      merged: nil),
    Case(
      description: "both append differently", base: "a\n", mine: "a\nb\n", theirs: "a\nc\n", merged: nil),
    Case(
      description: "one prepends, one appends", base: "a\n", mine: "0\na\n", theirs: "a\nz\n",
      merged: "0\na\nz\n"),
    Case(
      description: "repeated lines", base: "x\n\nx\n\nx\n", mine: "x\n\nx\n\nx\n1\n",
      theirs: "0\nx\n\nx\n\nx\n",
      merged: "0\nx\n\nx\n\nx\n1\n"),
    Case(description: "created by both alike", base: "", mine: "a", theirs: "a", merged: "a"),
    Case(description: "created by both differently", base: "", mine: "a", theirs: "b", merged: nil),
    Case(
      description: "a last line without an end", base: "a\nb", mine: "A\nb", theirs: "a\nb", merged: "A\nb"),
    Case(
      description: "the end of the last line counts", base: "a\nb", mine: "a\nb\n", theirs: "a\nB",
      merged: nil),
    Case(
      description: "carriage returns belong to their line", base: "a\r\nb\r\nc\r\n", mine: "A\r\nb\r\nc\r\n",
      theirs: "a\r\nb\r\nC\r\n", merged: "A\r\nb\r\nC\r\n"),
    Case(description: "everything deleted here", base: "a\nb\n", mine: "", theirs: "a\nb\n", merged: ""),
    Case(description: "not text", base: "a\0\nb\n", mine: "A\0\nb\n", theirs: "a\0\nB\n", merged: nil),
  ]

  @Test("D8: what both sides changed apart is merged, what touches stays a conflict", arguments: cases)
  func merges(_ item: Case) {
    let outcome = LineMerge().merge(
      base: Data(item.base.utf8), mine: Data(item.mine.utf8), theirs: Data(item.theirs.utf8))
    switch (outcome, item.merged) {
    case (.merged(let data), let expected?): #expect(String(decoding: data, as: UTF8.self) == expected)
    case (.conflict(let regions), nil): #expect(!regions.isEmpty)
    default: Issue.record("\(outcome)")
    }
    // Sides swapped, the same comes out.
    let swapped = LineMerge().merge(
      base: Data(item.base.utf8), mine: Data(item.theirs.utf8), theirs: Data(item.mine.utf8))
    switch (outcome, swapped) {
    case (.merged(let one), .merged(let other)): #expect(one == other)
    case (.conflict(let one), .conflict(let other)):
      #expect(one == other.map { ConflictRegion(base: $0.base, mine: $0.theirs, theirs: $0.mine) })
    default: Issue.record("\(swapped)")
    }
  }

  @Test("A conflict names the lines of all three sides")
  func regions() {
    let outcome = LineMerge().merge(
      base: Data("a\nb\nc\nd\n".utf8), mine: Data("a\nX\nY\nc\nd\n".utf8), theirs: Data("a\nZ\nc\nD\n".utf8))
    #expect(outcome == .conflict([ConflictRegion(base: 1..<2, mine: 1..<3, theirs: 1..<2)]))
  }

  @Test("Slices of larger data merge like whole ones")
  func slices() {
    let whole = Data("??a\nb\n".utf8)
    let outcome = LineMerge().merge(
      base: whole[2...], mine: Data("a\nB\n".utf8), theirs: whole[2...])
    #expect(outcome == .merged(Data("a\nB\n".utf8)))
  }

  /// 400 random triples over four different lines. Against the rule's meaning, not its algorithm: a merge with
  /// an unchanged side is the other side, and every merged line comes from one of the three.
  @Test("Random texts: an unchanged side gives the other, and nothing is invented")
  func randomTexts() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<400 {
      let base = randomText(&generator)
      let mine = randomText(&generator)
      let theirs = randomText(&generator)
      #expect(LineMerge().merge(base: base, mine: mine, theirs: base) == .merged(mine))
      #expect(LineMerge().merge(base: base, mine: base, theirs: theirs) == .merged(theirs))
      #expect(LineMerge().merge(base: base, mine: mine, theirs: mine) == .merged(mine))
    }
  }

  private func randomText(_ generator: inout SeededGenerator) -> Data {
    let count = Int.random(in: 0...12, using: &generator)
    return Data(
      (0..<count).map { _ in ["a\n", "b\n", "c\n", "\n"].randomElement(using: &generator)! }.joined().utf8)
  }
}

@Suite("LineDifference") struct LineDifferenceTests {
  /// The length of the longest common subsequence, by the quadratic table.
  private func longest(_ old: [Int], _ new: [Int]) -> Int {
    var row = Array(repeating: 0, count: new.count + 1)
    for element in old {
      var corner = 0
      for (index, other) in new.enumerated() {
        let above = row[index + 1]
        row[index + 1] = element == other ? corner + 1 : max(above, row[index])
        corner = above
      }
    }
    return row[new.count]
  }

  @Test("Pairs are equal, rising, and as many as the longest common subsequence", arguments: 0..<20)
  func optimal(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<100 {
      let letters = Int.random(in: 1...6, using: &generator)
      func text() -> [Int] {
        (0..<Int.random(in: 0...24, using: &generator)).map { _ in
          Int.random(in: 0..<letters, using: &generator)
        }
      }
      let (old, new) = (text(), text())
      let partners = LineDifference(from: old, to: new).partners
      let pairs = partners.enumerated().compactMap { index, partner in partner.map { (index, $0) } }
      for (index, partner) in pairs { #expect(old[index] == new[partner]) }
      for (one, next) in zip(pairs, pairs.dropFirst()) { #expect(one.1 < next.1) }
      #expect(pairs.count == longest(old, new), "\(old) \(new)")
    }
  }
}

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
