import Tenure
import TenureSystem

@testable import TenureCommand

/// The `tenure` that was built beside the tests, as a process.
struct BuiltTenure {
  let path: String

  init() throws {
    // Beside the test bundle, or beside what the bundle lies in.
    var directory = ownExecutable(calledAs: CommandLine.arguments[0]).parentPath
    while try System.live.status(directory.appendingPath("tenure"))?.kind != .file {
      let above = directory.parentPath
      if above == directory { throw Missing() }
      directory = above
    }
    path = directory.appendingPath("tenure")
  }

  struct Missing: Error {}

  func start(_ words: String..., input: ChildProcess.Stream = .nothing) throws -> ChildProcess {
    try ChildProcess.start(path, arguments: words, input: input, output: .pipe, errors: .pipe, ownGroup: true)
  }

  /// Runs to its end.
  func run(_ words: String..., input: [String]? = nil) async throws -> (
    output: String, errors: String, ending: ChildProcess.Ending
  ) {
    let child = try ChildProcess.start(
      path, arguments: words, input: input == nil ? .nothing : .pipe, output: .pipe, errors: .pipe,
      ownGroup: true)
    async let output = child.outputLines.wholeText()
    async let errors = child.errorLines.wholeText()
    for line in input ?? [] { try child.write(line: line) }
    child.closeInput()
    return (try await output, try await errors, await child.ending())
  }
}

extension Optional where Wrapped == LineReader {
  /// Everything until the end, read on a thread of its own.
  func wholeText() async throws -> String {
    guard let reader = self else { return "" }
    return try await SystemThread.run(name: "test.reader") {
      var text = ""
      while let line = try reader.next() { text += line + "\n" }
      return text + String(decoding: reader.tail, as: UTF8.self)
    }
  }

  /// Lines until one of them holds `word`; that line, or `nil` at the end.
  func line(with word: String) async throws -> String? {
    guard let reader = self else { return nil }
    return try await SystemThread.run(name: "test.reader") {
      while let line = try reader.next() { if line.contains(word) { return line } }
      return nil
    }
  }
}

/// Waits until something that only a look can tell has come about: what other processes do to files. Looks often, and
/// for no fixed time.
func until(_ isThere: () throws -> Bool) async throws {
  while try !isThere() { try await System.live.clock.sleep(for: .milliseconds(2)) }
}

/// A folder of files that is gone afterwards.
struct TemporaryNotes {
  let path = "/tmp/tenure-run-\(ChangeID())"

  static func with<Result>(_ body: (TemporaryNotes) async throws -> Result) async throws -> Result {
    let notes = TemporaryNotes()
    try System.live.makeDirectories(notes.path)
    do {
      let result = try await body(notes)
      try notes.remove(notes.path)
      return result
    } catch {
      try? notes.remove(notes.path)
      throw error
    }
  }

  func write(_ text: String, to name: String) throws {
    let file = path.appendingPath(name)
    try System.live.makeDirectories(file.parentPath)
    let opened = try System.live.open(file, [.write, .create, .truncate])
    try Array(text.utf8).withUnsafeBytes { bytes in
      try Result { () throws(SystemError) in try opened.writeAll(bytes) }.get()
    }
  }

  private func remove(_ path: String) throws {
    for name in try System.live.list(path) {
      let inner = path.appendingPath(name)
      do { try System.live.remove(inner) } catch { try remove(inner) }
    }
    try System.live.removeDirectory(path)
  }
}
