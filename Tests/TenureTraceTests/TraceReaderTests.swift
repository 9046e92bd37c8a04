import TenureSystem
import TenureTrace
import Testing

@Suite("A trace reader")
struct TraceReaderTests {
  let folder: TemporaryFolder
  let process = ProcessIdentity(
    pid: 41, name: "p", bundleIdentifier: "b", bundlePath: "/p", role: "app", appVersion: "1")

  init() throws { folder = try TemporaryFolder() }

  private func line(_ monotonic: UInt64, _ scene: String, wall: Int64 = 0) -> String {
    line(monotonic, SceneForeground(scene: scene), wall: wall)
  }

  private func line(_ monotonic: UInt64, _ event: any TraceEvent, wall: Int64 = 0) -> String {
    String(
      decoding: TraceFormat.line(
        TraceRecord(monotonic: monotonic, wall: wall, process: process, event: event)), as: UTF8.self)
  }

  private func read(_ name: String, system: System = .live) throws -> (
    scenes: [String], problems: [TraceProblem], reader: TraceReader
  ) {
    var reader = try TraceReader(path: folder.file(name), system: system)
    var scenes: [String] = []
    var problems: [TraceProblem] = []
    while let item = reader.next() {
      switch item {
      case .entry(let entry):
        scenes.append((entry.record.event as? SceneForeground)?.scene ?? entry.record.kind)
      case .problem(let problem): problems.append(problem)
      }
    }
    return (scenes, problems, reader)
  }

