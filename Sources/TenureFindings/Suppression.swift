import TenureSystem

/// A finding that is known and accepted for a reason, perhaps until a day.
///
/// One line of a suppression file:
/// ```
/// # rule      subject      until       reason
/// D3.overwrite notes/*.md  until 2027-01-31 because the importer is being replaced
/// G2          "a b.lock"   because the vendor's lock is held on purpose
/// ```
/// The rule is an ID, a law (all its rules) or `*`. In the subject `*` stands for any characters.
public struct Suppression: Hashable, Sendable {
  /// A line that is no suppression.
  public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where.
    public let file: String
    /// Where.
    public let line: Int
    /// What is wrong, and what should stand there.
    public let what: String
    /// One line for a person.
    public var description: String { "\(file):\(line): \(what)" }
  }

  /// A day of the Gregorian calendar.
  public struct Day: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Days since 1970-01-01.
    public let number: Int64
    public let description: String

    /// A day written `2027-01-31`; `nil` when there is no such day.
    public init?(_ text: String) {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.map(\.utf8.count) == [4, 2, 2], let year = Int64(parts[0]), let month = Int64(parts[1]),
        let day = Int64(parts[2]), (1...12).contains(month), day >= 1
      else { return nil }
      let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths: [Int64] = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      guard day <= lengths[Int(month) - 1] else { return nil }
      // Years begin in March, so that the leap day is a year's last.
      let shifted = month <= 2 ? year - 1 : year
      let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
      number = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
      description = text
    }

    public static func < (one: Day, other: Day) -> Bool { one.number < other.number }
  }

  /// A rule's ID, a law or `*`.
  public let rule: String
  /// What the finding must be about.
  public let subject: String
  /// The last day it counts.
  public let until: Day?
  /// Why the finding is accepted.
  public let reason: String
  /// Where it is written, such as `suppressions:3`.
  public let origin: String

  /// A suppression by its parts.
  public init(rule: String, subject: String, until: Day? = nil, reason: String, origin: String) {
    self.rule = rule
    self.subject = subject
    self.until = until
    self.reason = reason
    self.origin = origin
  }

  /// Whether it is about this finding.
  public func covers(_ finding: Finding) -> Bool {
    guard rule == "*" || rule == finding.rule.id || rule == finding.rule.law.rawValue else { return false }
    return Self.matches(Array(subject.utf8), Array(finding.subject.utf8))
  }

  /// Whether its last day is before that of `wall`, in nanoseconds since 1970.
  public func hasRunOut(wall: Int64) -> Bool {
    guard let until else { return false }
    return wall / 86_400_000_000_000 > until.number
  }

  /// Linear in the text for each `*`: on a mismatch only the last `*` takes one more byte.
  private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var (at, place) = (0, 0)
    var retry: (at: Int, place: Int)?
    while place < text.count {
      if at < pattern.count && pattern[at] == UInt8(ascii: "*") {
        retry = (at + 1, place)
        at += 1
      } else if at < pattern.count && pattern[at] == text[place] {
        at += 1
        place += 1
      } else if let last = retry {
        retry = (last.at, last.place + 1)
        (at, place) = (last.at, last.place + 1)
      } else {
        return false
      }
    }
    return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

// MARK: - The file

extension Suppression {
  /// The suppressions of a text; `file` names it in errors.
  public static func parse(_ text: String, file: String) throws(Malformed) -> [Suppression] {
    var found: [Suppression] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let number = index + 1
      let origin = "\(file):\(number)"
      func malformed(_ what: String) -> Malformed { Malformed(file: file, line: number, what: what) }
      guard var words = words(of: line) else { throw malformed("a quotation mark is never closed") }
      guard let rule = words.first, !rule.hasPrefix("#") else { continue }
      guard words.count >= 2, words[1] != "until", words[1] != "because" else {
        throw malformed("after the rule there must be a subject, or * for all")
      }
      let subject = words[1]
      words.removeFirst(2)
      var until: Day?
      if words.first == "until" {
        guard words.count >= 2, let day = Day(words[1]) else {
          throw malformed("after \"until\" there must be a day such as 2027-01-31")
        }
        until = day
        words.removeFirst(2)
      }
      guard words.first == "because", words.count >= 2 else {
        throw malformed("a suppression ends with \"because\" and a reason")
      }
      found.append(
        Suppression(
          rule: rule, subject: subject, until: until, reason: words.dropFirst().joined(separator: " "),
          origin: origin))
    }
    return found
  }

  /// The suppressions of a file of at most 1 MiB.
  public static func read(_ path: String, system: System = .live) throws -> [Suppression] {
    let bytes = try system.contents(of: path, limit: 1 << 20)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Malformed(file: path, line: 1, what: "the file is not UTF-8 text")
    }
    return try parse(text, file: path)
  }

  /// Words between spaces; a quoted word may hold spaces. `nil` when a quotation is never closed.
  private static func words(of line: Substring) -> [String]? {
    var words: [String] = []
    var word: String?
    var quoted = false
    for character in line {
      if character == "\"" && (quoted || word == nil) {
        quoted.toggle()
        word = word ?? ""
      } else if !quoted && (character == " " || character == "\t" || character == "\r") {
        if let complete = word { words.append(complete) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if quoted { return nil }
    if let complete = word { words.append(complete) }
    return words
  }
}
