import Tenure

/// How two bodies differ by lines, as unified hunks with three lines around each.
struct TextDifference: Encodable, Sendable {
  /// A stretch that differs, with its surroundings.
  struct Hunk: Encodable, Sendable, Hashable {
    /// First line in the old text, from 1, and how many.
    var oldStart: Int
    var oldCount: Int
    /// First line in the new text, from 1, and how many.
    var newStart: Int
    var newCount: Int
    /// Each with ` `, `-` or `+` before it.
    var lines: [String]
  }

  /// One of the two is not UTF-8 text; only whether they differ is known.
  var isBinary: Bool
  var hunks: [Hunk]
  var isEmpty: Bool

  private static let around = 3

  init(from old: Data, to new: Data) {
    isEmpty = old == new
    isBinary = !isEmpty && !(old.isText && new.isText)
    hunks = isEmpty || isBinary ? [] : Self.hunks(old.lines, new.lines)
  }

  private enum Step {
    case both(Int, Int)
    case old(Int)
    case new(Int)
  }

  private static func hunks(_ old: [Data], _ new: [Data]) -> [Hunk] {
    var numbers: [Data: Int] = [:]
    func number(_ line: Data) -> Int {
      if let known = numbers[line] { return known }
      numbers[line] = numbers.count
      return numbers.count - 1
    }
    let partners = LineDifference(from: old.map(number), to: new.map(number)).partners
    var steps: [Step] = []
    var next = 0
    for (index, partner) in partners.enumerated() {
      guard let partner else {
        steps.append(.old(index))
        continue
      }
      while next < partner {
        steps.append(.new(next))
        next += 1
      }
      steps.append(.both(index, partner))
      next = partner + 1
    }
    while next < new.count {
      steps.append(.new(next))
      next += 1
    }
    return ranges(of: steps).map { hunk(steps[$0], old, new, before: steps[..<$0.lowerBound]) }
  }

  /// The stretches of steps around changes, those that touch joined.
  private static func ranges(of steps: [Step]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for (index, step) in steps.enumerated() {
      if case .both = step { continue }
      let range = max(0, index - around)..<min(steps.count, index + around + 1)
      if let last = ranges.last, last.upperBound >= range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
      } else {
        ranges.append(range)
      }
    }
    return ranges
  }

  private static func hunk(
    _ steps: ArraySlice<Step>, _ old: [Data], _ new: [Data], before: ArraySlice<Step>
  ) -> Hunk {
    func count(_ steps: ArraySlice<Step>) -> (old: Int, new: Int) {
      steps.reduce(into: (0, 0)) { counts, step in
        switch step {
        case .both: counts = (counts.0 + 1, counts.1 + 1)
        case .old: counts.0 += 1
        case .new: counts.1 += 1
        }
      }
    }
    let start = count(before)
    let size = count(steps)
    let lines = steps.map { step in
      switch step {
      case .both(let index, _): " " + String(decoding: old[index], as: UTF8.self)
      case .old(let index): "-" + String(decoding: old[index], as: UTF8.self)
      case .new(let index): "+" + String(decoding: new[index], as: UTF8.self)
      }
    }
    return Hunk(
      oldStart: start.old + (size.old > 0 ? 1 : 0), oldCount: size.old,
      newStart: start.new + (size.new > 0 ? 1 : 0), newCount: size.new, lines: lines)
  }

  /// As `diff -u` prints it.
  func unified(from old: String, to new: String, on terminal: Terminal) -> String {
    var text = terminal.styled("--- \(old)", .bold) + "\n" + terminal.styled("+++ \(new)", .bold) + "\n"
    for hunk in hunks {
      let place = "@@ -\(hunk.oldStart),\(hunk.oldCount) +\(hunk.newStart),\(hunk.newCount) @@"
      text += terminal.styled(place, .cyan) + "\n"
      for line in hunk.lines {
        // By bytes: to Swift a carriage return and a line feed are one character.
        let isEnded = line.utf8.last == UInt8(ascii: "\n")
        let whole = isEnded ? String(line.unicodeScalars.dropLast()) : line
        let styled =
          switch whole.unicodeScalars.first {
          case "-": terminal.styled(whole, .red)
          case "+": terminal.styled(whole, .green)
          default: whole
          }
        text += styled + "\n"
        if !isEnded { text += "\\ No newline at end of file\n" }
      }
    }
    return text
  }
}

extension Data {
  fileprivate var isText: Bool { !contains(0) && String(validating: self, as: UTF8.self) != nil }

  /// The lines, each with its line feed.
  fileprivate var lines: [Data] {
    var lines: [Data] = []
    var start = startIndex
    while start < endIndex {
      let end = self[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? endIndex
      lines.append(Data(self[start..<end]))
      start = end
    }
    return lines
  }
}
