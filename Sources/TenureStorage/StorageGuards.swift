/// The guards of the laws upheld here, each of which the lab can take away to show that its law then breaks.
package struct StorageGuards: Hashable, Sendable {
  /// Commits are synced (`synchronous=FULL`) and so are directories, and answered after that. Off: they are
  /// answered first and written a moment later, as a debounce timer does, and nothing is synced.
  package var d1: Bool
  /// A body is read back, verified and synced before its row is written. Off: it is written in place and only
  /// handed to the system.
  package var d5: Bool
  /// The schema is looked at inside each transaction. Off: only when opening.
  package var d12: Bool
  /// The commit lock belongs to a descriptor and ends with its process. Off: it is a file.
  package var g2: Bool

  /// All guards stand unless said otherwise.
  package init(d1: Bool = true, d5: Bool = true, d12: Bool = true, g2: Bool = true) {
    self.d1 = d1
    self.d5 = d5
    self.d12 = d12
    self.g2 = g2
  }
}
