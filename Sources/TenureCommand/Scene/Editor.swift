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
    let directory = try makeDirectory(in: environment("TMPDIR") ?? "/tmp")
    defer { remove(directory) }
    let path = directory.appendingPath(name.isEmpty ? "note.txt" : name)
    try write(text, to: path)

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

  /// A directory that was not there before, for nobody else: what another user prepared is never used.
  func makeDirectory(in parent: String) throws(SystemError) -> String {
    var number = system.clock.monotonic
    while true {
      let path = parent.appendingPath("tenure-edit-\(getpid())-\(number)")
      do {
        try system.calls.makeDirectory(path, permissions: 0o700)
        return path
      } catch {
        if error != .exists { throw SystemError(.mkdir, error, path: path) }
        number &+= 1
      }
    }
  }

  /// With what the editor left beside the text: backups, undo files.
  private func remove(_ directory: String) {
    for name in (try? system.list(directory)) ?? [] {
      let inside = directory.appendingPath(name)
      if (try? system.remove(inside)) == nil { remove(inside) }
    }
    try? system.removeDirectory(directory)
  }

  private func write(_ text: Data, to path: String) throws {
    let file = try system.open(path, [.write, .create, .exclusive])
    try text.withUnsafeBytes { bytes in
      try Result { () throws(SystemError) in try file.writeAll(bytes) }.get()
    }
  }
}
