import TenureSystem
import TenureTrace
import Testing

@Suite("A trace file")
struct TraceFileTests {
  let folder: TemporaryFolder
  let process = ProcessIdentity(
    pid: 41, name: "note\"book", bundleIdentifier: "org.example.notebook", bundlePath: "/Apps/Notebook.app",
    role: "app", appVersion: "1.2")

  init() throws { folder = try TemporaryFolder() }

  /// Calls of which writes to traces fail, one after the other, as listed.
  private func system(failingWrites effects: [Int: InterceptedCalls.Effect]) -> System {
    System(
      calls: InterceptedCalls(PlatformCalls()) { site in
        site.call == .write ? effects[site.number] ?? .proceed : .proceed
      })
  }

  @Test("begins with the process and holds every event as soon as it is recorded")
  func wholeLines() throws {
    let file = try TraceFile.open(in: folder.path, as: process, name: "a")
    let trace = Trace(to: file, as: process).task("left")
    trace.record(SceneForeground(scene: "left\n\u{1}ü"))
    let lines = try folder.lines("a.jsonl")
    #expect(lines.count == 3 && lines[2].isEmpty)
    #expect(lines[0].contains(#""kind":"process.started","format":1,"boot":""#))
    let head =
      #"{"pid":41,"process":"note\"book","bundle":"org.example.notebook","path":"/Apps/Notebook.app","role":"app","app":"1.2","mono":"#
    #expect(lines[1].hasPrefix(head))
    #expect(lines[1].hasSuffix(#","task":"left","kind":"scene.foreground","scene":"left\n\u0001ü"}"#))
  }

  @Test("makes one write call for each event")
  func oneWrite() throws {
    let calls = InterceptedCalls(PlatformCalls()) { _ in .proceed }
    let file = try TraceFile.open(in: folder.path, as: process, system: System(calls: calls))
    let before = calls.counts[.write] ?? 0
    let trace = Trace(to: file, as: process)
    for number in 0..<10 { trace.record(SceneForeground(scene: "\(number)")) }
    #expect(calls.counts[.write] == before + 10)
  }

  @Test("goes on after a torn line with a line of its own")
  func tornBefore() throws {
    try folder.write("{\"pid\":1,\"proc", to: "a.jsonl")
    _ = try TraceFile.open(in: folder.path, as: process, name: "a")
    let lines = try folder.lines("a.jsonl")
    #expect(lines[0] == "{\"pid\":1,\"proc")
    #expect(lines[1].hasPrefix("{\"pid\":41"))
  }

  @Test(
    "drops what cannot be written, counts it and says so when it can write again",
    arguments: [Errno.noSpace, .inputOutput])
  func dropped(code: Errno) throws {
    // 1 is process.started; the write after a short one is the rest of the same line.
    let system = system(failingWrites: [2: .short(7), 3: .fail(code), 4: .fail(code)])
    let file = try TraceFile.open(in: folder.path, as: process, system: system, name: "a")
    let trace = Trace(to: file, as: process)
    for scene in ["one", "two", "three"] { trace.record(SceneForeground(scene: scene)) }
    #expect(file.dropped == 2)
    let lines = try folder.lines("a.jsonl")
    #expect(lines.count == 5)
    #expect(lines[1] == "{\"pid\":")
    #expect(lines[2].contains(#""kind":"trace.dropped","count":2,"reason":"write "#))
    #expect(lines[3].hasSuffix(#""scene":"three"}"#))
  }

  @Test("opens on a full disk and begins when there is room")
  func fullAtOpen() throws {
    let system = system(failingWrites: [1: .fail(.noSpace), 2: .fail(.noSpace)])
    let file = try TraceFile.open(in: folder.path, as: process, system: system, name: "a")
    let trace = Trace(to: file, as: process)
    trace.record(SceneForeground(scene: "lost"))
    trace.record(SceneForeground(scene: "kept"))
    let kinds = try folder.lines("a.jsonl").filter { !$0.isEmpty }
    #expect(kinds.count == 3)
    #expect(kinds[0].contains("process.started") && kinds[1].contains("trace.dropped"))
    #expect(kinds[2].contains("kept"))
  }

  @Test("keeps the directory within its bound, and never removes what somebody records in (D13)")
  func bounded() throws {
    let bounds = TraceFile.Bounds(fileBytes: 4096, files: 3)
    let other = try TraceFile.open(in: folder.path, as: process, bounds: bounds, name: "other")
    let file = try TraceFile.open(in: folder.path, as: process, bounds: bounds, name: "mine")
    let trace = Trace(to: file, as: process)
    for number in 0..<400 {
      trace.record(SceneForeground(scene: "\(number)"))
      let names = try System.live.list(folder.path)
      #expect(names.count <= 3)
    }
    #expect(try System.live.status(other.path) != nil)
    let last = try System.live.contents(of: file.path, limit: 1 << 20)
    #expect(last.count < 4096 + 512)
    let text = String(decoding: last, as: UTF8.self)
    #expect(text.contains(#""kind":"trace.removed","files":["mine."#))
    #expect(text.contains(#""scene":"399""#))
    #expect(!text.contains(#""segment":1}"#))
  }

  @Test("takes events of many threads without mixing their lines")
  func threads() async throws {
    let file = try TraceFile.open(in: folder.path, as: process, name: "a")
    let trace = Trace(to: file, as: process)
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<200 { trace.record(SceneForeground(scene: "\(task).\(number)")) }
        }
      }
    }
    let lines = try folder.lines("a.jsonl").dropLast()
    #expect(lines.count == 1601)
    #expect(lines.allSatisfy { $0.hasPrefix("{\"pid\":41,") && $0.hasSuffix("}") })
  }

  @Test("is written beside a ring by a tee")
  func tee() throws {
    let file = try TraceFile.open(in: folder.path, as: process, name: "a")
    let ring = TraceRing()
    Trace(to: TraceTee(file, ring), as: process).record(SceneForeground(scene: "left"))
    #expect(ring.events(SceneForeground.self) == [SceneForeground(scene: "left")])
    #expect(try folder.lines("a.jsonl").count == 3)
  }
}
