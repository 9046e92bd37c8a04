import TenureSystem

/// How far a long piece of work is: a bar where a terminal watches, a log line now and then where none does.
///
/// On standard error, so that results can be piped. Any thread may report.
final class Progress: Sendable {
  private let terminal: Terminal
  private let clock: any SystemClock
  private let title: String
  private let unit: String
  private let state: Lock<State>

  private struct State {
    var done = 0
    var total: Int
    var lastShown: UInt64?
  }

  /// Log lines are this far apart, in nanoseconds; a bar moves this often.
  private static let logInterval: UInt64 = 2_000_000_000
  private static let barInterval: UInt64 = 50_000_000

  init(_ title: String, of total: Int, unit: String, on terminal: Terminal, clock: any SystemClock) {
    self.terminal = terminal
    self.clock = clock
    self.title = title
    self.unit = unit
    self.state = Lock(State(total: total))
  }

  /// `count` more are done.
  func advance(by count: Int = 1) {
    let now = clock.monotonic
    let interval = terminal.showsProgress ? Self.barInterval : Self.logInterval
    let due: (done: Int, total: Int)? = state.withLock { state in
      state.done += count
      guard let last = state.lastShown else {
        state.lastShown = now
        return terminal.showsProgress ? (state.done, state.total) : nil
      }
      if now &- last < interval { return nil }
      state.lastShown = now
      return (state.done, state.total)
    }
    if let due { show(due.done, of: due.total) }
  }

  /// The work has ended; the bar goes away.
  func finish() { terminal.clearStatus() }

  private func show(_ done: Int, of total: Int) {
    guard terminal.showsProgress else {
      terminal.complain("\(title): \(done) of \(total) \(unit)")
      return
    }
    let numbers = " \(done)/\(total) \(unit)"
    let room = max(terminal.width - title.count - numbers.count - 4, 5)
    let full = total == 0 ? room : min(room, room * done / total)
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: room - full)
    terminal.showStatus("\(title) \(bar)\(numbers)")
  }
}
