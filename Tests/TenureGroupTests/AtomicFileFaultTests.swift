import TenureSystem
import TenureTrace
import Testing

@testable import TenureGroup

/// One way to write, from one state of the file.
struct Write: Sendable, CustomTestStringConvertible {
  let name: String
  let old: String?
  let new: String
  let run: @Sendable (String, System, Trace) throws -> Void

  var testDescription: String { name }

  static let all = [
    Write(name: "replace", old: "old", new: "fresh") { path, system, trace in
      try AtomicFile.replace(path, with: Array("fresh".utf8), system: system, trace: trace)
    },
    Write(name: "replace nothing", old: nil, new: "fresh") { path, system, trace in
      try AtomicFile.replace(path, with: Array("fresh".utf8), system: system, trace: trace)
    },
    Write(name: "update", old: "old", new: "old and new") { path, system, trace in
      try AtomicFile.update(path, system: system, trace: trace) { ($0 ?? []) + Array(" and new".utf8) }
    },
    Write(name: "append", old: "old", new: "old and new") { path, system, trace in
      try AtomicFile.append(Array(" and new".utf8), to: path, system: system, trace: trace)
    },
    Write(name: "append to nothing", old: nil, new: "first") { path, system, trace in
      try AtomicFile.append(Array("first".utf8), to: path, system: system, trace: trace)
    },
  ]
}

@Suite("AtomicFile, with every system call failing once")
struct AtomicFileFaultTests {
  private static let effects: [InterceptedCalls.Effect] = [
    .fail(.noSpace), .fail(.inputOutput), .fail(.interrupted), .fail(.tooManyFiles), .short(1), .short(0),
    .failAfter(.inputOutput),
  ]

  private func content(_ path: String) -> String? {
    (try? System.live.contents(of: path, limit: 1_000)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Runs a write whose `fatal`-th call meets `effect`; the number of calls made, and what was thrown.
  private func attempt(
    _ write: Write, at path: String, fatal: Int, _ effect: InterceptedCalls.Effect, trace: Trace
  ) throws -> (calls: Int, site: InterceptedCalls.Site?, error: (any Error)?) {
    if let old = write.old {
      let file = try System.live.open(path, [.write, .create])
      try file.writeAll(Array(old.utf8), at: 0)
      // Not the mode a new file has, so that changing it is among the calls that fail.
      try System.live.changeMode(path, permissions: 0o640)
    }
    let state = Monitor((calls: 0, site: InterceptedCalls.Site?.none))
    let system = intercepting { site in
      state.change { state in
        state.calls += 1
        if state.calls != fatal { return .proceed }
        state.site = site
        // A device may take no byte at all; a read of no byte is the end of the file, and no fault.
        if effect == .short(0), site.call != .pwrite { return .proceed }
        return effect
      }
    }
    var thrown: (any Error)?
    do { try write.run(path, system, trace) } catch { thrown = error }
    let (calls, site) = state.withLock { $0 }
    return (calls, site, thrown)
  }

  @Test(
    "G3: the content is the old or the new, complete; the error is typed; no temporary file is left",
    arguments: Write.all)
  func faults(write: Write) throws {
    let folder = try TemporaryFolder()
    let total = try attempt(
      write, at: folder.path.appendingPath("count"), fatal: 0, .proceed, trace: .off
    ).calls
    #expect(total >= 15)
    for fatal in 1...total {
      for (number, effect) in Self.effects.enumerated() {
        let inner = folder.path.appendingPath("\(fatal)-\(number)")
        try System.live.makeDirectories(inner)
        let path = inner.appendingPath("file")
        let ring = TraceRing()
        let result = try attempt(
          write, at: path, fatal: fatal, effect, trace: Trace(to: ring, as: .current(role: "test")))
        let comment: Comment = "call \(fatal): \(String(describing: result.site)) met \(effect)"
        try check(write, path: path, result.site, effect, result.error, ring, comment)
        // Nothing that was left stands in the way of the next writer. Not at once: a process that another test is
        // just starting has a copy of every descriptor until it runs its own program.
        try AtomicFile.replace(path, with: Array("next".utf8), trace: .off, timeout: .seconds(30))
        #expect(content(path) == "next", comment)
        #expect(try System.live.list(inner) == [".file.lock", "file"], comment)
      }
    }
  }

  private func check(
    _ write: Write, path: String, _ site: InterceptedCalls.Site?, _ effect: InterceptedCalls.Effect,
    _ thrown: (any Error)?, _ ring: TraceRing, _ comment: Comment
  ) throws {
    let found = content(path)
    #expect(found == write.old || found == write.new, comment)
    let names = try System.live.list(path.parentPath)
    if site?.call != .unlink { #expect(!names.contains(".file.new"), comment) }
    let synced = ring.events(FileReplaced.self).map(\.synced)
    switch thrown {
    case nil:
      #expect(found == write.new, comment)
      #expect(synced == [true], comment)
    case let error as GroupError:
      if case .fail(.interrupted) = effect { Issue.record(comment) }
      if case .notDurable = error {
        #expect(found == write.new && synced == [false], comment)
      } else {
        // A rename that happened and said it failed is the one case where the new content is there.
        #expect(found == write.old || effect == .failAfter(.inputOutput) && site?.call == .rename, comment)
        #expect(synced == [], comment)
      }
    case let other?: Issue.record("\(other) is no GroupError; \(comment)")
    }
  }
}
