/// Reads words into a command's input.
///
/// `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`, flags in one group (`-vq`), options before, between
/// and after arguments; after `--` everything is an argument, and a lone `-` always is. The last of several
/// values of one option counts, unless it repeats.
func parse<Input>(
  _ words: [String], into input: Input, _ parameters: [Parameter<Input>]
) throws(UsageError) -> Input {
  var input = input
  let named = parameters.filter { $0.shape.kind != .argument }
  let placed = parameters.filter { $0.shape.kind == .argument }
  var place = 0
  var filled: Set<Int> = []
  var rest = words[...]
  var optionsEnded = false

  func takeArgument(_ word: String) throws(UsageError) {
    guard place < placed.count else {
      throw UsageError("\u{201C}\(word)\u{201D} is one argument too many.")
    }
    try refuseEmpty(word, for: placed[place].shape)
    try placed[place].assign(word, &input)
    filled.insert(place)
    if !placed[place].shape.repeats { place += 1 }
  }

  func value(of parameter: Parameter<Input>, attached: String?) throws(UsageError) -> String {
    let shape = parameter.shape
    guard let word = attached ?? rest.first, attached != nil || !looksLikeOption(word) else {
      throw UsageError("\(shape.spelling) needs a value: \(shape.placeholder).")
    }
    if attached == nil { rest.removeFirst() }
    try refuseEmpty(word, for: shape)
    return word
  }

  func takeLong(_ word: String) throws(UsageError) {
    let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let parameter = named.first(where: { $0.shape.name == name }) else {
      let known = named.map(\.shape.name) + ["help"]
      throw UsageError(
        "There is no option --\(name) here.", suggestion: nearest(to: name, among: known).map { "--\($0)" })
    }
    if parameter.shape.kind == .flag {
      if parts.count > 1 { throw UsageError("--\(name) is a switch and takes no value.") }
      try parameter.assign(nil, &input)
    } else {
      let attached = parts.count > 1 ? String(parts[1]) : nil
      try parameter.assign(try value(of: parameter, attached: attached), &input)
    }
  }

  func takeShort(_ word: String) throws(UsageError) {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      guard let parameter = named.first(where: { $0.shape.short == letter }) else {
        throw UsageError("There is no option -\(letter) here.")
      }
      if parameter.shape.kind == .flag {
        try parameter.assign(nil, &input)
      } else {
        let attached = letters.isEmpty ? nil : String(letters)
        try parameter.assign(try value(of: parameter, attached: attached), &input)
        return
      }
    }
  }

  while let word = rest.popFirst() {
    if optionsEnded || !looksLikeOption(word) {
      try takeArgument(word)
    } else if word == "--" {
      optionsEnded = true
    } else if word.hasPrefix("--") {
      try takeLong(word)
    } else {
      try takeShort(word)
    }
  }

  for index in placed.indices where placed[index].shape.isRequired && !filled.contains(index) {
    let missing = placed[index].shape
    throw UsageError("\(missing.placeholder) is missing: \(missing.help.lowercasedFirst)")
  }
  return input
}

private func refuseEmpty(_ word: String, for shape: ParameterShape) throws(UsageError) {
  if word.isEmpty && !shape.mayBeEmpty { throw UsageError("\(shape.spelling) must not be empty.") }
}

/// `-n`, `--name` and `--`; not `-`, and not `-3`, which is a number.
private func looksLikeOption(_ word: String) -> Bool {
  guard word.hasPrefix("-"), word.count > 1 else { return false }
  return Double(word) == nil
}

extension String {
  /// Starts small, to stand inside a sentence; an acronym at the front stays as it is.
  fileprivate var lowercasedFirst: String {
    guard let first, dropFirst().first?.isUppercase != true else { return self }
    return first.lowercased() + dropFirst()
  }
}
