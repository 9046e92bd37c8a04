import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureGroup

@Suite("AtomicFile and GroupContainer across power cuts")
struct PowerCutTests {
  private static let path = "/box/notes"

  /// The contents the file goes through; each is long enough to be torn between sectors.
  private static let contents: [[UInt8]] = {
    let first = [UInt8](repeating: 1, count: 1_500)
    let second = [UInt8](repeating: 2, count: 2_500)
    return [first, second, second + [3], second + [3] + first]
  }()

  /// Goes through all contents, acknowledging each.
  private func session(guards: GroupGuards = GroupGuards()) throws -> CrashFileSystem.Recording {
    let disk = CrashFileSystem()
    try disk.system.makeDirectories("/box")
    let contents = Self.contents
    try AtomicFile.replace(Self.path, with: contents[0], system: disk.system, trace: .off, guards: guards)
    disk.acknowledge("0")
    try AtomicFile.replace(Self.path, with: contents[1], system: disk.system, trace: .off, guards: guards)
    disk.acknowledge("1")
    try AtomicFile.update(Self.path, system: disk.system, trace: .off, guards: guards) { ($0 ?? []) + [3] }
    disk.acknowledge("2")
    try AtomicFile.append(contents[0], to: Self.path, system: disk.system, trace: .off, guards: guards)
    disk.acknowledge("3")
    return disk.recording
  }

  /// What a person finds after a cut: nothing wrong, or content that was acknowledged and is gone, or content
  /// that nobody wrote.
  private func faults(_ recording: CrashFileSystem.Recording, _ plan: CutPlan) throws -> (
    cuts: Int, faults: [String]
  ) {
    var cuts = 0
    var faults: [String] = []
    try CrashFileSystem.everyCut(of: recording, plan) { cut in
      cuts += 1
      let last = cut.acknowledged.last.flatMap { Int($0) } ?? -1
      var possible = Set(Self.contents[max(0, last)...min(last + 1, 3)])
      if last == -1 { possible.insert([]) }
      let exists = try cut.survivor.system.status(Self.path) != nil
      let found = exists ? try cut.survivor.system.contents(of: Self.path, limit: 10_000) : []
      if !possible.contains(found) || (exists && found.isEmpty) {
        faults.append("\(found.count) bytes after \(last) was acknowledged, \(cut)")
      }
      // Whoever writes next is not in anybody's way, whatever temporary file the cut left.
      if try cut.survivor.system.status("/box") != nil {
        try AtomicFile.replace(Self.path, with: [9], system: cut.survivor.system, trace: .off)
        let names = try cut.survivor.system.list("/box")
        if names != [".notes.lock", "notes"] { faults.append("\(names), \(cut)") }
      }
    }
    return (cuts, faults)
  }

  @Test(
    "G3: old or new, complete, wherever the power goes, however the disk orders what was not synced",
    arguments: [CutPlan.Names.perDirectory, .journalled])
  func everywhere(names: CutPlan.Names) throws {
    let plan = CutPlan(at: .changes, policies: CutPolicy.standard(seeds: 4), names: names)
    let (cuts, faults) = try faults(session(), plan)
    #expect(cuts > 200)
    #expect(faults == [])
  }

  @Test("The cuts find a missing sync of the file, of the directory, and writing in place")
  func found() throws {
    let plan = CutPlan(at: .changes, policies: CutPolicy.standard(seeds: 4))
    var broken = plan
    broken.ignoring = .files
    #expect(try faults(session(), broken).faults != [])
    broken.ignoring = .directories
    #expect(try faults(session(), broken).faults != [])
    #expect(try faults(session(guards: GroupGuards(g3: false)), plan).faults != [])
  }

  @Test("D1: a container that was opened is there after a power cut, whole")
  func container() throws {
    let disk = CrashFileSystem()
    let box = try GroupContainer.open(at: "/deep/down/box", system: disk.system, trace: .off)
    disk.acknowledge("opened")
    let parts = try disk.system.list(box.path)
    var cuts = 0
    try CrashFileSystem.everyCut(of: disk.recording, CutPlan(at: .changes)) { cut in
      cuts += 1
      if cut.acknowledged == ["opened"] { #expect(try cut.survivor.system.list(box.path) == parts, "\(cut)") }
      let again = try GroupContainer.open(at: box.path, system: cut.survivor.system, trace: .off)
      #expect(try cut.survivor.system.list(again.path) == parts, "\(cut)")
    }
    #expect(cuts > 50)
  }
}
