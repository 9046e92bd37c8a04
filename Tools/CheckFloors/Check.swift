import Foundation

/// What keeps the check from answering.
enum CheckError: Error, CustomStringConvertible {
  case nothingToRead(String)
  case noSpelling([String])

  var description: String {
    switch self {
    case .nothingToRead(let path): "there are no Swift files under \(path); name the root of the package"
    case .noSpelling(let names): "SwiftSpelling.swift does not know \(names.joined(separator: ", "))"
    }
  }
}

/// Reads all sources of the package at `root` and answers what is wrong with them.
func check(package root: String) throws -> [Fault] {
  let files = try sources(of: root)
  if files.isEmpty { throw CheckError.nothingToRead(root) }
  let table = try String(
    contentsOfFile: "\(root)/Tools/CheckFloors/extension-unavailable.tsv", encoding: .utf8)
  let names = UnavailableName.rows(of: table)
  let unknown = names.map(\.name).filter { swiftSpellings[$0] == nil }
  if names.isEmpty || !unknown.isEmpty { throw CheckError.noSpelling(unknown) }

  let floors = Floors.ofTenure
  let inExtensions = closure(of: "Tenure", in: files, floors: floors)
  return faults(in: files, against: floors)
    + files.filter { inExtensions.contains($0.module) }.flatMap { faults(in: $0, forbidding: names) }
}

/// Every Swift file of every module: `Sources/MODULE/…`, and the sample app.
private func sources(of root: String) throws -> [SourceFile] {
  let modules = try FileManager.default.contentsOfDirectory(atPath: "\(root)/Sources").sorted()
  let places = modules.map { ($0, "Sources/\($0)") } + [("Notebook", "Examples/Notebook/Sources")]
  var files: [SourceFile] = []
  for (module, place) in places {
    let names = FileManager.default.subpaths(atPath: "\(root)/\(place)") ?? []
    for name in names.sorted() where name.hasSuffix(".swift") {
      let path = "\(place)/\(name)"
      let text = String(
        decoding: try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)")), as: UTF8.self)
      files.append(SourceFile(module: module, path: path, text: text))
    }
  }
  return files
}
