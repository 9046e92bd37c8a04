import TenureDocuments
import TenureGroup
import TenureStorage
import TenureSystem
import TenureTrace

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Our side: a container opened as an app opens it, without a trace unless one is asked for.
struct BenchmarkStore: Sendable {
  let database: GroupDatabase
  let documents: DocumentStore

  /// The container's folder.
  var path: String { database.container.path }
  /// The longest the WAL may be when a commit begins.
  var logBound: Int64 { database.options.logHardBound }
  /// Pages in the WAL after which it is copied back.
  var checkpointPages: Int { Int(database.options.logSoftBound / 4096) }

  /// Opens (or makes) the container at `path`.
  static func open(_ path: String, plan: BenchmarkPlan, sink: (any TraceSink)? = nil) async throws
    -> BenchmarkStore
  {
    let process = ProcessIdentity.current(role: "bench")
    let container = try GroupContainer.open(
      at: path, system: plan.system, trace: Trace(to: sink, as: process))
    let database = try await GroupDatabase.open(container, components: [DocumentStore.component])
    return BenchmarkStore(database: database, documents: try await DocumentStore.open(database))
  }

  /// Commits version after version of one document, at least one, as long as `goesOn` says so; it is told the
  /// nanoseconds each took.
  func write(
    _ document: DocumentID, clock: any SystemClock, goesOn: (_ nanoseconds: UInt64) -> Bool
  ) async throws -> Int {
    var version = try await documents.revision(of: document)?.version ?? 0
    var body = BenchmarkBody()
    var count = 0
    var end = clock.monotonic
    var start = end
    repeat {
      start = end
      body.number += 1
      let edit = Edit(of: document, expecting: version, body: .data(Data(body.bytes)))
      guard case .committed(let revision) = try await documents.commit(edit) else {
        throw BenchmarkFault(what: "\(document) has another writer: nothing else may write it here")
      }
      version = revision.version
      count += 1
      end = clock.monotonic
    } while goesOn(end - start)
    return count
  }

  /// Bytes of the WAL file.
  func logSize(plan: BenchmarkPlan) throws -> Int64 {
    try plan.system.status(database.container.databasePath + "-wal")?.size ?? 0
  }

  /// Commits until the WAL has the length at which it is copied back and begun anew.
  func fillLog(plan: BenchmarkPlan) async throws {
    while try logSize(plan: plan) < Int64(checkpointPages) * 4096 {
      _ = try await write(DocumentID("filling.md"), count: 64, clock: plan.system.clock)
    }
  }

  func close() async { await database.close() }

  /// Commits `count` versions of one document.
  func write(_ document: DocumentID, count: Int, clock: any SystemClock) async throws -> Int {
    var left = count
    return try await write(document, clock: clock) { _ in
      left -= 1
      return left > 0
    }
  }

  /// Commits version after version of one document until `deadline`.
  func write(_ document: DocumentID, until deadline: UInt64, clock: any SystemClock) async throws -> Int {
    try await write(document, clock: clock) { _ in clock.monotonic < deadline }
  }

  /// How many writers at once, for how long, and the rate at which they committed.
  func rate(writers: Int, seconds: Double, clock: any SystemClock) async throws -> Double {
    let start = clock.monotonic
    let deadline = start + UInt64(seconds * 1e9)
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<writers {
        group.addTask { try await write(.writer(writer), until: deadline, clock: clock) }
      }
      return try await group.reduce(0, +)
    }
    return Double(count) / (Double(clock.monotonic - start) / 1e9)
  }
}

extension DocumentID {
  /// The document that only one writer writes.
  static func writer(_ number: Int) -> DocumentID { DocumentID("writer-\(number).md") }
}
