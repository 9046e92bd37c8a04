import TenureFindings
import TenureTrace

/// The bytes read under a version are not those committed under it.
struct WrongBody: TraceRule {
  static let description = RuleDescription(
    id: "D5.read", law: .d5, title: "the body of one version under the number of another",
    why: "an edit made of these bytes expects a version whose words it never saw",
    advice: "Read version and body in one transaction: body(of:version:) or withBodyFile(of:version:).",
    needs: [[DocumentRead.kind], [SaveEnded.kind]])
  static let kinds: [any TraceEvent.Type] = [SaveEnded.self, DocumentRead.self]

  private struct Version: Hashable {
    let document: String
    let number: Int64
  }
  private struct Content {
    let digest: String
    let entry: TraceEntry
    let isRead: Bool
  }

  private var contents = BoundedMap<Version, Content>()

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as SaveEnded where event.madeVersion:
      guard let digest = event.digest else { return }
      compare(event.document, event.version, digest, isRead: false, moment, &output)
    case let event as DocumentRead:
      compare(event.document, event.version, event.digest, isRead: true, moment, &output)
    default: break
    }
  }

  /// Either may be recorded first. Two commits of one version are another rule's matter.
  private mutating func compare(
    _ document: String, _ number: Int64, _ digest: String, isRead: Bool, _ moment: Moment,
    _ output: inout RuleOutput
  ) {
    let version = Version(document: document, number: number)
    let new = Content(digest: digest, entry: moment.entry, isRead: isRead)
    guard let before = contents[version] else {
      contents[version] = new
      return
    }
    // Digests are recorded by their leading digits, perhaps not equally many.
    let length = min(before.digest.utf8.count, digest.utf8.count)
    guard before.isRead || isRead,
      !before.digest.utf8.prefix(length).elementsEqual(digest.utf8.prefix(length))
    else { return }
    output.found(
      document,
      "Version \(number) of \(document) has the digest \(before.digest) in one place and \(digest) in"
        + " another.", before.entry, moment.entry)
  }

  mutating func end(_ processes: ProcessBook, _ output: inout RuleOutput) {
    output.note(overflowed: contents.overflowed, "versions")
  }
}

/// A body became current without having been read back.
struct UnverifiedBody: TraceRule {
  static let description = RuleDescription(
    id: "D5.unverified", law: .d5, title: "an unverified body became current",
    why: "what a full disk or a failing device left in the file is now the document",
    advice: "Read the temporary file back and compare its digest before it gets its name.",
    needs: [[SaveEnded.kind]])
  static let kinds: [any TraceEvent.Type] = [BodyWritten.self, SaveEnded.self]

  private var unverified = BoundedMap<String, TraceEntry>()

  init() {}

  mutating func take(_ moment: Moment, _ output: inout RuleOutput) {
    switch moment.record.event {
    case let event as BodyWritten: unverified[event.change] = event.verified ? nil : moment.entry
    case let event as SaveEnded where event.madeVersion:
      let written = unverified[event.change]
      guard written != nil || event.temporaryVerified == false else { return }
      output.found(
        event.document,
        "Version \(event.version) of \(event.document) was committed, and its body was not verified.",
        written, moment.entry)
    default: break
    }
  }
}
