import TenureSystem
import Testing

@testable import TenureTrace

private let process = ProcessIdentity(
  pid: 41, name: "notebook", bundleIdentifier: "org.example.notebook", bundlePath: "/Apps/Notebook.app",
  role: "app", appVersion: "1.2")

private func decode(_ line: [UInt8], _ decoder: inout TraceDecoder) -> TraceDecoder.Outcome {
  line.withUnsafeBufferPointer { decoder.decode($0) }
}

private func decode(_ line: String) -> TraceDecoder.Outcome {
  var decoder = TraceDecoder()
  return decode(Array(line.utf8), &decoder)
}

@Suite("The trace format")
struct TraceFormatTests {
  @Test("gives back every event of every kind as it was recorded, also by the fast path for known processes")
  func roundTrip() throws {
    #expect(Set(samples.map { type(of: $0).kind }) == Set(TraceRegistry.standard.kinds))
    var decoder = TraceDecoder()
    for (number, event) in (samples + samples).enumerated() {
      let record = TraceRecord(
        monotonic: UInt64.max - UInt64(number), wall: -1, process: process,
        task: number % 2 == 0 ? nil : "t", event: event)
      guard case .record(let read) = decode(TraceFormat.line(record).dropLast(), &decoder) else {
        Issue.record("\(event) was not read back")
        continue
      }
      #expect(AnyHashable(read.event) == AnyHashable(event))
      #expect(read.process == process && read.task == record.task)
      #expect(read.monotonic == record.monotonic && read.wall == -1)
    }
  }

  @Test("knows every event type there is in the sources")
  func registry() throws {
    let events = "\(#filePath)".parentPath.parentPath.parentPath.appendingPath("Sources/TenureTrace/Events")
    var kinds: Set<String> = []
    for name in try System.live.list(events) {
      let text = String(
        decoding: try System.live.contents(of: events.appendingPath(name), limit: 1 << 20), as: UTF8.self)
      for line in text.split(separator: "\n") where line.contains("static let kind = \"") {
        kinds.insert(String(line.split(separator: "\"")[1]))
      }
    }
    #expect(kinds == Set(TraceRegistry.standard.kinds))
  }

  @Test("names each missing field of a known kind", arguments: samples.indices)
  func missingFields(index: Int) throws {
    let full = TraceFormat.line(
      TraceRecord(monotonic: 1, wall: 2, process: process, event: samples[index]))
    var fields = EventFields()
    var scanned = try full.dropLast().withUnsafeBufferPointer { buffer in
      var scanner = LineScanner(buffer)
      try scanner.line(into: &fields)
      return fields.names
    }
    scanned.sort()
    for name in scanned {
      var some = EventFields()
      for other in scanned where other != name { _ = some.append(other, fields[other]!) }
      do {
        let event = try TraceRegistry.standard.event(ofKind: type(of: samples[index]).kind, from: some)
        // Without an optional field there is an event, but another one; the envelope is not the event's.
        let envelope = ["pid", "process", "bundle", "path", "role", "app", "mono", "wall", "kind"]
        #expect(AnyHashable(event!) != AnyHashable(samples[index]) || envelope.contains(name))
      } catch {
        #expect(error == EventFields.Problem(field: name, what: "is missing"))
      }
    }
  }

  static let head =
    #"{"pid":1,"process":"p","bundle":"b","path":"/p","role":"r","app":"1","mono":1,"wall":2,"kind":"scene.closed","scene":"#

