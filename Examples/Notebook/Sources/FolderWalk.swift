import Tenure
import TenureSystem

/// The files of a folder that can become documents, and what is wrong with the others.
///
/// Hidden names are left out (and with them `.tenure`). Symbolic links are followed; a directory that was seen
/// already, by whatever way, is not entered again.
struct FolderWalk {
  /// A file to import.
  struct Found: Hashable, Sendable {
    var document: DocumentID
    var path: String
    var size: Int64
  }

  private(set) var files: [Found] = []
  private(set) var problems: [ImportProblem] = []
  /// Folders, relative, that could not be looked into: files below them are not known to be gone.
  private(set) var unreadable: [String] = []

  private let system: System
  private let root: String
  private let container: Identity?
  private let isOver: @Sendable () -> Bool
  private var entered: Set<Identity> = []

  private struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64

    init(_ status: FileStatus) {
      device = status.device
      inode = status.inode
    }
  }

  /// Walks `root`. `container` is left out wherever it lies. Fails only when `root` itself cannot be read. Stops
  /// where it is as soon as `isOver`, asked before each name, says so: what it found by then is not all there is.
  init(
    _ root: String, leavingOut container: String, system: System,
    until isOver: @escaping @Sendable () -> Bool = { false }
  ) throws(SystemError) {
    self.root = root
    self.isOver = isOver
    self.system = system
    self.container = try system.status(container).map(Identity.init)
    let names = try system.list(root)
    if let status = try system.status(root) { entered.insert(Identity(status)) }
    visit(names, under: "")
  }

  private mutating func visit(_ names: [String], under folder: String) {
    var last: String?
    for name in names where !name.hasPrefix(".") {
      if isOver() { return }
      let relative = folder.isEmpty ? name : folder.appendingPath(name)
      // Names that are not UTF-8 arrive repaired, and then name nothing, or something else of that name.
      // By bytes: names that differ in their Unicode form only are two files.
      if let last, name.utf8.elementsEqual(last.utf8) {
        problems.append(ImportProblem(path: relative, reason: .notUTF8))
        continue
      }
      last = name
      look(at: relative, isRepaired: name.unicodeScalars.contains("\u{FFFD}"))
    }
  }

  private mutating func look(at relative: String, isRepaired: Bool) {
    let path = root.appendingPath(relative)
    do {
      guard let status = try system.status(path) else {
        // Gone since it was listed, a link that leads nowhere, or a name we cannot say.
        if isRepaired { problems.append(ImportProblem(path: relative, reason: .notUTF8)) }
        return
      }
      switch status.kind {
      case .file:
        let document = try DocumentID(relative).validated()
        files.append(Found(document: document, path: path, size: status.size))
      case .directory:
        let identity = Identity(status)
        if identity == container { return }
        guard entered.insert(identity).inserted else {
          problems.append(ImportProblem(path: relative, reason: .seenAlready))
          return
        }
        visit(try system.list(path), under: relative)
      case .symbolicLink, .other:
        problems.append(ImportProblem(path: relative, reason: .notAFile))
      }
    } catch let error as SystemError {
      problems.append(ImportProblem(path: relative, reason: .unreadable(error)))
      unreadable.append(relative)
    } catch {
      problems.append(ImportProblem(path: relative, reason: .refused("\(error)")))
    }
  }
}
