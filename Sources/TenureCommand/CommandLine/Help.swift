extension Command {
  /// The text of `--help`, wrapped to `width` columns.
  func help(called path: String, width: Int) -> String {
    let width = min(max(width, 40), 100)
    var sections = [wrapped(summary, width: width, indent: 0), "Usage: \(usage(called: path))"]
    if !discussion.isEmpty {
      sections.append(
        discussion.split(separator: "\n", omittingEmptySubsequences: false)
          .map { wrapped(String($0), width: width, indent: 0) }.joined(separator: "\n"))
    }
    if !visibleSubcommands.isEmpty {
      sections.append(
        table("Commands", visibleSubcommands.map { ($0.name, $0.summary) }, width: width))
    }
    let arguments = parameters.filter { $0.kind == .argument }
    if !arguments.isEmpty {
      sections.append(table("Arguments", arguments.map { ($0.placeholder, $0.explanation) }, width: width))
    }
    let options = parameters.filter { $0.kind != .argument }.map { ($0.forms, $0.explanation) }
    sections.append(table("Options", options + [("-h, --help", "Show this.")], width: width))
    var codes: [ExitCode: String] = [.success: ExitCode.success.meaning]
    codes[.unusable] = ExitCode.unusable.meaning
    codes.merge(exits) { _, exact in exact }
    sections.append(
      table(
        "Exit codes",
        codes.sorted { $0.key.rawValue < $1.key.rawValue }.map { ("\($0.key.rawValue)", $0.value) },
        width: width))
    if !examples.isEmpty {
      sections.append(
        "Examples:\n" + examples.map { "  \($0.line)\n      \($0.does)" }.joined(separator: "\n"))
    }
    if !visibleSubcommands.isEmpty {
      sections.append("`\(path) COMMAND --help` says more about each.")
    }
    return sections.joined(separator: "\n\n")
  }

  /// The one line that shows what can be typed.
  func usage(called path: String) -> String {
    if body == nil { return "\(path) COMMAND …" }
    var words = [path]
    if parameters.contains(where: { $0.kind != .argument }) { words.append("[OPTION…]") }
    for argument in parameters where argument.kind == .argument {
      let word = argument.repeats ? "\(argument.placeholder)…" : argument.placeholder
      words.append(argument.isRequired ? word : "[\(word)]")
    }
    return words.joined(separator: " ")
  }
}

extension ParameterShape {
  fileprivate var forms: String {
    let long = kind == .option ? "--\(name) \(placeholder)" : "--\(name)"
    return short.map { "-\($0), \(long)" } ?? long
  }

  fileprivate var explanation: String {
    var text = help
    if case .words(let words) = completion { text += " One of: \(words.joined(separator: ", "))." }
    if let byDefault { text += " Default: \(byDefault)." }
    if repeats, kind == .option { text += " May be given several times." }
    return text
  }
}

private func table(_ title: String, _ rows: [(String, String)], width: Int) -> String {
  let column = min((rows.map(\.0.count).max() ?? 0) + 4, 30)
  var lines = ["\(title):"]
  for (left, right) in rows {
    let text = wrapped(right, width: width, indent: column)
    if left.count + 4 > column {
      lines.append("  \(left)")
      lines.append(text)
    } else {
      let padded = "  " + left + String(repeating: " ", count: column - left.count - 2)
      lines.append(padded + text.dropFirst(column))
    }
  }
  return lines.joined(separator: "\n")
}

/// `text` in lines of at most `width` columns, every line indented. A word longer than a line stays whole.
func wrapped(_ text: String, width: Int, indent: Int) -> String {
  let margin = String(repeating: " ", count: indent)
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    if !line.isEmpty, indent + line.count + 1 + word.count > width {
      lines.append(margin + line)
      line = ""
    }
    line += line.isEmpty ? String(word) : " \(word)"
  }
  lines.append(margin + line)
  return lines.joined(separator: "\n")
}
