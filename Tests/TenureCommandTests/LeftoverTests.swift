import TenureSystem
import Testing

@testable import TenureCommand

@Suite("What interrupted labs and measurements leave behind") struct LeftoverTests {
  /// Two that run until they are ended, and how to see that they have begun.
  enum Job: String, CaseIterable, Sendable {
    case lab, bench

    func start(in parent: String) throws -> ChildProcess {
      let words =
        switch self {
        case .lab: ["lab", "kill", "--iterations", "100000", "--processes", "2"]
        case .bench: ["bench", "documents", "--only", "4 processes", "--directory", parent]
        }
      return try ChildProcess.start(
        try BuiltTenure().path, arguments: words,
        environment: ["TMPDIR=\(parent)", "PATH=/usr/bin:/bin"], output: .pipe, errors: .pipe, ownGroup: true)
    }

    /// Waits until a process of its own works in its folder.
    func works(in parent: String) async throws {
      try await until { try isAtWork(parent) }
    }

    private func isAtWork(_ parent: String) throws -> Bool {
      guard let folder = try System.live.list(parent).first(where: { $0.hasPrefix("tenure-") }) else {
        return false
      }
      let box = parent.appendingPath(folder).appendingPath("box")
      switch self {
      case .lab:
        // The workers' leases.
        guard try System.live.status(box + "/leases") != nil else { return false }
        return try !System.live.list(box + "/leases").isEmpty
      case .bench:
        // The process that made the container has written less.
        return try System.live.status(box + "/ours/tenure.sqlite-wal").map { $0.size > 200_000 } ?? false
      }
    }
  }

  @Test(
    "A signal takes the folder and every process away",
    arguments: Job.allCases, EndSignal.allCases)
  func signals(job: Job, signal: EndSignal) async throws {
    try await TemporaryNotes.with { notes in
      let child = try job.start(in: notes.path)
      try await job.works(in: notes.path)
      #expect(child.signal(signal.rawValue))
      // Its children hold the other ends of this pipe: the text ends when the last of them has ended.
      let said = try await child.errorLines.wholeText()
      #expect(said.contains("tenure: \(signal.reason)"))
      #expect(await child.ending() == .exited(128 + signal.rawValue))
      #expect(try System.live.list(notes.path).isEmpty)
    }
  }

  @Test(
    "After a kill the children end by themselves, and the next run clears the folder away",
    arguments: Job.allCases)
  func killed(job: Job) async throws {
    try await TemporaryNotes.with { notes in
      let child = try job.start(in: notes.path)
      try await job.works(in: notes.path)
      child.killNow()
      _ = try await child.errorLines.wholeText()
      let left = try #require(try System.live.list(notes.path).first)
      // Of a process that lives: left alone.
      let alive = try job.start(in: notes.path)
      try await job.works(in: notes.path)
      try await until { try !System.live.list(notes.path).contains(left) }
      let next = try job.start(in: notes.path)
      try await until { try System.live.list(notes.path).count { $0.hasPrefix("tenure-") } == 2 }
      for child in [alive, next] {
        #expect(child.signal(EndSignal.terminate.rawValue))
        let ending = await child.ending()
        #expect(ending == .exited(143))
      }
      #expect(try System.live.list(notes.path).isEmpty)
    }
  }
}
