import Tenure
import TenureSystem

/// What one pass over a folder did.
public struct ImportReport: Sendable {
  /// Files that are documents.
  public var files = 0
  /// The versions this pass made.
  public var committed: [Revision] = []
  /// Files whose content was imported before.
  public var unchanged = 0
  /// Files that changed outside while their documents changed in a scene. Nothing was overwritten; what the file
  /// holds is kept as a draft of the scene ``Importer/scene``.
  public var conflicts: [ImportConflict] = []
  /// Documents whose files went away. They are not deleted.
  public var missing: [DocumentID] = []
  /// What could not be imported.
  public var problems: [ImportProblem] = []

  /// The task was cancelled: the files not counted here are left for the next pass, and what went away was not
  /// looked for.
  public var isInterrupted = false

  /// A report on nothing.
  public init() {}
}

/// A file and a document that went different ways since the last import.
public struct ImportConflict: Hashable, Sendable {
  /// The document.
  public let document: DocumentID
  /// The version last imported from the file; 0 when there was none.
  public let base: Int64
  /// What the document is now; `nil`: it does not exist.
  public let current: Revision?
  /// Whether the file's content is kept as a draft; too large a file is not.
  public let isKept: Bool
}

/// A name in the folder that did not become a document.
public struct ImportProblem: Hashable, Sendable, CustomStringConvertible {
  /// Relative to the folder.
  public let path: String
  /// Why not.
  public let reason: Reason

  /// Why a name did not become a document.
  public enum Reason: Hashable, Sendable {
    /// The name's bytes are not UTF-8.
    case notUTF8
    /// A system call failed.
    case unreadable(SystemError)
    /// A device, socket or pipe.
    case notAFile
    /// A directory that was imported under another name already.
    case seenAlready
    /// It was written to while it was read; the next pass takes it.
    case changed
    /// The store does not take it.
    case refused(String)
  }

  /// One sentence.
  public var description: String {
    switch reason {
    case .notUTF8: "\(path): the name is not UTF-8; rename the file to import it"
    case .unreadable(let error): "\(path): \(error)"
    case .notAFile: "\(path): neither a file nor a folder"
    case .seenAlready: "\(path): leads to a folder that was imported already"
    case .changed: "\(path): changed while it was read; import it again"
    case .refused(let why): "\(path): \(why)"
    }
  }
}
