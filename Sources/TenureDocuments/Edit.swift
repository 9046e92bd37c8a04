/// What a document is to become.
public enum Body: Sendable, Hashable {
  /// Bytes in memory.
  case data(Data)
  /// A file, cloned or copied without being loaded. It must not change while `commit` runs.
  case file(URL)
  /// Nothing: a tombstone. Deleting is a commit like any other and can be undone by one.
  case deleted
}

/// One change to one document: make it once and keep it across retries (D2).
///
/// ```swift
/// let edit = Edit(of: "plan.md", expecting: 7, body: .data(bytes))
/// ```
public struct Edit: Sendable, Hashable {
  /// What is changed.
  public let document: DocumentID
  /// Names this edit.
  public let change: ChangeID
  /// The version it was made on; 0 creates.
  public let expected: Int64
  /// The new content.
  public let body: Body

  /// An edit of `document`, made on version `expected`.
  public init(
    of document: DocumentID, expecting expected: Int64, body: Body, change: ChangeID = ChangeID()
  ) {
    self.document = document
    self.change = change
    self.expected = expected
    self.body = body
  }
}
