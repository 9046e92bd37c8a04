import TenureSystem
import TenureTrace

/// One save under way, from being asked for to being answered: what a flush lists and waits for (D7, D11).
///
/// ```
/// waiting ──body of the transaction runs──▶ begun ──answered──▶ ended(saved | unsaved | inDoubt)
///    │ deadline of a flush
///    └──▶ revoked: the transaction's body will refuse to run
/// ```
final class Flight: Sendable {
  enum Ending: Sendable, Hashable {
    case saved, unsaved, inDoubt

    /// How a save that failed has ended.
    static func after(_ failure: any Error) -> Ending { failure is CommitInDoubt ? .inDoubt : .unsaved }
  }

  private enum Phase {
    case waiting
    case begun
    case revoked
    case ended(Ending)
  }

  private struct State {
    var phase = Phase.waiting
    var whenEnded: [@Sendable () -> Void] = []
  }

  let items: [FlushItem]
  let purpose: SavePurpose
  /// Whether a ``DraftKeeper`` asked, for itself or for somebody.
  let isKeepers: Bool
  private let state = Lock(State())

  init(_ items: [FlushItem], _ purpose: SavePurpose, isKeepers: Bool) {
    self.items = items
    self.purpose = purpose
    self.isKeepers = isKeepers
  }

  /// Called first in the transaction, which may run more than once.
  func begin() throws(DocumentError) {
    let isRevoked = state.withLock { state in
      switch state.phase {
      case .waiting, .begun:
        state.phase = .begun
        return false
      case .revoked: return true
      case .ended: return false
      }
    }
    if isRevoked, let first = items.first { throw .flushDeadlinePassed(first.change) }
  }

  func end(_ ending: Ending) {
    let bodies = state.withLock { state in
      state.phase = .ended(ending)
      defer { state.whenEnded = [] }
      return state.whenEnded
    }
    for body in bodies { body() }
  }

  /// Calls `body` when the flight has ended; at once if it has.
  func whenEnded(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if case .ended = state.phase { return true }
      state.whenEnded.append(body)
      return false
    }
    if isOver { body() }
  }

  func ended() async {
    await withCheckedContinuation { continuation in whenEnded { continuation.resume() } }
  }

  /// How it ended, if it has.
  var ending: Ending? {
    state.withLock { state in
      if case .ended(let ending) = state.phase { ending } else { nil }
    }
  }

  /// The answer at a deadline. What has not begun never will.
  func settle() -> Ending {
    state.withLock { state in
      switch state.phase {
      case .waiting, .revoked:
        state.phase = .revoked
        return .unsaved
      case .begun: return .inDoubt
      case .ended(let ending): return ending
      }
    }
  }
}

/// The saves under way in this process.
final class Flights: Sendable {
  private struct State {
    var open: [UInt64: Flight] = [:]
    var next: UInt64 = 0
  }

  private let state = Lock(State())

  /// Enters a flight; it leaves by itself when it ends.
  func enter(_ items: [FlushItem], _ purpose: SavePurpose, isKeepers: Bool = false) -> Flight {
    let flight = Flight(items, purpose, isKeepers: isKeepers)
    let key = state.withLock { state in
      state.next += 1
      state.open[state.next] = flight
      return state.next
    }
    flight.whenEnded { [weak self] in
      _ = self?.state.withLock { $0.open.removeValue(forKey: key) }
    }
    return flight
  }

  var all: [Flight] {
    state.withLock { state in state.open.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Waits until no save of `change` is under way here.
  func ended(_ change: ChangeID) async {
    for flight in all where flight.items.contains(where: { $0.change == change }) { await flight.ended() }
  }
}
