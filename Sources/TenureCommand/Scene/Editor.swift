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
  let activity: SceneActivity

  /// Opens $VISUAL, $EDITOR or vi; what was saved in it is given to `keep`. Answers whether there was something.
  ///
  /// The copy is named like the document, so that the editor knows its kind, and is gone afterwards, unless it holds
  /// a text that could not be kept: then the error says where it is. An editor that a signal ended has not said that
  /// its text is not wanted.
  func edit(
    _ text: Data, named name: String, keep: (Data) async throws -> Void
  ) async throws -> Bool {
    // What another user prepared is never used.
    let directory = try system.makePrivateDirectory(in: TransientFolder.place, prefix: "tenure-edit-")
    let path = directory.appendingPath(name.isEmpty ? "note.txt" : name)
    let after: Data
    do {
      try write(text, to: path)
      let command = environment("VISUAL") ?? environment("EDITOR") ?? "vi"
      // As system(3) has it: the editor has them to itself, with what it does by default.
      for signal in [EndSignal.interrupt, .quit] { signal.ignore(true) }
      defer { for signal in [EndSignal.interrupt, .quit] { signal.ignore(false) } }
      // The variable may hold arguments, so a shell reads it, as git and others have it.
      let child = try ChildProcess.start(
        "/bin/sh", arguments: ["-c", "\(command) \"$1\"", "sh", path], input: .inherited, system: system)
      activity.editing(in: child)
      let ending = await child.ending()
      activity.edited()
      guard ending == .exited(0) || ending.isBySignal || activity.isEnding else {
        throw CommandFailure("The editor (\(command)) ended with \(ending); the text stays as it was.")
      }
      after = Data(try system.contents(of: path, limit: 1 << 30))
    } catch {
      remove(directory)
      throw error
    }
    if after == text {
      remove(directory)
      return false
    }
    do { try await keep(after) } catch {
      throw CommandFailure("\(error)\nWhat was saved in the editor is in \(path).")
    }
    remove(directory)
    return true
  }

  /// With what the editor left beside the text: backups, undo files.
  private func remove(_ directory: String) {
    try? system.removeContents(of: directory)
    try? system.removeDirectory(directory)
  }

  private func write(_ text: Data, to path: String) throws {
    let file = try system.open(path, [.write, .create, .exclusive])
    try text.withUnsafeBytes { bytes in
      try Result { () throws(SystemError) in try file.writeAll(bytes) }.get()
    }
  }
}

extension ChildProcess.Ending {
  /// Whether a signal ended it, or what a shell ran for us.
  fileprivate var isBySignal: Bool {
    switch self {
    case .exited(let code): code > 128
    case .killed: true
    }
  }
}
