import TenureDocuments
import TenureSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Bringing files in: many small ones, and one that would not fit into memory twice.
enum ImportBenchmarks {
  /// The largest amount of memory that importing a file of any size may take.
  static let memoryLimit = 64.0

  static func folderNames(_ plan: BenchmarkPlan) -> [String] {
    ["import of \(BenchmarkReport.number(Double(plan.files))) files"]
  }

  static func largeFileNames(_ plan: BenchmarkPlan) -> [String] {
    let size = plan.largeFile
    let text = size >= 1 << 30 ? "\(size >> 30) GB" : "\(size >> 20) MB"
    return ["peak memory of importing a \(text) file"]
  }

  /// A folder of notes, imported by us and copied by `cp -r`, each durable at the end.
  static func folder(plan: BenchmarkPlan) async throws -> [BenchmarkRow] {
    let count = plan.files
    let name = folderNames(plan)[0]
    plan.progress(name)
    let result = try await BenchmarkFolder.with(in: plan.directory, plan: plan) { folder in
      let source = folder.path.appendingPath("notes")
      try makeNotes(count, in: source, system: plan.system)
      return try await PairedRuns(runs: max(1, min(plan.runs, 3))).measure(
        ours: { [try await importNotes(from: source, into: folder, plan: plan)] },
        peer: { [try await copyNotes(from: source, into: folder, plan: plan)] })
    }
    return [
      BenchmarkRow(
        name, unit: .milliseconds, ours: result.ours[0], peer: result.peer[0], peerName: "cp -r and sync")
    ]
  }

  private static func importNotes(from source: String, into folder: BenchmarkFolder, plan: BenchmarkPlan)
    async throws -> Double
  {
    try await BenchmarkFolder.with(in: folder.path, plan: plan) { target in
      let start = plan.system.clock.monotonic
      let child = try ChildProcess.start(
        plan.program,
        arguments: [
          "run", source, "--once", "--json", "--container", target.path.appendingPath("container"),
        ],
        output: .nothing, system: plan.system)
      try await succeed(child)
      return milliseconds(since: start, plan: plan)
    }
  }

  private static func copyNotes(from source: String, into folder: BenchmarkFolder, plan: BenchmarkPlan)
    async throws -> Double
  {
    try await BenchmarkFolder.with(in: folder.path, plan: plan) { target in
      let start = plan.system.clock.monotonic
      try await succeed(
        try ChildProcess.start(
          "/bin/cp", arguments: ["-r", source, target.path.appendingPath("copy")], system: plan.system))
      try await succeed(try ChildProcess.start("/bin/sync", system: plan.system))
      return milliseconds(since: start, plan: plan)
    }
  }

  private static func succeed(_ child: ChildProcess) async throws {
    let ending = await child.ending()
    if ending != .exited(0) { throw BenchmarkFault(what: "\(child.program) ended with \(ending)") }
  }

  private static func milliseconds(since start: UInt64, plan: BenchmarkPlan) -> Double {
    Double(plan.system.clock.monotonic - start) / 1e6
  }

  /// Notes of one to eight thousand bytes, a hundred to a folder, every one different.
  private static func makeNotes(_ count: Int, in folder: String, system: System) throws {
    var body = BenchmarkBody()
    for number in 0..<count {
      let directory = folder.appendingPath("folder-\(number / 100)")
      if number.isMultiple(of: 100) { try system.makeDirectories(directory) }
      let file = try system.open(directory.appendingPath("note-\(number).md"), [.write, .create])
      body.number = UInt64(number)
      for _ in 0...(number % 8) { try body.bytes.withUnsafeBytes { try file.writeAll($0) } }
    }
  }

  /// The memory that importing a large file takes above what the open store takes.
  static func largeFile(plan: BenchmarkPlan) async throws -> [BenchmarkRow] {
    let size = plan.largeFile
    let name = largeFileNames(plan)[0]
    plan.progress(name)
    return try await BenchmarkFolder.with(in: plan.directory, plan: plan) { folder in
      let source = folder.path.appendingPath("large.bin")
      try makeLarge(size, at: source, system: plan.system)
      let job = BenchmarkJob.importLarge(container: folder.path.appendingPath("ours"), file: source)
      let answers = try await BenchmarkChild.run([job], plan: plan)
      // Less than a page cannot be seen: it counts as one.
      let ours = Double(max(answers[0].bytes, 4096)) / 1e6
      return [BenchmarkRow(name, unit: .megabytes, ours: [ours], limit: memoryLimit)]
    }
  }

  private static func makeLarge(_ size: Int64, at path: String, system: System) throws {
    let file = try system.open(path, [.write, .create])
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    // No megabyte equals another, so that nothing can be gained by sharing or compressing.
    for _ in 0..<(size >> 20) {
      var chunk = [UInt64](repeating: 0, count: (1 << 20) / 8)
      for index in chunk.indices {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        chunk[index] = state
      }
      try chunk.withUnsafeBytes { try file.writeAll($0) }
    }
  }
}
