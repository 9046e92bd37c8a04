/// The written form of a trace: one event, one JSON object, one line. `Documentation/trace-format.md` is its
/// reference for other programs.
public enum TraceFormat {
  /// The version in `process.started`. Raised when a field changes its meaning, never for a new kind or field.
  public static let version: Int64 = 1
  /// Ending of a trace's file name.
  public static let suffix = ".jsonl"
  /// The longest line that is written or read, in bytes with its newline. A longer one is skipped and reported.
  public static let longestLine = 1 << 20

  /// The fields that are the same in every event of a process, encoded once.
  package struct Prefix: Sendable {
    let process: ProcessIdentity
    let bytes: [UInt8]

    package init(_ process: ProcessIdentity) {
      self.process = process
      var fields = FieldWriter(prefix: [UInt8(ascii: "{")], capacity: 256)
      fields.write("pid", process.pid)
      fields.write("process", process.name)
      fields.write("bundle", process.bundleIdentifier)
      fields.write("path", process.bundlePath)
      fields.write("role", process.role)
      fields.write("app", process.appVersion)
      bytes = fields.bytes
    }
  }

  /// The line of one event, with its newline.
  package static func line(_ record: TraceRecord, after prefix: Prefix) -> [UInt8] {
    var fields = FieldWriter(prefix: prefix.bytes, capacity: prefix.bytes.count + 384)
    fields.write("mono", record.monotonic)
    fields.write("wall", record.wall)
    fields.write("task", record.task)
    fields.write("kind", record.kind)
    record.event.write(to: &fields)
    fields.end()
    return fields.bytes
  }

  /// The line of one event, with its newline.
  public static func line(_ record: TraceRecord) -> [UInt8] {
    line(record, after: Prefix(record.process))
  }

  /// The fields of an event alone, as JSON: for people and for evidence.
  public static func fields(of event: any TraceEvent) -> String {
    var fields = FieldWriter(prefix: [UInt8(ascii: "{")], capacity: 256)
    event.write(to: &fields)
    return String(decoding: fields.bytes, as: UTF8.self) + "}"
  }

  /// One field of an event, by its name in the file; `nil` when its kind has none of that name or it is empty.
  public static func value(of field: String, in event: any TraceEvent) -> EventFields.Value? {
    var read = EventFields()
    var text = fields(of: event)
    text.withUTF8 { utf8 in
      var scanner = LineScanner(utf8)
      try? scanner.line(into: &read)
    }
    return read[field]
  }
}
