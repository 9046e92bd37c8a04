import TenureFindings
import TenureTrace

/// The answer to "my note vanished".
public struct VanishedReport: Sendable {
  /// Documents there is something to tell of, by ID.
  public let stories: [VanishedStory]
  /// Documents that were saved at all.
  public let documents: Int
  /// Events read.
  public let events: Int
  /// Lines that could not be used.
  public let problems: [TraceProblem]
  /// What limits the answer.
  public let notes: [String]

  /// Whether anything was found.
  public var isClean: Bool { !stories.contains { $0.isSuspicious } }

  /// The answer for a person, in order of time for each document. Times are UTC.
  public var text: String {
    var text = ""
    for story in stories { text += story.text + "\n" }
    for problem in problems { text += "note: \(problem)\n" }
    for note in notes { text += "note: \(note)\n" }
    let told = stories.filter(\.isSuspicious).count
    text += "\(events) events, \(documents) document\(documents == 1 ? "" : "s") saved; "
    return text
      + (told == 0 ? "nothing vanished as far as was recorded.\n" : "\(told) with something to tell.\n")
  }

  /// The answer for programs; its form is in `Documentation/trace-format.md`.
  public var json: String {
    JSONText.object([
      ("version", .number(1)),
      ("complaint", .string(Complaint.vanished.rawValue)),
      ("events", .number(Int64(events))),
      ("documents", .number(Int64(documents))),
      ("stories", .list(stories.map(\.json))),
      ("problems", .list(problems.map { .string($0.description) })),
      ("notes", .list(notes.map { .string($0) })),
    ]).text + "\n"
  }
}

extension VanishedStory {
  /// The story for a person.
  var text: String {
    var lines: [(wall: Int64, text: String)] = []
    if let lastSave {
      lines.append((lastSave.evidence.wall, Self.sentence(lastSave, "last valid save: ")))
    }
    for save in overwritten { lines.append((save.evidence.wall, Self.sentence(save, "overwritten: "))) }
    for save in unfinished { lines.append((save.begun.wall, Self.sentence(save))) }
    for overlap in overlaps { lines.append((overlap.evidence.wall, Self.sentence(overlap))) }
    for other in others { lines.append((other.wall, "\(other.process): \(other.kind) \(other.fields)")) }
    if lastSave == nil { lines.insert((.min, "no save of it was acknowledged in this trace"), at: 0) }
    // Stable for equal times: the order above.
    let sorted = lines.enumerated().sorted { ($0.element.wall, $0.offset) < ($1.element.wall, $1.offset) }
    var text = document + "\n"
    for (_, line) in sorted {
      text += line.wall == .min ? "  " : "  \(WallTime.text(line.wall))  "
      text += line.text + "\n"
    }
    return shortened ? text + "  (more happened; only the last is told)\n" : text
  }

  private static func sentence(_ save: Save, _ head: String) -> String {
    let event = save.event
    let verified =
      switch event.temporaryVerified {
      case true?: ", body file verified"
      case false?: ", body file NOT verified"
      case nil: ""
      }
    return "\(head)version \(event.version) from \(event.base), change \(event.change), by"
      + " \(save.evidence.process)\(scene(event.scene))\(verified) [\(save.evidence.place)]"
  }

  private static func scene(_ scene: String?) -> String { scene.map { ", scene \($0)" } ?? "" }

  private static func sentence(_ save: Unfinished) -> String {
    let what = save.purpose == .commit ? "commit" : "draft checkpoint"
    let stage =
      switch save.stage {
      case .begun: "stopped right after it was asked for: nothing was written"
      case .bodyWritten: "stopped after its body was written: no version points at it"
      case .lockWanted: "stopped waiting for the lock: nothing was committed"
      case .lockTaken: "stopped with the lock held: look its change ID up, it may just have been committed"
      case .committed: "was never acknowledged, and a transaction of its process was committed: look it up"
      case .inDoubt: "was told to be in doubt and never looked up: ask by its change ID"
      }
    let verified =
      switch save.bodyVerified {
      case true?: "; its temporary file was verified"
      case false?: "; its temporary file was NOT verified"
      case nil: ""
      }
    let end =
      switch save.process {
      case .unknown, .endOfTrace: ""
      case .wentOn: "; the process went on"
      case .silent(let time) where time > 0:
        "; the process recorded nothing more while others went on for \(time / 1_000_000) ms"
      case .silent: "; the machine was started again after it"
      case .reaped: "; the process had ended (its lease was found free)"
      }
    return "\(what) of version \(save.base &+ 1) begun by \(save.begun.process)\(scene(save.scene)), change"
      + " \(save.change), \(stage)\(verified)\(end) [\(save.reached.place)]"
  }

  private static func sentence(_ overlap: Overlap) -> String {
    "conflict: \(overlap.evidence.process)\(scene(overlap.scene)) expected version \(overlap.expected) and met"
      + " \(overlap.current), change \(overlap.change), "
      + (overlap.settled ? "settled later" : "never settled: the edit is in its draft at most")
      + " [\(overlap.evidence.place)]"
  }

  /// The story for programs.
  var json: JSONText {
    .object([
      ("document", .string(document)),
      ("lastSave", lastSave.map { Self.json($0) } ?? .null),
      ("overwritten", .list(overwritten.map { Self.json($0) })),
      (
        "unfinished",
        .list(
          unfinished.map {
            .object([
              ("change", .string($0.change)), ("base", .number($0.base)),
              ("purpose", .string($0.purpose.rawValue)), ("scene", .optional($0.scene)),
              ("stage", .string($0.stage.rawValue)),
              ("temporaryVerified", $0.bodyVerified.map { .truth($0) } ?? .null),
              ("process", .string($0.process.name)), ("begun", $0.begun.json), ("reached", $0.reached.json),
            ])
          })
      ),
      (
        "overlaps",
        .list(
          overlaps.map {
            .object([
              ("change", .string($0.change)), ("scene", .optional($0.scene)),
              ("expected", .number($0.expected)), ("current", .number($0.current)),
              ("settled", .truth($0.settled)), ("evidence", $0.evidence.json),
            ])
          })
      ),
      ("others", .list(others.map(\.json))),
      ("shortened", .truth(shortened)),
    ])
  }

  private static func json(_ save: Save) -> JSONText {
    .object([
      ("version", .number(save.event.version)), ("base", .number(save.event.base)),
      ("change", .string(save.event.change)), ("scene", .optional(save.event.scene)),
      ("temporaryVerified", save.event.temporaryVerified.map { .truth($0) } ?? .null),
      ("evidence", save.evidence.json),
    ])
  }
}

extension VanishedStory.ProcessEnd {
  /// As it stands in JSON.
  var name: String {
    switch self {
    case .unknown: "unknown"
    case .wentOn: "wentOn"
    case .silent: "silent"
    case .reaped: "reaped"
    case .endOfTrace: "endOfTrace"
    }
  }
}