  @Test(
    "reads escapes, surrogate pairs and space as JSON has them",
    arguments: [
      (#""a""#, "a"), (#""\u00e4\/\b\f\n\r\t\"\\""#, "ä/\u{8}\u{c}\n\r\t\"\\"),
      (#""\uD83D\ude00""#, "😀"), (#" "😀" "#, "😀"), (#""""#, ""),
      (#""a","new":{"x":[1,{"y":null}]},"more":1.5e-3,"huge":99999999999999999999999"#, "a"),
    ])
  func strings(written: String, meant: String) {
    guard case .record(let record) = decode(Self.head + written + "}") else {
      Issue.record("not read: \(decode(Self.head + written + "}"))")
      return
    }
    #expect(record.event as? SceneClosed == SceneClosed(scene: meant))
  }

  @Test(
    "refuses what is not JSON and says at which byte",
    arguments: [
      (#""a"#, "ends inside a string"), (#""\uD83D""#, "has half of a surrogate pair"),
      (#""\uD83D\u0041""#, "has half of a surrogate pair"), (#""\ude00""#, "has half of a surrogate pair"),
      (#""\u12g4""#, "has an escape without four hexadecimal digits"), (#""\x""#, "has an unknown escape"),
      ("\"\u{1}\"", "has a control character in a string"), ("01", "has a number that begins with 0"),
      ("-", "has a number without digits"), ("1.", "has a number without digits"),
      ("tru", "ends inside a value"), ("trux", "has something that is no value"),
      (#""a","scene":"b""#, "says a field twice"), (#""a"}{"#, "goes on after its closing brace"),
      (String(repeating: "[", count: 100_000), "nests too deep"),
      (String(repeating: #"{"a":"#, count: 100_000), "nests too deep"),
    ])
  func malformed(written: String, what: String) {
    let closed = what == "ends inside a value" || what == "ends inside a string" ? "" : "}"
    guard case .problem(.malformed(what, _)) = decode(Self.head + written + closed) else {
      Issue.record("\(decode(Self.head + written + closed))")
      return
    }
  }

  @Test("refuses bytes that are not UTF-8", arguments: [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]])
  func invalidUTF8(bytes: [UInt8]) {
    var decoder = TraceDecoder()
    let line = Array((Self.head + "\"").utf8) + bytes + Array("\"}".utf8)
    guard
      case .problem(.malformed("has a string that is not UTF-8", Self.head.utf8.count + 1)) = decode(
        line, &decoder)
    else {
      Issue.record("taken for text")
      return
    }
  }

  @Test(
    "refuses values a kind cannot have",
    arguments: [
      "\"scene\":4", "\"scene\":null", "\"scene\":{}", "\"scene\":\"a\",\"pid\":1.5",
      "\"scene\":\"a\",\"pid\":99999999999", "\"scene\":\"a\",\"mono\":-1",
      "\"scene\":\"a\",\"wall\":18446744073709551615", "\"scene\":\"a\",\"task\":[]",
    ])
  func fields(changed: String) {
    var values = [
      "pid": "1", "process": "\"p\"", "bundle": "\"b\"", "path": "\"/\"", "role": "\"r\"", "app": "\"1\"",
      "mono": "1", "wall": "1", "kind": "\"scene.closed\"",
    ]
    for pair in changed.split(separator: ",") {
      let parts = pair.split(separator: ":")
      values[String(parts[0].dropFirst().dropLast())] = String(parts[1])
    }
    let line = "{" + values.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    guard case .problem(.fields(kind: "scene.closed", _)) = decode(line) else {
      Issue.record("\(decode(line))")
      return
    }
  }

  /// 40,000 mutated lines: about a third still parse, so both sides of every branch are walked.
  @Test("is never harmed by a line, whatever is in it")
  func fuzz() {
    var random = SplitMix(state: 2)
    var decoder = TraceDecoder()
    var read = 0
    for round in 0..<1_000 {
      for event in samples {
        var line = Array(
          TraceFormat.line(
            TraceRecord(monotonic: UInt64(round), wall: 2, process: process, event: event)
          ).dropLast())
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let place = Int.random(in: 0..<max(1, line.count), using: &random)
          if line.isEmpty { break }
          switch Int.random(in: 0..<5, using: &random) {
          case 0: line[place] = UInt8.random(in: 0...255, using: &random)
          case 1: line.remove(at: place)
          case 2: line.insert("{}[]\",:\\u0e-+.\u{ff}".utf8.randomElement(using: &random)!, at: place)
          case 3: line.removeLast(line.count - place)
          default: line.insert(contentsOf: line[place..<min(line.count, place + 9)], at: place)
          }
        }
        if case .record = decode(line, &decoder) { read += 1 }
      }
    }
    #expect(read > 2_000 && read < 38_000)
  }
}
