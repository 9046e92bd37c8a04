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
    /// What JSON has and the format has not: an object, a fraction, a number beyond 64 bits.
    case unsupported
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

  /// A handful of fields is found faster in a row than in a table.
  private var fields: [(name: String, value: Value)] = []

  /// No fields yet.
  init() {}

  /// Fields by name.
  public init(_ values: [String: Value]) {
    fields = values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  /// The value of a field, whatever it is; `nil` when there is none.
  public subscript(name: String) -> Value? {
    for field in fields where field.name == name { return field.value }
    return nil
  }

  /// The names of all fields, in the order of the line.
  public var names: [String] { fields.map(\.name) }

  /// Forgets all fields and keeps the memory.
  mutating func removeAll() { fields.removeAll(keepingCapacity: true) }

  /// `false`, and nothing is changed, when the field is there already.
  mutating func append(_ name: String, _ value: Value) -> Bool {
    if self[name] != nil { return false }
    fields.append((name, value))
    return true
  }

  private func required(_ name: String) throws(Problem) -> Value {
    guard let value = self[name], value != .null else {
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

  private func isMissing(_ name: String) -> Bool {
    switch self[name] {
    case nil, .null: true
    default: false
    }
  }

  /// A string that may be missing.
  public func value(_ name: String) throws(Problem) -> String? {
    isMissing(name) ? nil : try value(name) as String
  }

  /// A number that may be missing.
  public func value(_ name: String) throws(Problem) -> Int64? {
    isMissing(name) ? nil : try value(name) as Int64
  }

  /// A truth value that may be missing.
  public func value(_ name: String) throws(Problem) -> Bool? {
    isMissing(name) ? nil : try value(name) as Bool
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
