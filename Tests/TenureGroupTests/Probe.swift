import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Another process, which is killed at the latest when this value goes.
final class Probe: Sendable {
  let child: ChildProcess

  init(_ arguments: String...) throws {
    child = try ChildProcess.start(Self.program, arguments: arguments, input: .pipe, output: .pipe)
  }

  deinit { child.killNow() }

  /// What it says next; `nil` when it says no more.
  func line() async throws -> String? {
    try await SystemThread.run(name: "probe") { [child] in try child.outputLines?.next() }
  }

  func kill() async -> ChildProcess.Ending {
    child.killNow()
    return await child.ending()
  }

  /// Products of one build are in one folder: beside the tests, or above their bundle.
  private static let program: String = {
    var folder = CommandLine.arguments.first?.parentPath ?? "."
    while folder.count > 1 {
      let program = folder.appendingPath("GroupProbe")
      if access(program, X_OK) == 0 { return program }
      folder = folder.parentPath
    }
    return "GroupProbe"
  }()
}
