/// Merges text by lines: both sides' changes to the common base, as long as a line that neither touched lies
/// between them (D8).
///
/// ```swift
/// store.register(LineMerge(), forKind: "md")
/// ```
/// A line is what ends with a line feed, compared byte by byte: no encoding is assumed and a carriage return
/// belongs to its line. Bodies with a NUL byte are not text and stay a conflict.
///
/// **Unfit for** structured files such as JSON or property lists, where lines that merge can make a whole that
/// does not parse.
public struct LineMerge: MergeRule {
  /// `lines`.
  public let name = "lines"

  /// The only one there is.
  public init() {}

  public func merge(base: Data, mine: Data, theirs: Data) -> MergeOutcome {
    var numbers = LineNumbers()
    let base = Lines(base, &numbers)
    let mine = Lines(mine, &numbers)
    let theirs = Lines(theirs, &numbers)
    if base.isBinary || mine.isBinary || theirs.isBinary {
      if mine.numbers == theirs.numbers || base.numbers == theirs.numbers { return .merged(mine.joined()) }
      if base.numbers == mine.numbers { return .merged(theirs.joined()) }
      return .conflict([
        ConflictRegion(base: base.all, mine: mine.all, theirs: theirs.all)
      ])
    }
    return merge(base, mine, theirs)
  }

  /// Walks the base from one line that all three have to the next. What lies between is a chunk, and a chunk
  /// that one side alone changed, or both in the same way, is settled.
  private func merge(_ base: Lines, _ mine: Lines, _ theirs: Lines) -> MergeOutcome {
    let toMine = LineDifference(from: base.numbers, to: mine.numbers).partners
    let toTheirs = LineDifference(from: base.numbers, to: theirs.numbers).partners
    var merged = Data()
    var conflicts: [ConflictRegion] = []
    var (at, atMine, atTheirs) = (0, 0, 0)
    while at < base.count || atMine < mine.count || atTheirs < theirs.count {
      if at < base.count, toMine[at] == atMine, toTheirs[at] == atTheirs {
        merged.append(base[at])
        at += 1
        atMine += 1
        atTheirs += 1
        continue
      }
      let stable = (at..<base.count).first { toMine[$0] != nil && toTheirs[$0] != nil }
      let chunk = at..<(stable ?? base.count)
      let ours = atMine..<(stable.flatMap { toMine[$0] } ?? mine.count)
      let others = atTheirs..<(stable.flatMap { toTheirs[$0] } ?? theirs.count)
      if theirs.numbers[others] == base.numbers[chunk] || theirs.numbers[others] == mine.numbers[ours] {
        for line in ours { merged.append(mine[line]) }
      } else if mine.numbers[ours] == base.numbers[chunk] {
        for line in others { merged.append(theirs[line]) }
      } else {
        conflicts.append(ConflictRegion(base: chunk, mine: ours, theirs: others))
      }
      (at, atMine, atTheirs) = (chunk.upperBound, ours.upperBound, others.upperBound)
    }
    return conflicts.isEmpty ? .merged(merged) : .conflict(conflicts)
  }
}

/// Gives equal lines equal numbers.
private struct LineNumbers {
  private var known: [Data: Int] = [:]

  mutating func number(of line: Data) -> Int {
    if let number = known[line] { return number }
    known[line] = known.count
    return known.count - 1
  }
}

/// A body cut into lines, each with its line feed.
private struct Lines {
  private let body: Data
  private var ranges: [Range<Data.Index>] = []
  private(set) var numbers: [Int] = []
  private(set) var isBinary = false

  init(_ body: Data, _ known: inout LineNumbers) {
    self.body = body
    var start = body.startIndex
    for index in body.indices {
      if body[index] == 0 { isBinary = true }
      if body[index] == UInt8(ascii: "\n") {
        ranges.append(start..<index + 1)
        start = index + 1
      }
    }
    if start < body.endIndex { ranges.append(start..<body.endIndex) }
    numbers = ranges.map { known.number(of: body[$0]) }
  }

  var count: Int { ranges.count }
  var all: Range<Int> { 0..<ranges.count }
  subscript(line: Int) -> Data { body[ranges[line]] }
  func joined() -> Data { body }
}
