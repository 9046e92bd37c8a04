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

  @Test("skips torn and foreign lines, says where they stand and goes on after them")
  func resynchronises() throws {
    let first = line(1, "a")
    let torn = "{\"pid\":41,\"proc\n"
    let text = first + torn + "\n" + line(2, "b") + "hello\n" + line(3, "c") + "{\"pid\":41,\"pro"
    try folder.write(text, to: "t.jsonl")
    let (scenes, problems, reader) = try read("t.jsonl")
    #expect(scenes == ["a", "b", "c"])
    #expect(problems.map(\.place.line) == [2, 5])
    #expect(
      problems.map(\.place.offset) == [
        Int64(first.utf8.count), Int64((first + torn + "\n" + line(2, "b")).utf8.count),
      ])
    #expect(
      problems[1].description
        == "\(folder.file("t.jsonl")):5 (byte \(problems[1].place.offset)): the line does not begin with {, at its byte 0; skipped"
    )
    #expect(reader.unterminated == 14)
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
    let before = peakMemory()
    let (scenes, problems, _) = try read("t.jsonl")
    #expect(scenes == ["a", "b"])
    #expect(problems.map(\.reason) == [.tooLong(bytes: 100 << 20)])
    #expect(problems.first?.place.line == 2)
    #expect(peakMemory() - before < 32 << 20)
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

  /// Kilobytes the process had at most; Linux only, elsewhere 0.
  private func peakMemory() -> Int {
    var bytes = [UInt8](repeating: 0, count: 4096)
    guard let file = try? System.live.open("/proc/self/status", .read) else { return 0 }
    let count = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) << 10
  }
}
