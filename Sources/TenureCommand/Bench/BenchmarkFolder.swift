import TenureScenarios
import TenureSystem

/// A folder for one measurement, on the disk that is to be measured.
struct BenchmarkFolder: Sendable {
  let path: String

  /// Makes a new, empty folder inside `parent` for `body`, and removes it afterwards, also when the run is interrupted.
  /// What cannot be removed stays: a figure is not worth less for it.
  static func with<Result>(
    in parent: String, plan: BenchmarkPlan, _ body: (BenchmarkFolder) async throws -> Result
  ) async throws -> Result {
    let directory = try LabDirectory(in: parent, named: "tenure-bench", system: plan.system)
    plan.belongings.add(directory)
    defer { plan.belongings.remove(directory) }
    return try await body(BenchmarkFolder(path: directory.path))
  }
}
