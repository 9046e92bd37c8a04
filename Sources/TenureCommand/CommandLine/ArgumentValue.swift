/// A type that can be read from one word of the command line.
///
/// An enum of strings conforms by saying so; its cases are then checked, listed in the help and completed.
protocol ArgumentValue: Sendable {
  /// Reads a word; `nil` when it is not one of this type's.
  init?(argument: String)
  /// What the words look like, for error messages: "a whole number".
  static var expectation: String { get }
  /// All words there are, when they can be listed.
  static var choices: [String] { get }
  /// The word for a value, to show defaults.
  var argument: String { get }
}

extension ArgumentValue {
  static var choices: [String] { [] }
}

extension String: ArgumentValue {
  init?(argument: String) { self = argument }
  static var expectation: String { "text" }
  var argument: String { self }
}

extension Int: ArgumentValue {
  init?(argument: String) { self.init(argument) }
  static var expectation: String { "a whole number" }
  var argument: String { String(self) }
}

extension Int64: ArgumentValue {
  init?(argument: String) { self.init(argument) }
  static var expectation: String { "a whole number" }
  var argument: String { String(self) }
}

extension Double: ArgumentValue {
  init?(argument: String) {
    self.init(argument)
    if !isFinite { return nil }
  }
  static var expectation: String { "a number" }
  var argument: String { String(self) }
}

extension ArgumentValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  init?(argument: String) { self.init(rawValue: argument) }
  static var expectation: String { choices.joined(separator: ", ") }
  static var choices: [String] { allCases.map(\.rawValue) }
  var argument: String { rawValue }
}
