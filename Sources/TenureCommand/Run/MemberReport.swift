#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a scene or service process tells the app, one JSON object on one line.
struct MemberReport: Codable, Hashable, Sendable {
  enum Kind: String, Codable, Sendable {
    /// It is there; `text` says what it shows.
    case shows
    /// It brought something back.
    case recovered
    /// It did something worth a line.
    case did
    /// It could not do something.
    case failed
    /// It flushed before its end.
    case flushed
  }

  var kind: Kind
  var text: String

  /// The line, without its end.
  var line: String {
    guard let data = try? JSONEncoder().encode(self) else { return "" }
    return String(decoding: data, as: UTF8.self)
  }

  /// Reads a line; `nil` for one of another kind.
  init?(line: String) {
    guard let report = try? JSONDecoder().decode(MemberReport.self, from: Data(line.utf8)) else { return nil }
    self = report
  }

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}
