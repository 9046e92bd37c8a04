import Notebook
import Tenure
import TenureSystem
import Testing

@testable import TenureCommand

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("tenure run and how it ends") struct RunSignalTests {
  @Test(
    "Every signal ends a run in order; Ctrl-C is its ordinary end, the others say which they were",
    arguments: EndSignal.allCases)
  func signals(signal: EndSignal) async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: "a.md")
      let child = try BuiltTenure().start("run", notes.path)
      _ = try await child.outputLines.line(with: "service is process")
      #expect(child.signal(signal.rawValue))
      #expect(try await child.outputLines.line(with: "app: saved none; unsaved none; in doubt none") != nil)
      #expect(try await child.outputLines.line(with: "1 documents") != nil)
      #expect(await child.ending() == .exited(signal == .interrupt ? 0 : 128 + signal.rawValue))
      // No backtrace, and nothing else that was not asked for.
      #expect(try await child.errorLines.wholeText() == "")
    }
  }

  @Test(
    "A signal while the workspace is being opened ends the run in bounded time", arguments: [true, false])
  func whileOpening(isOnce: Bool) async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: "a.md")
      let workspace = try await Notebook.open(Notebook.container(of: notes.path), role: "test", trace: .off)
      let held = try await HeldCommitLock.take(in: workspace.container)
      let child =
        try isOnce
        ? BuiltTenure().start("run", notes.path, "--once") : BuiltTenure().start("run", notes.path)
      // It has begun to open when its events begin.
      try await until { try !System.live.list(workspace.container.tracesPath).isEmpty }
      #expect(child.signal(EndSignal.terminate.rawValue))
      let said = try await child.outputLines.wholeText()
      #expect(said.contains("Ending: terminated"))
      #expect(await child.ending() == .exited(143))
      held.letGo()
      #expect(try await workspace.documents.counts().documents == 0)
      await workspace.close()
    }
  }

  @Test("A container that is removed or replaced under a run is noticed, and nothing is made in its place")
  func containerGone() async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: "notes/a.md")
      let folder = notes.path + "/notes"
      let child = try BuiltTenure().start("run", folder)
      _ = try await child.outputLines.line(with: "service is process")
      // All four have opened it: the app, two scenes and the service.
      let traces = Notebook.container(of: folder) + "/traces"
      try await until {
        try System.live.list(traces).count {
          let bytes = try System.live.contents(of: traces.appendingPath($0), limit: 1 << 20)
          return String(decoding: bytes, as: UTF8.self).contains("lock.taken")
        } == 4
      }
      try System.live.rename(Notebook.container(of: folder), to: notes.path + "/moved")
      let said = try await child.outputLines.wholeText()
      #expect(said.contains("Ending: the container \(folder)/.tenure was removed or replaced"))
      #expect(await child.ending() == .exited(74))
      #expect(try System.live.status(Notebook.container(of: folder)) == nil)
    }
  }

  @Test("Members notice by themselves", arguments: ["member-scene", "member-service"])
  func memberOfNothing(command: String) async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: "notes/a.md")
      let folder = notes.path + "/notes"
      let container = Notebook.container(of: folder)
      _ = try await BuiltTenure().run("run", folder, "--once")
      let child = try BuiltTenure().start(command, "--container", container, input: .pipe)
      _ = try await child.outputLines.line(with: "shows")
      try System.live.rename(container, to: notes.path + "/moved")
      #expect(await child.ending() == .exited(74))
      #expect(try System.live.status(container) == nil)
    }
  }

  @Test("A member that cannot be started again is said to be, is tried again, and holds up no end")
  func programGone() async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("a", to: "notes/a.md")
      let program = notes.path + "/tenure"
      try System.live.link(try BuiltTenure().path, to: program)
      let child = try ChildProcess.start(
        program, arguments: ["run", notes.path + "/notes"], output: .pipe, errors: .pipe, ownGroup: true)
      let started = try #require(try await child.outputLines.line(with: "right is process"))
      let pid = try #require(started.split(whereSeparator: { !$0.isNumber }).last.flatMap { Int32($0) })
      #expect(try System.live.remove(program))
      #expect(kill(pid, SIGKILL) == 0)
      for _ in 0..<2 {
        let said = try await child.outputLines.line(with: "right cannot be started now")
        #expect(said?.contains(program) == true)
      }
      // The program is there again, as after an update.
      try System.live.link(try BuiltTenure().path, to: program)
      #expect(try await child.outputLines.line(with: "right is process") != nil)
      #expect(child.signal(EndSignal.interrupt.rawValue))
      #expect(try await child.outputLines.line(with: "1 documents") != nil)
      #expect(await child.ending() == .exited(0))
    }
  }

  @Test("What a demo leaves in its traces breaks no law")
  func demoTraces() async throws {
    try await TemporaryNotes.with { notes in
      try notes.write("one\ntwo\nthree\n", to: "a.md")
      try notes.write("four\nfive\nsix\n", to: "b.md")
      let tenure = try BuiltTenure()
      let child = try tenure.start("run", notes.path, "--demo")
      for _ in 0..<6 {
        #expect(try await child.outputLines.line(with: " saved ") != nil)
      }
      #expect(child.signal(EndSignal.interrupt.rawValue))
      _ = try await child.outputLines.wholeText()
      #expect(await child.ending() == .exited(0))
      let checked = try await tenure.run("check", Notebook.container(of: notes.path))
      #expect(checked.ending == .exited(0), "\(checked.output)")
    }
  }
}
