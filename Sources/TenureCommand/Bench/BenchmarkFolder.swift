import TenureSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A folder for one measurement, on the disk that is to be measured; gone with ``remove()``.
struct BenchmarkFolder: Sendable {
  let path: String

  /// Makes a new, empty folder inside `parent`.
  static func make(in parent: String, system: System) throws -> BenchmarkFolder {
    let path = parent.appendingPath("tenure-bench-\(UUID().uuidString)")
    try system.makeDirectories(path)
    return BenchmarkFolder(path: path)
  }

  /// Removes it and all it holds. What cannot be removed stays: a figure is not worth less for it.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Makes a folder for `body` and removes it afterwards.
  static func with<Result>(
    in parent: String, system: System, _ body: (BenchmarkFolder) async throws -> Result
  ) async throws -> Result {
    let folder = try make(in: parent, system: system)
    defer { folder.remove() }
    return try await body(folder)
  }
}
