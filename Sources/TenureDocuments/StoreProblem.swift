/// Something `check()` found wrong.
public enum StoreProblem: Sendable, Hashable, CustomStringConvertible {
  /// SQLite's integrity check said this.
  case database(String)
  /// A version's body file is not there.
  case bodyMissing(DocumentID, version: Int64, file: String)
  /// A body is not what its digest says.
  case bodyDamaged(DocumentID, version: Int64, detail: String)
  /// The content of a scene's draft is not what was checkpointed.
  case draftDamaged(DocumentID, scene: String, detail: String)
  /// A body could not be read, so nothing is known of it.
  case bodyUnreadable(DocumentID, version: Int64, detail: String)
  /// A document's current version has no change.
  case currentMissing(DocumentID, version: Int64)
  /// A file in `bodies/` that nothing refers to: left by an interrupted save; the next sweep takes it.
  case orphan(file: String)

  /// Whether something a user saved is affected; an orphan is only litter.
  public var isDamage: Bool {
    if case .orphan = self { return false }
    return true
  }

  /// One sentence.
  public var description: String {
    switch self {
    case .database(let text): "The database says: \(text)"
    case .bodyMissing(let document, let version, let file):
      "\(document) version \(version): the body file \(file) is missing"
    case .bodyDamaged(let document, let version, let detail):
      "\(document) version \(version): the body is damaged (\(detail))"
    case .draftDamaged(let document, let scene, let detail):
      "The draft of \(document) in scene \(scene) is damaged (\(detail))"
    case .bodyUnreadable(let document, let version, let detail):
      "\(document) version \(version): the body cannot be read (\(detail))"
    case .currentMissing(let document, let version):
      "\(document): version \(version) is current but was never recorded"
    case .orphan(let file): "bodies/\(file) belongs to no version; the next sweep removes it"
    }
  }
}
