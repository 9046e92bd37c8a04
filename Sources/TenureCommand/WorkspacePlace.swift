import Notebook
import Tenure
import TenureSystem

/// Which workspace a command is about: a folder of notes, a container, or both.
struct WorkspacePlace: Sendable {
  /// The folder; `nil` when only a container was named.
  var folder: String?
  /// The container.
  var container: String

  /// The sample's notes, where nothing else is named.
  static let sample = "Examples/Notebook/Notes"

  /// Finds the place; a folder must be there.
  init(folder: String?, container: String?, system: System) throws {
    if let folder {
      self.folder = try Self.checked(folder, system)
    } else if container == nil {
      guard try system.status(Self.sample)?.kind == .directory else {
        throw CommandFailure(
          "Name a folder: the sample's notes (\(Self.sample)) are not here. Try `tenure run FOLDER`.")
      }
      self.folder = Self.sample
    } else {
      self.folder = nil
    }
    self.container = container ?? Notebook.container(of: self.folder ?? ".")
    // The container's own files are no notes, and opening them beside the database would end its locks.
    if let folder = self.folder, try Self.isAtOrBelow(folder, self.container, system) {
      throw CommandFailure(
        "The container \(self.container) holds the folder \(folder) itself. Choose a --container beside or inside it."
      )
    }
  }

  /// The place of a workspace that must be there already, looked at without making anything.
  static func existing(folder: String?, container: String?, system: System) throws -> WorkspacePlace {
    let place = try WorkspacePlace(folder: folder, container: container, system: system)
    if try system.status(place.container) != nil,
      try GroupDatabase.exists(in: GroupContainer.existing(at: place.container, system: system, trace: .off))
    {
      return place
    }
    throw CommandFailure(
      "There is no workspace in \(place.container). `tenure run \(place.folder ?? "FOLDER") --once` makes one."
    )
  }

  /// The words that name this place to another `tenure`.
  var words: [String] { (folder.map { [$0] } ?? []) + ["--container", container] }

  /// Whether a folder is another one, or lies below it, by what they are and not by how they are spelled.
  private static func isAtOrBelow(
    _ folder: String, _ other: String, _ system: System
  ) throws(SystemError) -> Bool {
    guard let outer = try system.status(other) else { return false }
    var path = folder
    // `..` climbs through links and names alike; the root is its own parent.
    while let status = try system.status(path) {
      if status.isSameFile(as: outer) { return true }
      path = path.appendingPath("..")
      guard let above = try system.status(path), !above.isSameFile(as: status) else { return false }
    }
    return false
  }

  private static func checked(_ folder: String, _ system: System) throws -> String {
    let trimmed = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    switch try system.status(trimmed)?.kind {
    case .directory: return trimmed
    case nil: throw CommandFailure("There is no folder \(folder).")
    default: throw CommandFailure("\(folder) is not a folder.")
    }
  }
}
