/// One thing a command line may say, and the property of the command's input that it fills.
///
/// ```swift
/// .flag("json", \.json, "Print JSON."),
/// .option("iterations", "N", \.iterations, in: 1...1_000_000, "How often to kill."),
/// .argument("FOLDER", \.folder, completes: .directory, "The folder of the workspace."),
/// ```
struct Parameter<Input>: Sendable {
  /// What help, parser and completions know about it.
  let shape: ParameterShape
  /// Puts a word into the input; flags get none.
  let assign: @Sendable (_ word: String?, _ input: inout Input) throws(UsageError) -> Void
}

/// What there is to know about a parameter without knowing the type of its value.
struct ParameterShape: Sendable {
  enum Kind: Hashable, Sendable {
    /// `--json`
    case flag
    /// `--iterations N`
    case option
    /// `FOLDER`
    case argument
  }

  /// What a shell offers for the value.
  enum Completion: Hashable, Sendable {
    case nothing, file, directory
    case words([String])
  }

  var kind: Kind
  /// Without dashes for flags and options; for arguments the placeholder.
  var name: String
  var short: Character? = nil
  /// What stands for the value in the help.
  var placeholder = ""
  var help: String
  var isRequired = false
  var repeats = false
  /// Whether the empty word means something; elsewhere it is a script's variable that was never set.
  var mayBeEmpty = false
  /// The default as one would type it; `nil` when there is none worth saying.
  var byDefault: String? = nil
  var completion = Completion.nothing

  /// As one would type it: `--json`, `FOLDER`.
  var spelling: String { kind == .argument ? placeholder : "--\(name)" }
}

extension Parameter {
  /// `--name`: true when given.
  static func flag(
    _ name: String, short: Character? = nil, _ path: WritableKeyPath<Input, Bool> & Sendable,
    _ help: String
  ) -> Parameter {
    Parameter(shape: ParameterShape(kind: .flag, name: name, short: short, help: help)) { _, input in
      input[keyPath: path] = true
    }
  }

  /// `--name VALUE`, with the property's own value as the default.
  static func option<Value: ArgumentValue & Comparable>(
    _ name: String, short: Character? = nil, _ placeholder: String,
    _ path: WritableKeyPath<Input, Value> & Sendable, in range: ClosedRange<Value>,
    _ help: String
  ) -> Parameter {
    let shape = ParameterShape(
      kind: .option, name: name, short: short, placeholder: placeholder, help: help)
    return Parameter(shape: shape) { word, input throws(UsageError) in
      let value: Value = try read(word, for: shape)
      guard range.contains(value) else {
        throw UsageError(
          "\(shape.spelling) must be from \(range.lowerBound.argument) to \(range.upperBound.argument), "
            + "not \(value.argument).")
      }
      input[keyPath: path] = value
    }
  }

  /// `--name VALUE`, with the property's own value as the default.
  static func option<Value: ArgumentValue>(
    _ name: String, short: Character? = nil, _ placeholder: String,
    _ path: WritableKeyPath<Input, Value> & Sendable,
    completes: ParameterShape.Completion = .nothing, _ help: String
  ) -> Parameter {
    let shape = ParameterShape(
      kind: .option, name: name, short: short, placeholder: placeholder, help: help,
      completion: Value.choices.isEmpty ? completes : .words(Value.choices))
    return Parameter(shape: shape) { word, input throws(UsageError) in
      input[keyPath: path] = try read(word, for: shape)
    }
  }

  /// `--name VALUE`, nothing when not given.
  static func option<Value: ArgumentValue>(
    _ name: String, short: Character? = nil, _ placeholder: String,
    _ path: WritableKeyPath<Input, Value?> & Sendable,
    completes: ParameterShape.Completion = .nothing, _ help: String
  ) -> Parameter {
    let shape = ParameterShape(
      kind: .option, name: name, short: short, placeholder: placeholder, help: help,
      completion: Value.choices.isEmpty ? completes : .words(Value.choices))
    return Parameter(shape: shape) { word, input throws(UsageError) in
      let value: Value = try read(word, for: shape)
      input[keyPath: path] = value
    }
  }

  /// `--name VALUE`, as often as one likes.
  static func options<Value: ArgumentValue>(
    _ name: String, short: Character? = nil, _ placeholder: String,
    _ path: WritableKeyPath<Input, [Value]> & Sendable,
    completes: ParameterShape.Completion = .nothing, _ help: String
  ) -> Parameter {
    let shape = ParameterShape(
      kind: .option, name: name, short: short, placeholder: placeholder, help: help, repeats: true,
      completion: Value.choices.isEmpty ? completes : .words(Value.choices))
    return Parameter(shape: shape) { word, input throws(UsageError) in
      let value: Value = try read(word, for: shape)
      input[keyPath: path].append(value)
    }
  }

  /// An argument by its place that must be given.
  static func argument<Value: ArgumentValue>(
    _ placeholder: String, _ path: WritableKeyPath<Input, Value> & Sendable,
    completes: ParameterShape.Completion = .nothing, _ help: String
  ) -> Parameter {
    let shape = ParameterShape(
      kind: .argument, name: placeholder, placeholder: placeholder, help: help, isRequired: true,
      completion: Value.choices.isEmpty ? completes : .words(Value.choices))
    return Parameter(shape: shape) { word, input throws(UsageError) in
      input[keyPath: path] = try read(word, for: shape)
    }
  }

  /// An argument by its place that may be left out.
  static func argument<Value: ArgumentValue>(
    _ placeholder: String, _ path: WritableKeyPath<Input, Value?> & Sendable,
    completes: ParameterShape.Completion = .nothing, _ help: String
  ) -> Parameter {
    let shape = ParameterShape(
      kind: .argument, name: placeholder, placeholder: placeholder, help: help,
      completion: Value.choices.isEmpty ? completes : .words(Value.choices))
    return Parameter(shape: shape) { word, input throws(UsageError) in
      let value: Value = try read(word, for: shape)
      input[keyPath: path] = value
    }
  }

  /// All arguments from here on; at least one when `isRequired`.
  static func arguments<Value: ArgumentValue>(
    _ placeholder: String, _ path: WritableKeyPath<Input, [Value]> & Sendable, isRequired: Bool = true,
    completes: ParameterShape.Completion = .nothing, _ help: String
  ) -> Parameter {
    let shape = ParameterShape(
      kind: .argument, name: placeholder, placeholder: placeholder, help: help, isRequired: isRequired,
      repeats: true, completion: Value.choices.isEmpty ? completes : .words(Value.choices))
    return Parameter(shape: shape) { word, input throws(UsageError) in
      let value: Value = try read(word, for: shape)
      input[keyPath: path].append(value)
    }
  }

  /// The same parameter, which the empty word is a value of.
  func orEmpty() -> Parameter {
    var shape = shape
    shape.mayBeEmpty = true
    return Parameter(shape: shape, assign: assign)
  }

  /// The same parameter with its default said in the help.
  func byDefault(_ word: String) -> Parameter {
    var shape = shape
    shape.byDefault = word
    return Parameter(shape: shape, assign: assign)
  }
}

private func read<Value: ArgumentValue>(
  _ word: String?, for shape: ParameterShape
) throws(UsageError) -> Value {
  let word = word ?? ""
  guard let value = Value(argument: word) else {
    let one = Value.choices.isEmpty ? Value.expectation : "one of \(Value.expectation)"
    throw UsageError(
      "\(shape.spelling) takes \(one), not \u{201C}\(word)\u{201D}.",
      suggestion: nearest(to: word, among: Value.choices))
  }
  return value
}
