import Tenure
import TenureStorage
import TenureSystem

@testable import Notebook

/// A folder of notes and a workspace on it, both gone afterwards.
struct NotesFolder: Sendable {
  let path: String
  let workspace: Workspace
  private static let system = System.live

  /// Makes a folder, opens its workspace, runs `body`, closes and removes.
  static func with<Result>(
    machine: System = .live, trace: Workspace.TraceSetting = .off,
    _ body: (NotesFolder) async throws -> Result
  ) async throws -> Result {
    let path = "/tmp/tenure-notes-\(ChangeID())"
    try system.makeDirectories(path)
    let workspace = try await Notebook.open(
      Notebook.container(of: path), role: "app", system: machine, trace: trace)
    let folder = NotesFolder(path: path, workspace: workspace)
    do {
      let result = try await body(folder)
      await workspace.close()
      try system.removeTree(path)
      return result
    } catch {
      await workspace.close()
      try? system.removeTree(path)
      throw error
    }
  }

  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  func write(_ bytes: [UInt8], to name: String) throws {
    let file = path.appendingPath(name)
    try Self.system.makeDirectories(file.parentPath)
    let opened = try Self.system.open(file, [.write, .create, .truncate])
    try bytes.withUnsafeBytes { bytes in
      try Result { () throws(SystemError) in try opened.writeAll(bytes) }.get()
    }
  }

  func remove(_ name: String) throws { try Self.system.remove(path.appendingPath(name)) }

  @discardableResult
  func importAll() async throws -> ImportReport {
    try await Importer(folder: path, workspace: workspace).run()
  }

  func text(_ document: DocumentID, version: Int64? = nil) async throws -> String {
    String(decoding: try await workspace.documents.body(of: document, version: version).data, as: UTF8.self)
  }

  func versions(_ document: DocumentID) async throws -> Int {
    try await workspace.documents.versions(of: document).count
  }

  /// A commit by somebody else than the import.
  func commit(_ document: DocumentID, expecting: Int64, _ text: String) async throws {
    let result = try await workspace.documents.commit(
      Edit(of: document, expecting: expecting, body: .data(Data(text.utf8))))
    guard case .committed = result else { throw Unexpected(result: result) }
  }

  struct Unexpected: Error { var result: CommitResult }
}

extension System {
  /// Removes a directory with all that is in it, without following links.
  func removeTree(_ path: String) throws(SystemError) {
    for name in try list(path) {
      let inner = path.appendingPath(name)
      do {
        try remove(inner)
      } catch {
        try removeTree(inner)
      }
    }
    try removeDirectory(path)
  }
}
