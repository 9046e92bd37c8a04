import TenureGroup
import TenureStorage
import TenureSystem
import TenureTesting
import TenureTrace

@testable import TenureDocuments

/// A container in a folder of its own, and as many openings of it as a test wants: each is a client of its own,
/// with its own threads, connections and descriptors, as a process would have.
final class Fixture: TraceSink {
  let path: String
  let ring = TraceRing()
  private let ended = AsyncStream.makeStream(of: Void.self)
  private let opened = Lock<[GroupDatabase]>([])

  private init() { path = "/tmp/tenure-documents-\(ChangeID())" }

  /// Runs a test in a container that is closed and gone afterwards, whatever the test does.
  static func run(_ body: (Fixture) async throws -> Void) async throws {
    let fixture = Fixture()
    do {
      try await body(fixture)
    } catch {
      await fixture.end()
      throw error
    }
    await fixture.end()
  }

  /// One more client.
  func open(
    role: String = "app", system: System = .live, options: DocumentStore.Options = .init(),
    guards: DocumentGuards = .init(), storageGuards: StorageGuards = .init(), components: [Component] = []
  ) async throws -> DocumentStore {
    let process = ProcessIdentity(
      pid: 7, name: "notebook", bundleIdentifier: "org.example.notebook", bundlePath: "/opt/notebook",
      role: role, appVersion: "3.2")
    let container = try GroupContainer.open(
      at: path, system: system, trace: Trace(to: self, as: process, clock: system.clock))
    var storage = GroupDatabase.Options()
    storage.reserve = 0
    let database = try await GroupDatabase.open(
      container, components: [DocumentStore.component] + components, options: storage,
      guards: storageGuards)
    opened.withLock { $0.append(database) }
    return try await DocumentStore.open(database, options: options, guards: guards)
  }

  private func end() async {
    for database in opened.withLock({ $0 }) { await database.close() }
    Self.remove(path)
  }

  private static func remove(_ path: String) {
    let system = System.live
    if (try? system.status(path))??.kind == .directory {
      for name in (try? system.list(path)) ?? [] { remove(path.appendingPath(name)) }
      try? system.removeDirectory(path)
    } else {
      _ = try? system.remove(path)
    }
  }

  func take(_ record: TraceRecord) {
    ring.take(record)
    if let save = record.event as? SaveEnded, save.purpose == .checkpoint { ended.continuation.yield() }
  }

  /// Waits for the next checkpoint to end.
  func checkpoint() async { for await _ in ended.stream { return } }

  /// Writes a file beside the container.
  func file(_ name: String, _ bytes: [UInt8]) throws -> URL {
    let folder = path + "/outside"
    try System.live.makeDirectories(folder)
    let file = try System.live.open(folder.appendingPath(name), [.write, .create, .truncate])
    try bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try file.writeAll(buffer, at: 0) }
    }.get()
    return URL(fileURLWithPath: folder.appendingPath(name))
  }

  /// Body files in the container.
  var bodies: [String] { get throws { try System.live.list(path + "/bodies") } }
}

func data(_ text: String) -> Data { Data(text.utf8) }

extension DocumentStore {
  /// Commits text, which must become a version.
  @discardableResult
  func write(_ text: String, to document: DocumentID, expecting expected: Int64) async throws -> Revision {
    let result = try await commit(Edit(of: document, expecting: expected, body: .data(data(text))))
    guard case .committed(let revision) = result else { throw Unexpected(what: "\(result)") }
    return revision
  }

  func text(of document: DocumentID, version: Int64? = nil) async throws -> String {
    String(decoding: try await body(of: document, version: version).data, as: UTF8.self)
  }
}

struct Unexpected: Error, CustomStringConvertible {
  let what: String
  var description: String { "unexpected: \(what)" }
}
