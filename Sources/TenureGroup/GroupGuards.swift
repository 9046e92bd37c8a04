/// The guards of the G laws, each of which the lab can take away to show that its law then breaks.
package struct GroupGuards: Hashable, Sendable {
  /// Locks belong to open descriptors, which end with their process. Off: a lock is a file that its holder
  /// makes and removes.
  package var g2: Bool
  /// Files are replaced by name, under a lock. Off: they are written in place, under none.
  package var g3: Bool

  /// All guards stand unless said otherwise.
  package init(g2: Bool = true, g3: Bool = true) {
    self.g2 = g2
    self.g3 = g3
  }
}
