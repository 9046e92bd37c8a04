import TenureSystem

/// What a scene is doing, and hence what a signal means to it.
///
/// ```
///                  SIGINT            SIGQUIT    SIGTERM, SIGHUP
/// typing           starts over       ends       ends
/// in the editor    nothing           nothing    ends, and the editor with it
/// at work, a pipe  ends              ends       ends
/// ```
final class SceneActivity: Sendable {
  /// What a signal is to do.
  enum Meaning: Sendable, Hashable {
    case end
    case startOver
    case nothing
  }

  private struct State {
    var isTyping = false
    var editor: ChildProcess?
    var ending: EndSignal?
  }

  private let state = Lock(State())

  /// What a signal means now.
  func meaning(of signal: EndSignal) -> Meaning {
    state.withLock { state in
      if state.ending != nil { return .end }
      switch signal {
      case .interrupt: return state.editor != nil ? .nothing : state.isTyping ? .startOver : .end
      case .quit: return state.editor != nil ? .nothing : .end
      case .terminate, .hangUp: return .end
      }
    }
  }

  /// Whether the scene is to end.
  var isEnding: Bool { state.withLock { $0.ending != nil } }

  /// A person is typing at the prompt, or not any more.
  func typing(_ isTyping: Bool) { state.withLock { $0.isTyping = isTyping } }

  /// A person is in an editor; one that was started while the scene began to end is ended at once.
  func editing(in child: ChildProcess) {
    let ending = state.withLock { state in
      state.editor = child
      return state.ending
    }
    if let ending { child.signal(ending.rawValue) }
  }

  /// The editor has ended.
  func edited() { state.withLock { $0.editor = nil } }

  /// The scene ends: so does the editor, which is given the chance to put its things in order.
  func end(_ signal: EndSignal) {
    let editor = state.withLock { state in
      state.ending = signal
      return state.editor
    }
    editor?.signal(signal.rawValue)
  }

  /// Ends an editor that has not ended.
  func endNow() { state.withLock { $0.editor }?.killNow() }
}
