import TenureSystem

/// What is, below what happened: lines go by above a block that is drawn again when something changes.
///
/// Where no terminal watches there is no block, and the lines are the log. Any thread may call.
final class LiveView: Sendable {
  private let terminal: Terminal
  private let title: String
  private let isQuiet: Bool
  private let state = Lock(State())

  private struct State {
    var counts = ""
    var members: [String: String] = [:]
    var notes: [String] = []
    var drawn = 0
    var ended = false
  }

  init(terminal: Terminal, clock: any SystemClock, title: String, isQuiet: Bool) {
    self.terminal = terminal
    self.title = title.printable()
    self.isQuiet = isQuiet
  }

  /// A line that stays, as it is.
  func log(_ line: String) {
    if isQuiet {
      terminal.complain(line)
    } else {
      draw(above: line + "\n") { _ in }
    }
  }

  /// How many there are of what.
  func show(counts: String) {
    draw { $0.counts = counts.printable() }
  }

  /// What a process is doing; `nil` when it has gone.
  func show(member: String, _ text: String?) {
    draw { $0.members[member] = text?.printable() }
  }

  /// Drafts and conflicts, a line each.
  func show(notes: [String]) {
    draw { $0.notes = notes.map { $0.printable() } }
  }

  /// Takes the block away.
  func end() {
    draw { $0.ended = true }
  }

  private func draw(above line: String = "", _ change: (inout State) -> Void) {
    let isDrawn = terminal.isInteractive && terminal.movesCursor && !isQuiet
    // Written under the lock, so that two draws never mix; nothing is called back from there.
    state.withLock { state in
      change(&state)
      guard isDrawn else {
        if !line.isEmpty { terminal.write(line) }
        return
      }
      var text = state.drawn > 0 ? "\u{1B}[\(state.drawn)A\r\u{1B}[J" : ""
      text += line
      let block = state.ended ? [] : self.block(state)
      for row in block { text += row + "\n" }
      state.drawn = block.count
      terminal.write(text)
    }
  }

  private func block(_ state: State) -> [String] {
    let width = max(terminal.width - 1, 20)
    let head = "── \(title) "
    var rows = [head + String(repeating: "─", count: max(0, min(width, 78) - head.count)), state.counts]
    rows += state.members.sorted { $0.key < $1.key }.map { "\($0.key.padded(to: 8)) \($0.value)" }
    let shown = state.notes.prefix(6)
    rows += shown
    if state.notes.count > shown.count { rows.append("… and \(state.notes.count - shown.count) more") }
    rows.append("`tenure scene \(title)` edits here. Ctrl-C ends.")
    return rows.map { String($0.prefix(width)) }
  }
}
