import Tenure
import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A person's own editor, on a private copy of a text.
struct Editor: Sendable {
  let system: System

  /// Opens $VISUAL, $EDITOR or vi; the new text, or `nil` when nothing was changed. The copy is named like the
  /// document, so that the editor knows its kind, and is gone afterwards.
  func edit(_ text: Data, named name: String) async throws -> Data? {
    let directory = (environment("TMPDIR") ?? "/tmp").appendingPath("tenure-\(getpid())")
    try system.makeDirectories(directory)
    defer { try? system.removeDirectory(directory) }
    let path = directory.appendingPath(name.isEmpty ? "note.txt" : name)
    try write(text, to: path)
    defer { _ = try? system.remove(path) }

    let command = environment("VISUAL") ?? environment("EDITOR") ?? "vi"
    // The variable may hold arguments, so a shell reads it, as git and others have it.
    let child = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", "\(command) \"$1\"", "sh", path], input: .inherited, system: system)
    let ending = await child.ending()
    guard ending == .exited(0) else {
      throw CommandFailure("The editor (\(command)) ended with \(ending); the text stays as it was.")
    }
    let bytes = Data(try system.contents(of: path, limit: 1 << 30))
    return bytes == text ? nil : bytes
  }

  private func write(_ text: Data, to path: String) throws {
    let file = try system.open(path, [.write, .create, .truncate])
    try text.withUnsafeBytes { bytes in
      try Result { () throws(SystemError) in try file.writeAll(bytes) }.get()
    }
  }
}
