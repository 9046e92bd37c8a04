import TenureSystem

/// Where a line stands.
public struct TracePlace: Hashable, Sendable, CustomStringConvertible {
  /// The file's path.
  public var file: String
  /// The line, from 1.
  public var line: Int
  /// Bytes before the line.
  public var offset: Int64

  /// A place by its parts.
  public init(file: String, line: Int, offset: Int64) {
    self.file = file
    self.line = line
    self.offset = offset
  }

  /// `path:line`.
  public var description: String { "\(file):\(line)" }
}

/// A line that could not be used, where it stands and why. Reading goes on with the next line.
public struct TraceProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why a line could not be used.
  public enum Reason: Hashable, Sendable {
    /// A whole line that is not JSON, or not of the format's shape: something else wrote it, or a recorder began a
    /// line of its own behind one that was cut off.
    case malformed(what: String, column: Int)
    /// A field is missing or not what the kind requires; `kind` is `nil` when it cannot be told.
    case fields(kind: String?, EventFields.Problem)
    /// The last line has no newline and nobody records in the file: its recorder was stopped while writing it.
    case torn(bytes: Int64)
    /// Longer than any line of the format.
    case tooLong(bytes: Int64)
    /// The trace was written by a later version, in which fields may mean something else.
    case newerFormat(found: Int64, known: Int64)
    /// The file could not be read any further.
    case unreadable(SystemError)
  }

  /// Where.
  public var place: TracePlace
  /// Why.
  public var reason: Reason

  /// A problem by its parts.
  public init(place: TracePlace, reason: Reason) {
    self.place = place
    self.reason = reason
  }

  /// One line for a person.
  public var description: String {
    let subject = "\(place) (byte \(place.offset))"
    return switch reason {
    case .malformed(let what, let column):
      "\(subject): a malformed line: it \(what), at its byte \(column); skipped"
    case .fields(let kind?, let problem): "\(subject): a malformed line: \(kind): \(problem); skipped"
    case .fields(nil, let problem): "\(subject): a malformed line: \(problem); skipped"
    case .torn(let bytes):
      "\(subject): a torn line: the file ends after \(bytes) bytes of it, without a newline, and nobody records "
        + "here any more; skipped"
    case .tooLong(let bytes):
      "\(subject): a line of \(bytes) bytes is longer than \(TraceFormat.longestLine); skipped"
    case .newerFormat(let found, let known):
      "\(subject): written in format \(found), and this program knows \(known); take a newer one"
    case .unreadable(let error): "\(subject): \(error)"
    }
  }
}

extension TraceProblem.Reason {
  /// The word for it in reports for programs.
  package var name: String {
    switch self {
    case .malformed, .fields: "malformed"
    case .torn: "torn"
    case .tooLong: "tooLong"
    case .newerFormat: "newerFormat"
    case .unreadable: "unreadable"
    }
  }
}
