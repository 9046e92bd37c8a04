/// The fields of one line of a trace, as read back.
public struct EventFields: Sendable {
  /// A value as JSON has it. Objects inside an event are not part of the format.
  public enum Value: Hashable, Sendable {
    case string(String)
    case number(Int64)
    /// A whole number above `Int64.max`.
    case large(UInt64)
    case truth(Bool)
    case list([Value])
    case null
  }

  /// A field that is missing or is not what its kind requires.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field.
    public let field: String
    /// What is wrong with it.
    public let what: String
    /// One sentence.
    public var description: String { "field \"\(field)\" \(what)" }
  }

  /// Values by name.
  public var values: [String: Value]

  /// Fields by name.
  public init(_ values: [String: Value]) { self.values = values }

  private func required(_ name: String) throws(Problem) -> Value {
    guard let value = values[name], value != .null else {
      throw Problem(field: name, what: "is missing")
    }
    return value
  }

  /// A string that must be there.
  public func value(_ name: String) throws(Problem) -> String {
    guard case .string(let text) = try required(name) else {
      throw Problem(field: name, what: "is not a string")
    }
    return text
  }

  /// A whole number that must be there.
  public func value(_ name: String) throws(Problem) -> Int64 {
    guard case .number(let number) = try required(name) else {
      throw Problem(field: name, what: "is not a whole number")
    }
    return number
  }

  /// A whole number from 0 that must be there.
  public func value(_ name: String) throws(Problem) -> UInt64 {
    switch try required(name) {
    case .number(let number) where number >= 0: return UInt64(number)
    case .large(let number): return number
    default: throw Problem(field: name, what: "is not a whole number from 0")
    }
  }

  /// A truth value that must be there.
  public func value(_ name: String) throws(Problem) -> Bool {
    guard case .truth(let truth) = try required(name) else {
      throw Problem(field: name, what: "is not true or false")
    }
    return truth
  }

  /// A named value that must be there.
  public func value<Named: TraceValue>(_ name: String) throws(Problem) -> Named {
    let text: String = try value(name)
    guard let named = Named(rawValue: text) else {
      throw Problem(field: name, what: "has the unknown value \"\(text)\"")
    }
    return named
  }

  /// A string that may be missing.
  public func value(_ name: String) throws(Problem) -> String? {
    values[name] == nil || values[name] == .null ? nil : try value(name) as String
  }

  /// A number that may be missing.
  public func value(_ name: String) throws(Problem) -> Int64? {
    values[name] == nil || values[name] == .null ? nil : try value(name) as Int64
  }

  /// A truth value that may be missing.
  public func value(_ name: String) throws(Problem) -> Bool? {
    values[name] == nil || values[name] == .null ? nil : try value(name) as Bool
  }

  /// A list of strings that must be there.
  public func value(_ name: String) throws(Problem) -> [String] {
    try list(name).map { value throws(Problem) in
      guard case .string(let text) = value else {
        throw Problem(field: name, what: "holds something that is not a string")
      }
      return text
    }
  }

  /// A list of numbers that must be there.
  public func value(_ name: String) throws(Problem) -> [Int64] {
    try list(name).map { value throws(Problem) in
      guard case .number(let number) = value else {
        throw Problem(field: name, what: "holds something that is not a whole number")
      }
      return number
    }
  }

  private func list(_ name: String) throws(Problem) -> [Value] {
    guard case .list(let values) = try required(name) else {
      throw Problem(field: name, what: "is not a list")
    }
    return values
  }
}
