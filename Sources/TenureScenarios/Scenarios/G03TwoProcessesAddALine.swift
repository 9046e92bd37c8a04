import Tenure
import TenureSystem
import TenureTesting
import TenureTrace

extension Scenario {
  /// G3: two processes add to a shared file.
  static let twoProcessesAddALine = Scenario(
    law: .g3, name: "two processes add a line",
    moment: "The app and its extension each add a line to a shared list at the same time.",
    rule: "G3.unsafe",
    customary: Side(
      "Reads the list, adds the line, and gives the new list the name in one step.",
      acts: adders { actor, line in
        let trace = try actor.trace()
        let old = actor.folder.text("recent") ?? ""
        actor.report("ready")
        await actor.goOn()
        let new = actor.path.appendingPath("recent.\(line)")
        let file = try actor.system.open(new, [.write, .create, .truncate])
        try file.append("\(old)\(line)\n")
        try file.sync()
        try actor.system.rename(new, to: actor.path.appendingPath("recent"))
        trace.record(
          FileReplaced(
            file: "recent", operation: .append, bytes: Int64(old.utf8.count + line.utf8.count + 1),
            verified: true, synced: true, locked: false))
      }, play: addBoth),
    tenure: Side(
      "Adds the line with AtomicFile.append, which reads and writes under one lock.",
      acts: adders { actor, line in
        let trace = try actor.trace()
        actor.report("ready")
        await actor.goOn()
        try AtomicFile.append(
          Array("\(line)\n".utf8), to: actor.path.appendingPath("recent"), system: actor.system, trace: trace)
      }, play: addBoth))

  private static let lines = ["app", "extension"]

  private static func adders(_ add: @escaping @Sendable (Actor, String) async throws -> Void) -> [String: Act]
  {
    Dictionary(
      uniqueKeysWithValues: lines.map { line in
        ("add \(line)", { @Sendable actor in try await add(actor, line) })
      })
  }

  @Sendable private static func addBoth(_ stage: Stage) async throws -> Verdict {
    try stage.folder.write("recent", "first\n")
    let processes = try lines.map { try stage.start("add \($0)") }
    for process in processes where await process.line(beginning: "ready") == nil {
      throw StageError.unexpected("\(process.name) ended before it could write")
    }
    for process in processes { try process.send("go") }
    for process in processes {
      let ending = await process.ending()
      if ending != .exited(0) { throw StageError.unexpected("\(process.name) ended with \(ending)") }
    }
    let text = stage.folder.text("recent") ?? ""
    let missing = lines.filter { !text.split(separator: "\n").contains(Substring($0)) }
    return missing.isEmpty
      ? .held("both lines are in the list")
      : .broken("the line of the \(missing.joined(separator: " and the ")) is gone, and nobody was told")
  }
}
