import Synchronization

/// Asks a connection's statements to stop, from any thread and at any step.
///
/// The connection's progress handler looks at it every thousand instructions of SQLite's machine, so a statement
/// that began a moment before the flag went up is stopped as well.
final class StopFlag: Sendable {
  private let raised = Atomic(false)

  var isRaised: Bool { raised.load(ordering: .relaxed) }
  func raise() { raised.store(true, ordering: .releasing) }
  func lower() { raised.store(false, ordering: .releasing) }
}
