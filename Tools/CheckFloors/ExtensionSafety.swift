/// A row of `extension-unavailable.tsv`.
struct UnavailableName: Hashable, Sendable {
  /// The Objective-C name, or Swift's where there is no other.
  var name: String
  /// What the header says to do instead; may be empty.
  var message: String

  /// The rows of the table's text, by the names in its first line.
  static func rows(of table: String) -> [UnavailableName] {
    let lines = table.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)
    }
    guard let head = lines.first, let name = head.firstIndex(of: "name"),
      let message = head.firstIndex(of: "message")
    else { return [] }
    return lines.dropFirst().filter { $0.count > max(name, message) }.map {
      UnavailableName(name: String($0[name]), message: String($0[message]))
    }
  }
}

/// The places in a file that use what an app extension may not.
func faults(in file: SourceFile, forbidding names: [UnavailableName]) -> [Fault] {
  let imports = Set(file.imports.map(\.module))
  var found: [Fault] = []
  for name in names {
    for spelling in swiftSpellings[name.name] ?? [] {
      for line in spelling.lines(in: file.tokens, imports: imports) {
        let advice = name.message.isEmpty ? "" : ": \(name.message)"
        let fault = Fault(
          path: file.path, line: line,
          message: "\(spelling) is not for app extensions, and \(file.module) is part of them\(advice)")
        if !found.contains(where: { $0.line == line && $0.message == fault.message }) { found.append(fault) }
      }
    }
  }
  return found.sorted { $0.line < $1.line }
}

extension SwiftSpelling: CustomStringConvertible {
  var description: String {
    switch self {
    case .name(let name), .member(let name): name
    case .memberOf(let type, let member): "\(type).\(member)"
    case .call(let name, let labels, _), .initializer(let name, let labels):
      "\(name)(\(labels.map { "\($0):" }.joined()))"
    }
  }

  /// The lines where it stands.
  func lines(in tokens: [Token], imports: Set<String>) -> [Int] {
    switch self {
    case .name(let name):
      return tokens.filter { $0.text == name }.map(\.line)
    case .member(let name):
      return tokens.indices.filter { tokens[$0].text == name && tokens.isMember(at: $0) }.map {
        tokens[$0].line
      }
    case .memberOf(let type, let member):
      return tokens.indices.filter { tokens[$0].text == type && tokens.reaches(member, from: $0) }
        .map { tokens[$0].line }
    case .call(let name, let labels, let scope):
      if case .filesImporting(let modules) = scope, imports.isDisjoint(with: modules) { return [] }
      return tokens.indices.filter {
        tokens[$0].text == name && tokens.isMember(at: $0) && !tokens.isOnExtensionContext(at: $0)
          && tokens.isCall(at: $0, with: labels)
      }.map { tokens[$0].line }
    case .initializer(let type, let labels):
      return tokens.indices.filter { index in
        guard tokens[index].text == type else { return false }
        let isExplicit = tokens.text(index + 1) == "." && tokens.text(index + 2) == "init"
        return tokens.isCall(at: isExplicit ? index + 2 : index, with: labels)
      }.map { tokens[$0].line }
    }
  }
}

extension [Token] {
  fileprivate func text(_ index: Int) -> String { indices.contains(index) ? self[index].text : "" }

  /// `.name`, but not the root of a key path (`\.openURL`, which names an environment value).
  fileprivate func isMember(at index: Int) -> Bool { text(index - 1) == "." && text(index - 2) != "\\" }

  /// `extensionContext.open(…)`, `extensionContext?.open(…)`: what extensions have instead.
  fileprivate func isOnExtensionContext(at index: Int) -> Bool {
    var before = index - 2
    while ["?", "!"].contains(text(before)) { before -= 1 }
    return text(before) == "extensionContext"
  }

  /// From a type to its member: `Type.member`, `Type.self.member`, `: Type = .member`, `: Type? = .member`.
  fileprivate func reaches(_ member: String, from type: Int) -> Bool {
    var next = type + 1
    if text(next) == ".", text(next + 1) == "self" { next += 2 }
    if text(next) == ".", text(next + 1) == member { return true }
    while ["?", "!"].contains(text(next)) { next += 1 }
    return text(next) == "=" && text(next + 1) == "." && text(next + 2) == member
  }

  /// Whether a call stands here whose labels begin like `labels`; left-out and trailing ones are allowed.
  fileprivate func isCall(at index: Int, with labels: [String]) -> Bool {
    guard text(index + 1) == "(" else { return text(index + 1) == "{" && labels.count == 1 }
    var given: [String] = []
    var depth = 0
    var startsArgument = true
    var next = index + 1
    while next < count {
      switch text(next) {
      case "(", "[", "{":
        if depth > 0, startsArgument { given.append("_") }
        startsArgument = depth == 0
        depth += 1
      case ")", "]", "}":
        depth -= 1
        if depth == 0 { return given.isBeginning(of: labels) }
      case ",":
        if depth == 1 { startsArgument = true }
      default:
        if depth == 1, startsArgument {
          given.append(text(next + 1) == ":" ? text(next) : "_")
          startsArgument = false
        }
      }
      next += 1
    }
    return false
  }
}

extension [String] {
  /// Whether these labels are `all`, the first among them, with some of the later ones left out.
  fileprivate func isBeginning(of all: [String]) -> Bool {
    guard first == all.first else { return false }
    var rest = all[...]
    for label in self {
      guard let place = rest.firstIndex(of: label) else { return false }
      rest = rest[(place + 1)...]
    }
    return true
  }
}
