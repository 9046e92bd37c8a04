import Notebook
import Tenure
import TenureGroup
import TenureSystem

extension Command {
  struct StoreImportInput: StoreInput {
    var folder: String?
    var container: String?
    var json = false
  }

  private struct ImportedCounts: Encodable {
    struct Problem: Encodable {
      var path: String
      var reason: String
    }
    struct Conflict: Encodable {
      var document: DocumentID
      var base: Int64
      var current: Int64?
    }
    var files: Int
    var imported: Int
    var unchanged: Int
    var conflicts: [Conflict]
    var missing: [DocumentID]
    var problems: [Problem]
  }

  /// `tenure store import`
  static let storeImport = Command(
    "import", "Imports the folder's files once more; what was imported before is recognised.",
    taking: StoreImportInput(), Parameter<StoreImportInput>.place,
    exits: [.findings: "a file is in conflict, or could not be imported"],
    examples: [Example("tenure store import ~/Notes", "Takes in what changed in ~/Notes.")]
  ) { input, context in
    let place = try WorkspacePlace(
      folder: input.folder, container: input.container, system: context.system)
    guard let folder = place.folder else { throw UsageError("Name the folder to import.") }
    let workspace = try await Notebook.open(place.container, role: "store", system: context.system)
    let report: ImportReport
    do { report = try await Importer(folder: folder, workspace: workspace).run() } catch {
      await workspace.close()
      throw error
    }
    await workspace.close()
    if input.json {
      try context.terminal.print(
        json: ImportedCounts(
          files: report.files, imported: report.committed.count, unchanged: report.unchanged,
          conflicts: report.conflicts.map {
            .init(document: $0.document, base: $0.base, current: $0.current?.version)
          },
          missing: report.missing,
          problems: report.problems.map { .init(path: $0.path, reason: "\($0)") }))
    } else {
      RunLog(terminal: context.terminal, clock: context.system.clock, isQuiet: false)
        .imported(report, from: folder)
    }
    return report.conflicts.isEmpty && report.problems.isEmpty ? .success : .findings
  }

  struct StoreExportInput: StoreInput {
    var folder: String?
    var container: String?
    var json = false
    var target = ""
    var replace = false
  }

  private struct ExportCounts: Encodable {
    var files = 0
    var bytes: Int64 = 0
    var unchanged = 0
    var refused: [String] = []
  }

  /// `tenure store export`
  static let storeExport = Command(
    "export", "Writes the current version of every document as a file into a folder.",
    discussion: """
      Files that are there already with the same content are left alone; with other content they are refused, \
      unless --replace. The folder of the workspace itself is never written to.
      """,
    taking: StoreExportInput(),
    [
      .argument("TARGET", \.target, completes: .directory, "Where to; made when it is missing."),
      .flag("replace", \.replace, "Replace files of other content, each atomically."),
    ] + Parameter<StoreExportInput>.place,
    exits: [.findings: "a file that is there already was not replaced"],
    examples: [Example("tenure store export /tmp/notes ~/Notes", "A copy of what the workspace holds.")]
  ) { input, context in
    let system = context.system
    let place = try WorkspacePlace.existing(
      folder: input.folder, container: input.container, system: system)
    let folder = place.folder ?? place.container
    let target =
      input.target.hasSuffix("/") && input.target.count > 1 ? String(input.target.dropLast()) : input.target
    try system.makeDirectories(target, permissions: 0o755)
    if try Exporter.isInside(target, folder, system) {
      throw CommandFailure("\(target) lies in \(folder), which is never written to. Choose another folder.")
    }
    return try await withWorkspace(input.folder, input.container, context) { workspace in
      var counts = ExportCounts()
      var after: DocumentID?
      repeat {
        let page = try await workspace.documents.list(after: after, limit: 200)
        for revision in page.items {
          switch try await Exporter(target: target, replaces: input.replace).export(revision, from: workspace)
          {
          case .written:
            counts.files += 1
            counts.bytes += revision.size
          case .unchanged: counts.unchanged += 1
          case .refused(let why):
            counts.refused.append(revision.document.rawValue)
            context.terminal.complain("Not written: \(revision.document), \(why)")
          }
        }
        after = page.next
      } while after != nil
      if input.json {
        try context.terminal.print(json: counts)
      } else {
        context.terminal.print(
          "\(counts.files) files written, \(counts.bytes) bytes; \(counts.unchanged) were there already.")
      }
      return counts.refused.isEmpty ? .success : .findings
    }
  }
}

/// Writes documents as files.
private struct Exporter: Sendable {
  let target: String
  let replaces: Bool

  enum Result: Sendable {
    case written, unchanged
    case refused(String)
  }

  /// Whether a folder is another one, or lies below it, by what they are and not by how they are spelled.
  static func isInside(_ folder: String, _ other: String, _ system: System) throws(SystemError) -> Bool {
    guard let outer = try system.status(other) else { return false }
    var path = folder
    // `..` climbs through links and names alike; the root is its own parent.
    while let status = try system.status(path) {
      if status.device == outer.device && status.inode == outer.inode { return true }
      let parent = path.appendingPath("..")
      guard let above = try system.status(parent),
        above.inode != status.inode || above.device != status.device
      else { return false }
      path = parent
    }
    return false
  }

  func export(_ revision: Revision, from workspace: Workspace) async throws -> Result {
    let path = target.appendingPath(revision.document.rawValue)
    let (system, trace, replaces) = (workspace.container.system, workspace.trace, replaces)
    return try await workspace.documents.withBodyFile(of: revision.document, version: revision.version) {
      _, url in
      if let status = try system.status(path) {
        guard status.kind == .file else { return .refused("a folder has that name") }
        if status.size == revision.size, try Self.digest(of: path, system) == revision.digest {
          return .unchanged
        }
        if !replaces { return .refused("a file of other content is there (--replace)") }
      }
      try system.makeDirectories(path.parentPath, permissions: 0o755)
      try Self.copy(url.path, to: path, system, trace)
      return .written
    }
  }

  private static func digest(of path: String, _ system: System) throws -> String {
    var hasher = DigestHasher()
    try pieces(of: path, system) { bytes throws(SystemError) in hasher.update(bytes) }
    return hasher.finish().description
  }

  /// Copies beside the target and gives it the name when it is whole and on the disk.
  private static func copy(_ from: String, to path: String, _ system: System, _ trace: Trace) throws {
    let beside = path + ".tenure-\(trace.process.pid)"
    do {
      let file = try system.open(beside, [.write, .create, .truncate], permissions: 0o644)
      try pieces(of: from, system) { bytes throws(SystemError) in try file.writeAll(bytes) }
      try file.sync()
      try system.rename(beside, to: path)
    } catch {
      _ = try? system.remove(beside)
      throw error
    }
    try system.syncDirectory(path.parentPath)
  }

  private static func pieces(
    of path: String, _ system: System, _ take: (UnsafeRawBufferPointer) throws(SystemError) -> Void
  ) throws(SystemError) {
    let file = try system.open(path, .read)
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    var offset: Int64 = 0
    while true {
      let read = chunk.withUnsafeMutableBytes { buffer in
        Swift.Result { () throws(SystemError) in try file.read(into: buffer, at: offset) }
      }
      let count = try read.get()
      if count == 0 { return }
      let taken = chunk.withUnsafeBytes { bytes in
        Swift.Result { () throws(SystemError) in try take(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
      }
      try taken.get()
      offset += Int64(count)
    }
  }
}
