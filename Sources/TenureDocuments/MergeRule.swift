/// Knows how two versions of one kind of document become one (D8).
///
/// A rule is asked only when it was registered for the document's kind, and always with the common base.
public protocol MergeRule: Sendable {
  /// Its name, for the trace.
  var name: String { get }
  /// Both changes applied to their base, or the regions where they cannot both be.
  /// Called on no particular thread; must depend on its arguments alone.
  func merge(base: Data, mine: Data, theirs: Data) throws -> MergeOutcome
}

/// What a rule answers.
public enum MergeOutcome: Sendable, Hashable {
  /// Both changes, applied.
  case merged(Data)
  /// Changes that touch each other.
  case conflict([ConflictRegion])
}

/// A place where both sides changed the same lines differently. Lines count from 0; ranges may be empty.
public struct ConflictRegion: Sendable, Hashable {
  /// Lines of the base.
  public let base: Range<Int>
  /// Lines of the edit being merged.
  public let mine: Range<Int>
  /// Lines of the version it met.
  public let theirs: Range<Int>

  /// A region by its parts.
  public init(base: Range<Int>, mine: Range<Int>, theirs: Range<Int>) {
    self.base = base
    self.mine = mine
    self.theirs = theirs
  }
}

/// What `DocumentStore.merge` answers. It never commits anything: the merged body is an edit like any other.
public enum MergeResult: Sendable, Hashable {
  /// The body to commit on top of the version that was merged onto.
  case merged(Data)
  /// The rule could not: the conflict stays.
  case conflict([ConflictRegion])
  /// No rule is registered for this kind of document, or the common base is gone: the conflict stays.
  case noRule(String)
}
