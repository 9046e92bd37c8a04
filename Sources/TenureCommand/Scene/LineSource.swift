import CEdit
import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where a prompt's lines come from: a person at a terminal, with editing and a history, or a pipe.
///
/// Reading blocks; each read has a thread to itself.
final class LineSource: Sendable {
  /// Whether a person types.
  let isInteractive: Bool
  private let pipe: LineReader?
  private let lastPart = Lock(false)

  init(_ system: System) {
    isInteractive = isatty(0) == 1 && isatty(1) == 1
    pipe =
      isInteractive ? nil : LineReader(OpenFile(descriptor: 0, path: "standard input", calls: system.calls))
  }

  /// The next line, or `nil` at the end.
  func next(prompt: String) async throws -> String? {
    try await withCheckedThrowingContinuation { continuation in
      do {
        try SystemThread.start(name: "prompt") {
          continuation.resume(with: Result { try self.read(prompt) })
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func read(_ prompt: String) throws -> String? {
    guard let pipe else { return readEdited(prompt) }
    if let line = try pipe.next() { return line }
    // The last line of a script need not end in a newline.
    let isFirst = lastPart.withLock { done in
      defer { done = true }
      return !done
    }
    let tail = pipe.tail
    return isFirst && !tail.isEmpty ? String(decoding: tail, as: UTF8.self) : nil
  }

  private func readEdited(_ prompt: String) -> String? {
    guard let line = readline(prompt) else { return nil }
    defer { free(line) }
    let text = String(cString: line)
    if !text.allSatisfy(\.isWhitespace) { add_history(line) }
    return text
  }
}
