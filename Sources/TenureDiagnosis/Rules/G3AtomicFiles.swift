import TenureFindings
import TenureTrace

/// A shared file was written in place.
struct FileWrittenInPlace: TraceRule {
  static let description = RuleDescription(
    id: "G3.in-place", law: .g3, title: "a shared file written in place",
    why: "another process reads half of it, and a kill leaves it so",
    advice: "Use AtomicFile.replace, .update or .append.",
    needs: [[FileReplaced.kind, FileWritten.kind]])
  static let kinds: [any TraceEvent.Type] = [FileWritten.self]

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? FileWritten else { return }
    output.found(event.file, "\(event.file) was written in place.", moment.entry)
  }
}

/// A shared file was replaced without one of the steps that make it safe.
struct FileReplacedUnsafely: TraceRule {
  static let description = RuleDescription(
    id: "G3.unsafe", law: .g3, title: "a shared file replaced without care",
    why: "a power cut leaves it empty or torn, or another process's change is lost",
    advice: "Verify and sync the new file, sync its directory, and read and write under one lock.",
    needs: [[FileReplaced.kind, FileWritten.kind]])
  static let kinds: [any TraceEvent.Type] = [FileReplaced.self]

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    guard let event = moment.record.event as? FileReplaced else { return }
    var missing: [String] = []
    if !event.verified { missing.append("being verified") }
    if !event.synced { missing.append("being synced") }
    // A replacement does not depend on what was there; the others do.
    if !event.locked && event.operation != .replace { missing.append("a lock around read and write") }
    if missing.isEmpty { return }
    output.found(
      event.file,
      "\(event.file) was changed (\(event.operation.rawValue)) without \(missing.joined(separator: " and ")).",
      moment.entry)
  }
}
