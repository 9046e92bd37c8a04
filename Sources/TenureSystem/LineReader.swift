/// Reads whole lines from a pipe or file, as they come.
///
/// What stands after the last newline when the other end is gone was torn by its writer's death: it is not a
/// line, and is found in ``tail``. One reader at a time; reading blocks the thread.
public final class LineReader: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var start = 0
    var ended = false
  }

  private let file: OpenFile
  private let state = Lock(State())

  /// Reads `file` from its current position.
  public init(_ file: OpenFile) { self.file = file }

  /// The next line without its newline, or `nil` at the end.
  public func next() throws(SystemError) -> String? {
    while true {
      let found: (line: String?, ended: Bool) = state.withLock { state in
        guard let end = state.bytes[state.start...].firstIndex(of: UInt8(ascii: "\n")) else {
          return (nil, state.ended)
        }
        defer { state.start = end + 1 }
        return (String(decoding: state.bytes[state.start..<end], as: UTF8.self), false)
      }
      if let line = found.line { return line }
      if found.ended { return nil }
      let chunk = try file.readSome(upTo: 1 << 16)
      state.withLock { state in
        state.bytes.removeFirst(state.start)
        state.start = 0
        state.bytes += chunk
        state.ended = chunk.isEmpty
      }
    }
  }

  /// Bytes after the last whole line.
  public var tail: [UInt8] { state.withLock { Array($0.bytes[$0.start...]) } }
}

extension OpenFile {
  /// Reads what is there at the current position, waiting until there is something; empty at the end.
  public func readSome(upTo count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let filled = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in try read(into: buffer) }
    }
    bytes.removeLast(count - (try filled.get()))
    return bytes
  }
}
