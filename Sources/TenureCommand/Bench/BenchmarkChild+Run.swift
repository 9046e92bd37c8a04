import TenureDocuments
import TenureSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The child's side of ``BenchmarkJob``. It prints with `print` of its own: what it says is read by the parent,
/// never by a person.
extension BenchmarkJob {
  /// Does the job. `say` prints a line, at once.
  func run(plan: BenchmarkPlan, say: @escaping @Sendable (String) -> Void) async throws {
    let clock = plan.system.clock
    switch self {
    case .write(let path, let document, let seconds):
      let store = try await BenchmarkStore.open(path, plan: plan)
      try await Self.begin(say)
      var answer = BenchmarkAnswer()
      let start = clock.monotonic
      let deadline = start + UInt64(seconds * 1e9)
      answer.count = try await store.write(.writer(document), clock: clock) { took in
        answer.longest = max(answer.longest, Double(took) / 1e9)
        return clock.monotonic < deadline
      }
      answer.seconds = Double(clock.monotonic - start) / 1e9
      answer.bytes = try store.logSize(plan: plan)
      await store.close()
      try say(answer.line)

    case .rawWrite(let path, let document, let seconds):
      let peer = RawSQLite(path: path)
      let answer = try await BenchmarkThreads.run {
        let writer = try RawWriter(peer)
        try Self.beginBlocking(say)
        var answer = BenchmarkAnswer()
        let start = clock.monotonic
        let deadline = start + UInt64(seconds * 1e9)
        answer.count = try writer.write("writer-\(document).md", clock: clock) { took in
          answer.longest = max(answer.longest, Double(took) / 1e9)
          return clock.monotonic < deadline
        }
        answer.seconds = Double(clock.monotonic - start) / 1e9
        return answer
      }
      try say(answer.line)

    case .read(let path, let documents, let seconds):
      let store = try await BenchmarkStore.open(path, plan: plan)
      try await Self.begin(say)
      var answer = BenchmarkAnswer()
      let deadline = clock.monotonic + UInt64(seconds * 1e9)
      repeat {
        _ = try await store.documents.body(of: .writer(answer.count % documents))
        answer.count += 1
        if answer.count.isMultiple(of: 64) { answer.bytes = max(answer.bytes, try store.logSize(plan: plan)) }
      } while clock.monotonic < deadline
      await store.close()
      try say(answer.line)

    case .observe(let path, let document):
      let store = try await BenchmarkStore.open(path, plan: plan)
      let (first, subscription) = try await store.documents.observeInline(DocumentID(document)) { seen in
        let now = clock.monotonic
        if let revision = seen.value { say(Sighting(version: revision.version, monotonic: now).line) }
      }
      _ = first
      say("ready")
      // Until the parent closes the pipe or ends this process.
      try await BenchmarkThreads.run { while readLine() != nil {} }
      subscription.cancel()
      await store.close()

    case .rawObserve(let path, let bell, let document):
      try await BenchmarkThreads.run {
        let watch = try RawBell(bell)
        let reader = try RawReader(RawSQLite(path: path), of: document)
        say("ready")
        try Self.endWithParent()
        while true {
          try watch.wait()
          let version = try reader.version()
          say(Sighting(version: version, monotonic: clock.monotonic).line)
        }
      }

    case .importLarge(let path, let file):
      let store = try await BenchmarkStore.open(path, plan: plan)
      _ = try await store.write(DocumentID("before.md"), until: 0, clock: clock)
      try await Self.begin(say)
      try PeakMemory.reset(system: plan.system)
      let idle = try PeakMemory.now(system: plan.system)
      let edit = Edit(of: DocumentID("large.bin"), expecting: 0, body: .file(URL(fileURLWithPath: file)))
      guard case .committed = try await store.documents.commit(edit) else {
        throw BenchmarkFault(what: "the large file was not committed")
      }
      var answer = BenchmarkAnswer(count: 1)
      answer.bytes = try PeakMemory.highest(system: plan.system) - idle
      await store.close()
      try say(answer.line)
    }
  }

  private static func begin(_ say: @escaping @Sendable (String) -> Void) async throws {
    try await BenchmarkThreads.run { try beginBlocking(say) }
  }

  private static func beginBlocking(_ say: @Sendable (String) -> Void) throws {
    say("ready")
    if readLine() == nil { throw BenchmarkFault(what: "the parent has ended") }
    try endWithParent()
  }

  /// Nobody is left to measure for when the parent was killed.
  private static func endWithParent() throws {
    try SystemThread.start(name: "bench-parent") {
      while readLine() != nil {}
      _exit(0)
    }
  }
}

extension BenchmarkAnswer {
  fileprivate var line: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }
}