  @Test("skips malformed lines, says where they stand and goes on after them")
  func resynchronises() throws {
    let first = line(1, "a")
    let torn = "{\"pid\":41,\"proc\n"
    let text = first + torn + "\n" + line(2, "b") + "hello\n" + line(3, "c") + "{\"pid\":41,\"pro"
    try folder.write(text, to: "t.jsonl")
    let (scenes, problems, reader) = try read("t.jsonl")
    #expect(scenes == ["a", "b", "c"])
    #expect(problems.map(\.place.line) == [2, 5, 7])
    #expect(
      problems.map(\.place.offset) == [
        Int64(first.utf8.count), Int64((first + torn + "\n" + line(2, "b")).utf8.count),
        Int64(text.utf8.count) - 14,
      ])
    #expect(
      problems[1].description
        == "\(folder.file("t.jsonl")):5 (byte \(problems[1].place.offset)): a malformed line: it does not begin with {, at its byte 0; skipped"
    )
    #expect(reader.unterminated == 14)
  }

  @Test(
    "says that a killed recorder left half a line, and says nothing while somebody records in the file",
    arguments: [14, 3 << 20])
  func tornTail(length: Int) throws {
    let half = "{\"pid\":41,\"pro" + String(repeating: "x", count: length - 14)
    do {
      let recorder = try TraceFile.open(in: folder.path, as: process, name: "t")
      Trace(to: recorder, as: process).record(SceneForeground(scene: "a"))
      let file = try System.live.open(folder.file("t.jsonl"), [.write, .append])
      try half.utf8.map { $0 }.withUnsafeBytes { try file.writeAll($0) }
      let (scenes, problems, reader) = try read("t.jsonl")
      #expect(scenes == ["process.started", "a"])
      #expect(problems.isEmpty && reader.unterminated == Int64(length))
      withExtendedLifetime(recorder) {}
    }
    let (scenes, problems, reader) = try read("t.jsonl")
    #expect(scenes == ["process.started", "a"])
    #expect(problems.map(\.reason) == [.torn(bytes: Int64(length))])
    #expect(problems.map(\.place.line) == [3] && reader.unterminated == Int64(length))
    #expect(try problems.first?.place.offset == Int64(folder.text("t.jsonl").utf8.count - length))
    // Whoever records here next begins a line of its own, and the torn one is then a line like any other.
    let next = try TraceFile.open(in: folder.path, as: process, name: "t")
    #expect(try read("t.jsonl").problems.map(\.place.line) == [3])
    withExtendedLifetime(next) {}
  }

  @Test("reads what a recorder wrote between the reader's last look and its own end")
  func grownMeanwhile() throws {
    let (first, second) = (line(1, "a"), line(2, "b"))
    try folder.write(first + second.prefix(20), to: "t.jsonl")
    let path = folder.file("t.jsonl")
    let grown = Lock(false)
    // The reader asks for the lock by opening the file once more: that moment is the last one to write in.
    let system = System(
      calls: InterceptedCalls(PlatformCalls()) { site in
        if site.call == .open, site.number == 2,
          !grown.withLock({
            let was = $0; $0 = true; return was
          }),
          let file = try? System.live.open(path, [.write, .append])
        {
          try? second.dropFirst(20).utf8.map { $0 }.withUnsafeBytes { try file.writeAll($0) }
        }
        return .proceed
      })
    let (scenes, problems, _) = try read("t.jsonl", system: system)
    #expect(scenes == ["a", "b"] && problems.isEmpty)
  }

  @Test("counts kinds it does not know and refuses none of them")
  func unknownKinds() throws {
    let unknown = line(1, "a").replacing("scene.foreground", with: "moon.rises")
    try folder.write(unknown + line(2, "b") + unknown, to: "t.jsonl")
    let (scenes, problems, reader) = try read("t.jsonl")
    #expect(scenes == ["b"] && problems.isEmpty)
    #expect(reader.unknownKinds == ["moon.rises": 2])
  }

  @Test("says that a trace is of a later format")
  func newerFormat() throws {
    try folder.write(line(1, ProcessStarted(format: 9, boot: "x")), to: "t.jsonl")
    let problems = try read("t.jsonl").problems
    #expect(problems.map(\.reason) == [.newerFormat(found: 9, known: 1)])
  }

  @Test("passes over a line of 100 MB in flat memory")
  func longLine() throws {
    try folder.write(line(1, "a"), to: "t.jsonl")
    let file = try System.live.open(folder.file("t.jsonl"), [.write, .append])
    let piece = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
    for _ in 0..<100 { try piece.withUnsafeBytes { try file.writeAll($0) } }
    try ("\n" + line(2, "b")).utf8.map { $0 }.withUnsafeBytes { try file.writeAll($0) }
    let (scenes, problems, reader) = try read("t.jsonl")
    #expect(scenes == ["a", "b"])
    #expect(problems.map(\.reason) == [.tooLong(bytes: 100 << 20)])
    #expect(problems.first?.place.line == 2)
    // It grows and never shrinks, so its size at the end was its greatest.
    #expect(reader.bufferSize <= 2 * TraceFormat.longestLine)
  }

  @Test("finds the same events wherever the pieces it reads are cut", arguments: [1, 7, 64, 4096])
  func pieces(size: Int) throws {
    let text = (0..<200).map { line(UInt64($0), "scene \($0)") }.joined()
    try folder.write(text, to: "t.jsonl")
    let system = System(
      calls: InterceptedCalls(PlatformCalls()) { $0.call == .pread ? .short(size) : .proceed })
    #expect(try read("t.jsonl", system: system).scenes == (0..<200).map { "scene \($0)" })
  }

  @Test("says where a failing device stopped it")
  func unreadable() throws {
    try folder.write(line(1, "a"), to: "t.jsonl")
    let system = System(
      calls: InterceptedCalls(PlatformCalls()) { $0.call == .pread ? .fail(.inputOutput) : .proceed })
    let problems = try read("t.jsonl", system: system).problems
    #expect(
      problems.map(\.reason) == [.unreadable(SystemError(.pread, .inputOutput, path: folder.file("t.jsonl")))]
    )
    #expect(throws: SystemError.self) { try TraceReader(path: folder.path) }
  }

  private func merged(_ names: String...) throws -> [String] {
    var merge = TraceMerge(try names.map { try TraceReader(path: folder.file($0)) })
    var scenes: [String] = []
    while let item = merge.next() {
      if case .entry(let entry) = item, let event = entry.record.event as? SceneForeground {
        scenes.append(event.scene)
      }
    }
    return scenes
  }

  @Test("is merged with others by the monotonic clock within a boot, whatever the wall clock did")
  func mergeWithinBoot() throws {
    let boot = line(0, ProcessStarted(format: 1, boot: "one"))
    try folder.write(boot + line(1, "a", wall: 500) + line(5, "d", wall: 1) + line(6, "e"), to: "x.jsonl")
    try folder.write(boot + line(2, "b", wall: 900) + line(3, "c") + line(6, "f"), to: "y.jsonl")
    #expect(try merged("x.jsonl", "y.jsonl") == ["a", "b", "c", "d", "e", "f"])
    #expect(try merged("y.jsonl", "x.jsonl") == ["a", "b", "c", "d", "f", "e"])
  }

  @Test("is merged with others by the wall clock between boots")
  func mergeBetweenBoots() throws {
    let (old, new) = (ProcessStarted(format: 1, boot: "old"), ProcessStarted(format: 1, boot: "new"))
    try folder.write(
      line(900, old, wall: 10) + line(901, "a", wall: 11) + line(902, "b", wall: 12), to: "x.jsonl")
    try folder.write(line(1, new, wall: 20) + line(2, "c", wall: 21), to: "y.jsonl")
    #expect(try merged("y.jsonl", "x.jsonl") == ["a", "b", "c"])
  }

  @Test("sets right what threads wrote a little out of order, and keeps the order of equal times")
  func lookahead() throws {
    var random = SplitMix(state: 5)
    var numbers = Array(0..<1_000)
    for start in stride(from: 0, to: 1_000, by: 20) { numbers[start..<start + 20].shuffle(using: &random) }
    try folder.write(numbers.map { line(UInt64($0), "\($0)") }.joined(), to: "x.jsonl")
    try folder.write((0..<100).map { line(3, "\($0)") }.joined(), to: "y.jsonl")
    #expect(try merged("x.jsonl") == (0..<1_000).map(String.init))
    #expect(try merged("y.jsonl") == (0..<100).map(String.init))
  }
}
