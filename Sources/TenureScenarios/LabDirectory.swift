import TenureGroup
import TenureSystem

/// A folder for one run of something, which does not outlive it: removed at its end, and, when its process was
/// killed, by the next that makes one in the same place (``TransientFolder``).
///
/// ```
/// tenure-lab-5e1f9c07a2b4d386/   in use as long as its process holds a lock in it
///   box/                         what is lent out
/// ```
public final class LabDirectory: Sendable {
  /// The folder that is lent out.
  public let path: String
  private let folder: TransientFolder
  private let system: System

  /// Makes one, in the folder for temporary files unless another is named, and clears away those of the same
  /// `prefix` whose processes have ended.
  public init(
    in parent: String? = nil, named prefix: String = "tenure-lab", system: System = .live
  ) throws(SystemError) {
    self.system = system
    folder = try TransientFolder.make(
      in: parent ?? TransientFolder.place, prefix: prefix + "-", system: system)
    path = folder.path.appendingPath("box")
    try system.makeDirectory(path)
  }

  /// Removes it with all that is in it. Who still works in it finds nothing under its name any more.
  public func remove() {
    // To another name first, so that whoever is still at work makes no new files in it.
    try? system.rename(path, to: folder.path.appendingPath("gone"))
    folder.end()
  }

  /// Leaves it for whoever wants to look into it: nobody clears it away.
  public func keep() { folder.keep() }
}
