/// The guards behind the D laws, each of which the lab takes away to show that it is missed.
///
/// Injected at open by code of this package only. What is done without a guard is what apps customarily do.
package struct DocumentGuards: Sendable, Hashable {
  /// A change is looked up before it is applied. Without: sent twice, it acts twice.
  package var d2 = true
  /// The expected version must be current. Without: the last writer wins.
  package var d3 = true
  /// The current version only goes up. Without: the number is read before the transaction, and the slower write
  /// of an older number becomes current again.
  package var d4 = true
  /// Body and version appear together, and reads verify. Without: the body is written in place under the
  /// document's name, in a transaction of its own.
  package var d5 = true
  /// A checkpoint returns when it is durable. Without: it is kept in memory and written some time.
  package var d6 = true
  /// Sequence numbers are given out inside the transaction. Without: each process takes a block of them ahead,
  /// as sequence caches do, so that a consumer sees a later one first and skips the earlier.
  package var d9 = true

  /// All guards in place.
  package init() {}
}
