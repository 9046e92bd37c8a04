import Foundation
import TenureSystem
import Testing

@Suite("ChildProcess")
struct ChildProcessTests {
  @Test("lines go in and come back, and closing the input ends the child")
  func echo() async throws {
    let child = try ChildProcess.start("/bin/cat", input: .pipe, output: .pipe)
    try child.write(line: "one")
    #expect(try child.outputLines?.next() == "one")
    try child.write(line: "two")
    child.closeInput()
    #expect(try child.outputLines?.next() == "two")
    #expect(try child.outputLines?.next() == nil)
    #expect(await child.ending() == .exited(0))
    #expect(child.endingNow == .exited(0))
    #expect(!child.signal(9))
  }

  @Test("a line torn by its writer's end is the tail, not a line")
  func tornLine() throws {
    let child = try ChildProcess.start("/bin/sh", arguments: ["-c", "printf 'whole\\ntorn'"], output: .pipe)
    #expect(try child.outputLines?.next() == "whole")
    #expect(try child.outputLines?.next() == nil)
    #expect(child.outputLines?.tail == Array("torn".utf8))
  }

  @Test("a child inherits its three standard descriptors and no other")
  func descriptors() throws {
    // A copy is not marked close-on-exec: what a careless library would leave behind.
    let pipe = try System.live.pipe()
    let leak = dup(pipe.reading.descriptor)
    defer { close(leak) }
    let child = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", "ls /proc/self/fd 2>/dev/null || ls /dev/fd"], output: .pipe)
    var open: [String] = []
    while let line = try child.outputLines?.next() { open.append(line) }
    // 3 is the directory that ls itself reads.
    #expect(open == ["0", "1", "2", "3"])
    #expect(child.waitForEnding() == .exited(0))
  }

  @Test("exit codes and signals are told apart")
  func endings() throws {
    let exits = try ChildProcess.start("/bin/sh", arguments: ["-c", "exit 7"])
    #expect(exits.waitForEnding() == .exited(7))
    let killed = try ChildProcess.start("/bin/cat", input: .pipe)
    killed.killNow()
    #expect(killed.waitForEnding() == .killed(signal: 9))
  }

  @Test("a program that cannot be executed is an error that names it")
  func missing() {
    let error = #expect(throws: SystemError.self) { try ChildProcess.start("/nowhere/program") }
    #expect(error == SystemError(.spawn, .noEntry, path: "/nowhere/program"))
  }

  @Test("a stopped child does nothing until it goes on, and can be killed while stopped")
  func stopping() throws {
    let child = try ChildProcess.start("/bin/cat", input: .pipe, output: .pipe)
    #expect(child.stop())
    try child.write(line: "late")
    child.goOn()
    #expect(try child.outputLines?.next() == "late")
    #expect(child.stop())
    child.killNow()
    #expect(child.waitForEnding() == .killed(signal: 9))
    #expect(!child.stop())
  }

  @Test("writing to a child that has ended is EPIPE, not a signal")
  func brokenPipe() throws {
    let child = try ChildProcess.start("/bin/true", input: .pipe)
    #expect(child.waitForEnding() == .exited(0))
    let error = #expect(throws: SystemError.self) { try child.write(line: "anyone?") }
    #expect(error?.call == .write)
    #expect(error?.code.rawValue == 32)
  }

  @Test("killing the group reaches what the child started")
  func group() throws {
    let child = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", "sleep 600 & echo started; wait"], input: .pipe, output: .pipe,
      ownGroup: true)
    #expect(try child.outputLines?.next() == "started")
    child.killGroup()
    // The pipe ends only when the grandchild, which holds it too, is gone.
    #expect(try child.outputLines?.next() == nil)
    #expect(child.waitForEnding() == .killed(signal: 9))
  }
}
