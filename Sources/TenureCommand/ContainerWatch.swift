import Tenure
import TenureGroup
import TenureSystem

/// Notices within a second that the container in use was removed or replaced (G8).
final class ContainerWatch: Sendable {
  private let container: GroupContainer
  private let presence: ContainerPresence
  private let task = Lock<Task<Void, Never>?>(nil)

  /// How long a loss can go unnoticed.
  static let pollTime = Duration.seconds(1)

  /// Tells once, when it is noticed.
  init(_ container: GroupContainer, tell: @escaping @Sendable (EndReason) -> Void) throws(GroupError) {
    self.container = container
    let presence = try ContainerPresence(of: container)
    self.presence = presence
    let (clock, path) = (container.system.clock, container.path)
    let polling = Task {
      // Cancelled when this object goes.
      while (try? await clock.sleep(for: Self.pollTime)) != nil {
        if presence.isGone { return tell(.containerGone(path)) }
      }
    }
    task.withLock { $0 = polling }
  }

  deinit { task.withLock { $0 }?.cancel() }

  /// The loss, looked for now.
  var loss: EndReason? { presence.isGone ? .containerGone(container.path) : nil }

  /// Throws when there is nothing to save to any more.
  func check() throws {
    if let loss { throw CommandFailure(loss.sentence, exit: loss.exitCode) }
  }
}

extension EndReason {
  /// As a sentence of its own.
  var sentence: String { text.prefix(1).uppercased() + text.dropFirst() + "." }
}
