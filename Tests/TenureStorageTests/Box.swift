import TenureGroup
import TenureSystem
import TenureTesting
import TenureTrace

@testable import TenureStorage

/// A container in a folder of its own, with a table of notes; gone with the object.
final class Box: Sendable {
  static let notes = Component(name: "notes", version: 1) { connection, _ in
    try connection.script("CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT UNIQUE)")
  }

  let path: String
  let container: GroupContainer
  let ring = TraceRing()

  init(system: System = .live) throws {
    path = "/tmp/tenure-storage-\(UInt64.random(in: 0...UInt64.max))"
    container = try GroupContainer.open(
      at: path, system: system, trace: Trace(to: ring, as: .current(role: "test")))
  }

  deinit { Self.removeTree(path) }

  func open(
    _ components: [Component] = [Box.notes], _ options: GroupDatabase.Options = Box.small,
    guards: StorageGuards = StorageGuards()
  ) async throws -> GroupDatabase {
    try await GroupDatabase.open(container, components: components, options: options, guards: guards)
  }

  /// Bounds small enough to be reached, waits short enough to be waited for.
  static var small: GroupDatabase.Options {
    var options = GroupDatabase.Options()
    options.logSoftBound = 64 << 10
    options.logHardBound = 256 << 10
    options.restartWait = .milliseconds(50)
    options.refusalWait = .milliseconds(20)
    options.readNoteAfter = .milliseconds(5)
    options.reserve = 256 << 10
    options.groupTime = .seconds(60)
    options.pollEvery = .seconds(60)
    return options
  }

  /// A second connection beside the library, as another program would have it.
  func outside() throws -> SQLiteConnection { try SQLiteConnection(container.databasePath, .write) }

  static func removeTree(_ path: String) {
    let system = System.live
    for name in (try? system.list(path)) ?? [] {
      let child = path.appendingPath(name)
      if (try? system.status(child))??.kind == .directory {
        removeTree(child)
      } else {
        _ = try? system.remove(child)
      }
    }
    try? system.removeDirectory(path)
  }
}

extension GroupDatabase {
  func add(_ title: String) async throws {
    try await write("add") { try $0.connection.run("INSERT INTO note(title) VALUES (?)", .text(title)) }
  }

  var titles: [String] {
    get async throws { try await read { try $0.query("SELECT title FROM note ORDER BY id") { $0.text(0) } } }
  }
}

/// Holds a thread (not a task) until it is let go; says when somebody is there.
final class ThreadGate: Sendable {
  private let state = Monitor((arrived: false, open: false))

  /// Blocks the calling thread.
  func pass() {
    state.change { $0.arrived = true }
    state.wait { $0.open ? () : nil }
  }

  func open() { state.change { $0.open = true } }

  /// Returns when a thread waits at the gate.
  func arrival() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      do {
        try SystemThread.start(name: "arrival") { [state] in
          state.wait { $0.arrived ? () : nil }
          continuation.resume()
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}

/// A machine whose file and database calls fail while a switch is on.
final class Faults: Sendable {
  typealias Rule = @Sendable (InterceptedCalls.Site) -> InterceptedCalls.Effect

  private let rule: RuleHolder
  private let layer: InterceptingDatabaseLayer
  let calls: InterceptedCalls

  init() throws {
    let rule = RuleHolder()
    self.rule = rule
    calls = InterceptedCalls(PlatformCalls()) { rule.decide($0) }
    layer = try InterceptingDatabaseLayer(calls)
  }

  var system: System { System(calls: calls, databaseLayer: layer.name) }

  func start(_ rule: @escaping Rule) { self.rule.set(rule) }
  func stop() { rule.set(nil) }

  private final class RuleHolder: Sendable {
    private let rule = Lock<Rule?>(nil)
    func set(_ new: Rule?) { rule.withLock { $0 = new } }
    func decide(_ site: InterceptedCalls.Site) -> InterceptedCalls.Effect {
      rule.withLock { $0 }?(site) ?? .proceed
    }
  }
}

/// The error a body throws.
func failure<Result>(_ body: () async throws -> Result) async -> StorageError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? StorageError
  }
}
