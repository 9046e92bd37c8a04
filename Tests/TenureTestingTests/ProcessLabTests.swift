import Foundation
import TenureSystem
import TenureTesting
import Testing

@Suite("ProcessLab")
struct ProcessLabTests {
  @Test("lines are kept until they are read, also those of a process that was killed")
  func lines() async throws {
    let lab = ProcessLab()
    let process = try lab.start("echo", "/bin/sh", arguments: ["-c", "echo one; echo two; exec cat"])
    #expect(await process.line(beginning: "tw") == "two")
    try process.send("three")
    #expect(await process.line() == "three")
    process.kill()
    #expect(await process.allLines() == ["one", "two", "three"])
    #expect(await process.ending() == .killed(signal: 9))
    #expect(await process.line() == nil)
  }

  @Test("a suspended process answers only when it goes on")
  func suspending() async throws {
    let lab = ProcessLab()
    let process = try lab.start("cat", "/bin/cat")
    #expect(process.suspend())
    try process.send("hello")
    process.resume()
    #expect(await process.line() == "hello")
    process.finish()
    #expect(await process.ending() == .exited(0))
    #expect(!process.suspend())
  }

  @Test("a kill after so many lines strikes a process that goes on writing")
  func killAfterLines() async throws {
    let lab = ProcessLab()
    let process = try lab.start("yes", "/bin/sh", arguments: ["-c", "while :; do echo y; done"])
    #expect(await process.kill(afterLines: 20))
    #expect(await process.ending() == .killed(signal: 9))
    #expect(await process.allLines().count >= 20)
    let short = try lab.start("true", "/bin/true")
    #expect(await !short.kill(afterLines: 1))
  }

  @Test("no process outlives the lab, not even a stopped one or a grandchild")
  func noLeaks() async throws {
    var lab: ProcessLab? = ProcessLab()
    let running = try lab!.start("sh", "/bin/sh", arguments: ["-c", "sleep 600 & echo $!; wait"])
    let grandchild = try #require(Int32(await running.line() ?? ""))
    let stopped = try lab!.start("cat", "/bin/cat")
    #expect(stopped.suspend())
    lab = nil
    #expect(await running.ending() == .killed(signal: 9))
    #expect(await stopped.ending() == .killed(signal: 9))
    // The end of the lines says that nobody holds the pipe any more: the grandchild is gone, too.
    #expect(await running.line() == nil)
    #expect(grandchild > 0)
  }

  @Test(
    "kill points are the same after a command line",
    arguments: [
      KillPoint.event("save.begun", 3), .call(.databaseSync, 2),
      .event("save.begun").then(.call(.databaseWrite, 4)).then(.event("lock.released")),
    ])
  func killPoints(_ point: KillPoint) {
    #expect(KillPoint(point.description) == point)
  }

  @Test(
    "what is no kill point is refused", arguments: ["", "event:x", "call:nothing:1", "event:x:0", "at:x:1"])
  func badKillPoints(_ text: String) { #expect(KillPoint(text) == nil) }

  @Test("the built command is found beside the test bundle")
  func executable() throws {
    let path = try #require(ProcessLab.executable(named: "tenure"))
    #expect(path.hasSuffix("/tenure"))
    #expect(ProcessLab.executable(named: "no-such-program") == nil)
  }
}
