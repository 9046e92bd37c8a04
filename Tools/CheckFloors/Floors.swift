/// The order of the house. Lower floors never know of higher ones.
struct Floors: Sendable {
  /// Each module's floor.
  let byModule: [String: Int]

  /// The floors as `Package.swift` builds them up.
  static let ofTenure = Floors([
    ["CSQLite", "CCrypto", "CEdit", "CTenureShim"],
    ["TenureSystem"],
    ["TenureTrace"],
    ["TenureContentTypes", "TenureFindings", "TenureState", "TenureGroup"],
    ["TenureStorage"],
    ["TenureDocuments", "TenureWork"],
    ["TenureScreens", "TenureExtensions", "TenureSync"],
    ["Tenure"],
    [
      "TenureApp", "TenureExtensionHost", "TenureExplorer", "TenureTesting", "TenureDiagnosis", "TenureAudit",
      "TenureImaging", "TenureAuthority",
    ],
    ["Notebook"],
    ["TenureScenarios", "TenureWorkbench"],
    ["TenureCommand"],
  ])

  /// Floors from the ground up.
  init(_ floors: [[String]]) {
    var byModule: [String: Int] = [:]
    for (floor, modules) in floors.enumerated() {
      for module in modules { byModule[module] = floor }
    }
    self.byModule = byModule
  }
}

/// A place where a promise is broken, written as compilers write it.
struct Fault: Hashable, Sendable, CustomStringConvertible {
  var path: String
  var line: Int
  var message: String

  var description: String { "\(path):\(line): error: \(message)" }
}

/// One Swift file of a module.
struct SourceFile: Sendable {
  var module: String
  var path: String
  var tokens: [Token]

  init(module: String, path: String, text: String) {
    self.module = module
    self.path = path
    self.tokens = tokenize(text)
  }

  /// What it imports, with the line; the first part of `import A.B` and of `import struct A.B`.
  var imports: [(module: String, line: Int, isExported: Bool)] {
    var found: [(String, Int, Bool)] = []
    for index in tokens.indices where tokens[index].text == "import" {
      let isMember = index > 0 && [".", "`"].contains(tokens[index - 1].text)
      guard !isMember, index + 1 < tokens.count else { continue }
      var next = index + 1
      let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
      if kinds.contains(tokens[next].text), next + 1 < tokens.count { next += 1 }
      let isExported = index > 0 && tokens[index - 1].text == "@_exported"
      found.append((tokens[next].text, tokens[next].line, isExported))
    }
    return found
  }
}

/// The imports that go sideways or up.
func faults(in files: [SourceFile], against floors: Floors) -> [Fault] {
  files.flatMap { file -> [Fault] in
    guard let floor = floors.byModule[file.module] else {
      return [
        Fault(
          path: file.path, line: 1, message: "module \(file.module) has no floor; give it one in Floors.swift"
        )
      ]
    }
    return file.imports.compactMap { module, line, _ in
      guard let other = floors.byModule[module], other >= floor, module != file.module else { return nil }
      let relation = other == floor ? "is on the same floor" : "is above"
      return Fault(
        path: file.path, line: line,
        message: "\(file.module) (floor \(floor)) imports \(module) (floor \(other)), which \(relation)")
    }
  }
}

/// The modules that come along with `umbrella`, itself included.
func closure(of umbrella: String, in files: [SourceFile], floors: Floors) -> Set<String> {
  var imports: [String: Set<String>] = [:]
  for file in files { imports[file.module, default: []].formUnion(file.imports.map(\.module)) }
  var reached: Set<String> = []
  var waiting = [umbrella]
  while let module = waiting.popLast() {
    guard floors.byModule[module] != nil, reached.insert(module).inserted else { continue }
    waiting.append(contentsOf: imports[module] ?? [])
  }
  return reached
}
