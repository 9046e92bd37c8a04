import Notebook
import Tenure
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

  struct StoreExportInput: StoreLookInput {
    var folder: String?
    var container: String?
    var json = false
    var copy = false
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
      unless --replace. A document that cannot be written is named, and the others still are. The folder of the \
      workspace itself is never written to, whatever links lead there.
      """,
    taking: StoreExportInput(),
    [
      .argument("TARGET", \.target, completes: .directory, "Where to; made when it is missing."),
      .flag("replace", \.replace, "Replace files of other content, each atomically."),
    ] + Parameter<StoreExportInput>.lookingPlace,
    exits: [.findings: "a document was not written"],
    examples: [Example("tenure store export /tmp/notes ~/Notes", "A copy of what the workspace holds.")]
  ) { input, context in
    let system = context.system
    let place = try WorkspacePlace.existing(
      folder: input.folder, container: input.container, system: system)
    let target =
      input.target.hasSuffix("/") && input.target.count > 1 ? String(input.target.dropLast()) : input.target
    // Before anything is made: the target may not be there yet.
    let kept = Set([place.folder, place.container].compactMap(\.self))
    let exporter = Exporter(target: target, replaces: input.replace, untouched: Array(kept).sorted())
    if let folder = try exporter.untouchedFolder(above: target, system) {
      throw CommandFailure("\(target) lies in \(folder), which is never written to. Choose another folder.")
    }
    return try await looking(input, context) { workspace in
      try system.makeDirectories(target, permissions: 0o755)
      var counts = ExportCounts()
      var after: DocumentID?
      repeat {
        let page = try await workspace.documents.list(after: after, limit: 200)
        for revision in page.items {
          switch try await exporter.export(revision, from: workspace) {
          case .written:
            counts.files += 1
            counts.bytes += revision.size
          case .unchanged: counts.unchanged += 1
          case .refused(let why):
            counts.refused.append(revision.document.rawValue)
            context.terminal.complain("Not written: \(revision.document), \(why)".printable())
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
