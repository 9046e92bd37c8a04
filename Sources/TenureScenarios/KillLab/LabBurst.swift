import Tenure
import TenureGroup
import TenureSystem
import TenureTesting
import TenureTrace

/// A burst of work of one worker: two scenes, a consumer of history and a user of shared files at once.
struct LabBurst: Sendable {
  let client: LabClient
  let container: String
  let guards: LabGuards
  let trace: Trace
  let killer: KillSwitch
  /// Where a guard is taken away the evidence is kept.
  let mayPurge: Bool

  func run(seed: UInt64, requests: Int, resuming drafts: [RecoveredDraft]) async {
    await finish(drafts)
    await withTaskGroup(of: Void.self) { group in
      for scene in 0..<2 {
        group.addTask { await self.edit(scene, LabRandom(seed: seed, scene), requests) }
      }
      group.addTask { await self.useFiles(requests / 4 + 1, token: seed) }
      group.addTask { await client.flush(within: 3_000_000) }
    }
    await client.consume(atEnd: true)
    var random = LabRandom(seed: seed, 2)
    if mayPurge, random.percent(30) { await client.purge(keeping: 12) }
  }

  /// What a scene does with the drafts that were offered to it after an interruption.
  private func finish(_ drafts: [RecoveredDraft]) async {
    for recovered in drafts {
      let draft = recovered.draft
      switch recovered.standing {
      case .current, .inDoubt:
        await client.commit(draft.document, draft.change, expecting: draft.base, scene: draft.scene)
      case .documentMovedOn, .deleted, .alreadyCommitted, .damaged:
        await client.discard(draft.scene, draft.document)
      }
    }
  }

  private func edit(_ index: Int, _ random: LabRandom, _ requests: Int) async {
    var random = random
    let scene = client.scene(index)
    for _ in 0..<requests {
      if client.isStuck { return }
      let document = LabBox.documents.randomElement(using: &random) ?? "plan.md"
      // One of the scenes follows the history closely: a change that comes to light late would be missed.
      if index == 0 { await client.consume() }
      guard let version = await client.read(document) else { continue }
      if version > 1, random.percent(10) {
        await client.readVersion(document, max(1, version - Int64.random(in: 0...40, using: &random)))
      }
      let change = ChangeID(
        derivedFrom: [client.name, "\(random.next())", "\(client.clock.monotonic)"])
      let drafts = Int.random(in: 0...2, using: &random)
      if drafts > 0, random.percent(50) {
        let edits = Int.random(in: 1...5, using: &random)
        guard
          await client.type(scene, document, change, base: version, edits: edits, leaving: random.percent(15))
        else { continue }
      } else {
        for draft in stride(from: 1, through: drafts, by: 1) {
          await client.checkpoint(scene, document, change, base: version, draft)
        }
      }
      // Some drafts are left, to be offered after the next interruption.
      if drafts > 0, random.percent(15) { continue }
      let stale = version > 0 && random.percent(5) ? version - 1 : version
      let deleting = drafts == 0 && random.percent(3)
      let answer = await client.commit(
        document, change, expecting: stale, deleting: deleting, scene: scene)
      if case .conflict = answer, drafts > 0 { await client.discard(scene, document) }
      // An answer may be lost on its way: the client sends the same again, or, wrongly, the same on what it
      // met since.
      if random.percent(6) {
        await client.commit(document, change, expecting: stale, deleting: deleting, scene: scene)
      } else if random.percent(4), case .committed(let made) = answer {
        await client.commit(document, change, expecting: made, deleting: deleting, scene: scene)
      }
    }
  }

  // MARK: Shared files

  /// Counts and appends, on a thread of its own: file locks block.
  private func useFiles(_ times: Int, token: UInt64) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      do {
        try SystemThread.start(name: "lab-files") {
          for index in 0..<times where !client.isStuck {
            self.count()
            if index == 0 { self.append("\(client.name)-\(token)-\(trace.process.pid)") }
          }
          continuation.resume()
        }
      } catch { continuation.resume() }
    }
  }

  private func count() {
    let number = client.log.ask(.count(file: LabBox.counter))
    var result: OperationAnswer = .refused("not asked")
    do {
      try AtomicFile.update(
        container.appendingPath(LabBox.counter), system: killer.system, trace: trace, guards: guards.group
      ) { old in
        guard let old else {
          result = .counted(1)
          return LabBox.counterText(1)
        }
        guard let found = LabBox.number(in: old) else {
          result = .damaged("\(old.count) bytes that nobody wrote")
          return nil
        }
        result = .counted(found + 1)
        return LabBox.counterText(found + 1)
      }
    } catch { result = client.failure(error) }
    client.log.tell(number, result)
  }

  private func append(_ token: String) {
    let number = client.log.ask(.append(file: LabBox.journal, token: token))
    do {
      try AtomicFile.append(
        Array("\(token)\n".utf8), to: container.appendingPath(LabBox.journal), system: killer.system,
        trace: trace, guards: guards.group)
      client.log.tell(number, .done)
    } catch { client.log.tell(number, client.failure(error)) }
  }
}
