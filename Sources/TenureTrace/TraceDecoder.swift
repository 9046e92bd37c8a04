/// Makes events of lines.
///
/// Any bytes may be given; none of them can do harm.
public struct TraceDecoder {
  /// What became of a line.
  public enum Outcome: Sendable {
    case record(TraceRecord)
    /// A kind this version does not know.
    case unknown(kind: String)
    case problem(TraceProblem.Reason)
    /// Nothing but space, as stands where a recorder began after a torn line.
    case empty
  }

  private let registry: TraceRegistry
  private var fields = EventFields()
  /// Lines of one process begin alike: the beginning is compared with the last one and not read again.
  private var known: TraceFormat.Prefix?

  /// Knows the kinds of `registry`.
  public init(_ registry: TraceRegistry = .standard) { self.registry = registry }

  /// The event of one line, given without its newline.
  public mutating func decode(_ line: UnsafeBufferPointer<UInt8>) -> Outcome {
    if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { return .empty }
    fields.removeAll()
    do throws(LineScanner.Malformed) {
      if let known, line.count > known.bytes.count, line[known.bytes.count] == UInt8(ascii: ","),
        line.starts(with: known.bytes)
      {
        var scanner = LineScanner(line, from: known.bytes.count + 1)
        try scanner.members(into: &fields)
        return outcome(known.process)
      }
      var scanner = LineScanner(line)
      try scanner.line(into: &fields)
    } catch {
      return .problem(.malformed(what: "\(error.what)", column: error.column))
    }
    do throws(EventFields.Problem) {
      let process = try process()
      let prefix = TraceFormat.Prefix(process)
      if line.starts(with: prefix.bytes) { known = prefix }
      return outcome(process)
    } catch {
      return .problem(.fields(kind: kind, error))
    }
  }

  private var kind: String? {
    if case .string(let kind) = fields["kind"] { kind } else { nil }
  }

  private func process() throws(EventFields.Problem) -> ProcessIdentity {
    let pid: Int64 = try fields.value("pid")
    guard let pid = Int32(exactly: pid) else {
      throw EventFields.Problem(field: "pid", what: "is no process ID")
    }
    return ProcessIdentity(
      pid: pid, name: try fields.value("process"), bundleIdentifier: try fields.value("bundle"),
      bundlePath: try fields.value("path"), role: try fields.value("role"),
      appVersion: try fields.value("app"))
  }

  private func outcome(_ process: ProcessIdentity) -> Outcome {
    do throws(EventFields.Problem) {
      let kind: String = try fields.value("kind")
      let monotonic: UInt64 = try fields.value("mono")
      let wall: Int64 = try fields.value("wall")
      let task: String? = try fields.value("task")
      guard let event = try registry.event(ofKind: kind, from: fields) else { return .unknown(kind: kind) }
      return .record(
        TraceRecord(monotonic: monotonic, wall: wall, process: process, task: task, event: event))
    } catch {
      return .problem(.fields(kind: kind, error))
    }
  }
}
