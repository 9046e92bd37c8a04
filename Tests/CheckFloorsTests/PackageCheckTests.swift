import Foundation
import Testing

@testable import CheckFloors

@Suite("Checking a whole package") struct PackageCheckTests {
  /// A package of two modules in a directory of its own, with the table of this one.
  func withPackage(screens: String, _ body: (String) throws -> Void) throws {
    let files = FileManager.default
    let root = files.temporaryDirectory.appendingPathComponent("floors-\(UUID().uuidString)")
    defer { try? files.removeItem(at: root) }
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let table = "Tools/CheckFloors/extension-unavailable.tsv"
    for directory in ["Sources/Tenure", "Sources/TenureScreens", "Sources/TenureApp", "Tools/CheckFloors"] {
      try files.createDirectory(
        at: root.appendingPathComponent(directory), withIntermediateDirectories: true)
    }
    try files.copyItem(at: here.appendingPathComponent(table), to: root.appendingPathComponent(table))
    try Data("@_exported import TenureScreens".utf8)
      .write(to: root.appendingPathComponent("Sources/Tenure/Tenure.swift"))
    try Data(screens.utf8).write(to: root.appendingPathComponent("Sources/TenureScreens/Screens.swift"))
    // Not for extensions, and not part of what they get.
    try Data("import Tenure\nlet app = UIApplication.shared".utf8)
      .write(to: root.appendingPathComponent("Sources/TenureApp/App.swift"))
    try body(root.path)
  }

  @Test("Only what the umbrella brings along must be safe for extensions")
  func safe() throws {
    try withPackage(screens: "public struct Screen {}") { root in
      let faults = try check(package: root)
      #expect(faults.isEmpty)
    }
  }

  @Test("One file that breaks it is found, with its place in the package")
  func broken() throws {
    try withPackage(screens: "import TenureApp\nlet app = UIApplication.shared") { root in
      let faults = try check(package: root)
      #expect(faults.contains { $0.path == "Sources/TenureScreens/Screens.swift" && $0.line == 1 })
      #expect(faults.contains { $0.path == "Sources/TenureScreens/Screens.swift" && $0.line == 2 })
    }
  }

  @Test("A place without sources is an error, not a clean answer")
  func nothing() {
    #expect(throws: (any Error).self) { try check(package: "/nonexistent") }
  }
}
