import TenureSystem

/// Records a process's events in a file of its own, one line each, as they happen (D13).
///
/// ```swift
/// let file = try TraceFile.open(in: container.tracesPath, as: process)
/// let trace = Trace(to: file, as: process)
/// ```
/// Each event is one `write` to the end of the file: a kill loses nothing that was recorded, and tears at most
/// the line being written. Nothing is synced: a power cut may take the last seconds. A full disk or a failing
/// device never harms the app: events are dropped and counted, and a `trace.dropped` line says so later.
///
/// Any thread may record. Other processes record beside it in the same directory, each in files of its own.
public final class TraceFile: TraceSink {
  /// What traces may grow to.
  ///
  /// A directory holds at most `files` files of `fileBytes` and one longest line; where more than `files`
  /// processes record at once, one file for each of them. The oldest file nobody records in goes first.
  public struct Bounds: Hashable, Sendable {
    /// Bytes after which a process goes on in a new file.
    public var fileBytes: Int64
    /// Files in the directory.
    public var files: Int

    /// 128 MiB in all, unless said otherwise.
    public init(fileBytes: Int64 = 4 << 20, files: Int = 32) {
      self.fileBytes = max(4096, fileBytes)
      self.files = max(1, files)
    }
  }

  private struct State {
    var file: OpenFile?
    var size: Int64 = 0
    var segment: Int64 = 0
    /// Whether the file has its `process.started`.
    var started = false
    /// The last write did not end, so a line may be torn: the next begins with a newline.
    var torn = false
    /// Lost and not yet told in the file.
    var untold: Int64 = 0
    var dropped: Int64 = 0
    var reason = ""
    var prefix: TraceFormat.Prefix
  }

  /// The directory.
  public let directory: String
  /// What the traces may grow to.
  public let bounds: Bounds
  private let stem: String
  private let process: ProcessIdentity
  private let system: System
  private let boot: String
  private let state: Lock<State>

  private init(
    directory: String, stem: String, process: ProcessIdentity, system: System, bounds: Bounds
  ) {
    self.directory = directory
    self.stem = stem
    self.process = process
    self.system = system
    self.bounds = bounds
    boot = system.bootIdentity
    state = Lock(State(prefix: TraceFormat.Prefix(process)))
  }

  /// Opens a file for this process in `directory`, which is made when it is missing.
  ///
  /// `name` is for callers who want a file they can find again: what it holds is kept and continued. Otherwise
  /// role, process ID and time make a new name.
  public static func open(
    in directory: String, as process: ProcessIdentity, system: System = .live, bounds: Bounds = Bounds(),
    name: String? = nil
  ) throws(SystemError) -> TraceFile {
    try system.makeDirectories(directory)
    let role = process.role.isEmpty ? "process" : process.role
    let wanted = name ?? "\(role)-\(process.pid)-\(system.clock.wall / 1000)"
    let stem = String(wanted.map { $0 == "/" || $0 == "\0" ? "-" : $0 })
    let file = TraceFile(
      directory: directory, stem: stem, process: process, system: system, bounds: bounds)
    try file.state.withLock { state throws(SystemError) in
      try file.nextSegment(&state)
      // A disk that is full now may have room later: the first event tries again.
      try? file.start(&state)
    }
    return file
  }

  /// The file that is being written.
  public var path: String { state.withLock { path(ofSegment: max(1, $0.segment)) } }

  /// Events that could not be written, in all.
  public var dropped: Int64 { state.withLock { $0.dropped } }

  public func take(_ record: TraceRecord) {
    let known = state.withLock { $0.prefix }
    let prefix = record.process == known.process ? known : TraceFormat.Prefix(record.process)
    let line = TraceFormat.line(record, after: prefix)
    let closed: OpenFile? = state.withLock { state in
      if known.process != prefix.process { state.prefix = prefix }
      return write(line, &state)
    }
    // Closed here, outside the lock.
    _ = consume closed
  }

  /// Writes one line, and first what has to stand before it. Answers the file that was filled, to be let go.
  private func write(_ line: [UInt8], _ state: inout State) -> OpenFile? {
    guard line.count <= TraceFormat.longestLine else {
      lose("a line of \(line.count) bytes is longer than \(TraceFormat.longestLine)", &state)
      return nil
    }
    var filled: OpenFile?
    do {
      if state.file == nil || state.size >= bounds.fileBytes {
        filled = state.file
        try nextSegment(&state)
      }
      try start(&state)
      if state.untold > 0 {
        try append(own(TraceDropped(count: state.untold, reason: state.reason)), &state)
        state.untold = 0
      }
      try append(line, &state)
    } catch {
      lose(error.description, &state)
    }
    return filled
  }

  private func lose(_ reason: String, _ state: inout State) {
    state.untold += 1
    state.dropped += 1
    state.reason = reason
  }

  private func append(_ line: [UInt8], _ state: inout State) throws(SystemError) {
    guard let file = state.file else { return }
    let bytes = state.torn ? [UInt8(ascii: "\n")] + line : line
    // Until the write has come back whole, the line counts as torn.
    state.torn = true
    let written = bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try file.writeAll(buffer) }
    }
    try written.get()
    state.torn = false
    state.size += Int64(bytes.count)
  }

  private func own(_ event: some TraceEvent) -> [UInt8] {
    TraceFormat.line(
      TraceRecord(
        monotonic: system.clock.monotonic, wall: system.clock.wall, process: process, event: event))
  }
}

// MARK: - Files and their bound

extension TraceFile {
  private func path(ofSegment segment: Int64) -> String {
    let name = segment == 1 ? stem : "\(stem).\(segment)"
    return directory.appendingPath(name + TraceFormat.suffix)
  }

  /// Opens the next file. On failure the one before, full as it is, stays open.
  private func nextSegment(_ state: inout State) throws(SystemError) {
    let segment = state.segment + 1
    let path = path(ofSegment: segment)
    let file = try hold(path)
    let size = try file.status().size
    let torn = try size > 0 ? !endsWithNewline(path, size: size) : false
    state.file = file
    state.segment = segment
    state.started = false
    state.size = size
    state.torn = torn
  }

  /// Writes what every file begins with.
  private func start(_ state: inout State) throws(SystemError) {
    if state.started { return }
    let event = ProcessStarted(
      format: TraceFormat.version, boot: boot, appVersion: process.appVersion, segment: state.segment)
    try append(own(event), &state)
    state.started = true
    let removed = makeRoom()
    if !removed.files.isEmpty { try append(own(removed), &state) }
  }

  /// Opens a file and marks it as being recorded in: a shared lock, which ends with the process.
  private func hold(_ path: String) throws(SystemError) -> OpenFile {
    // Again when another process removes the file between the calls, which it does once at most for each name.
    for _ in 0..<100 {
      // Readable too, which a shared lock asks for.
      let file = try system.open(path, [.read, .write, .append, .create])
      // File systems without locks cannot tell who records; there nothing is removed (see `makeRoom`).
      if (try? file.tryLock(exclusive: false)) == false { continue }
      if try system.status(path)?.isSameFile(as: try file.status()) == true { return file }
    }
    throw SystemError(.lock, .wouldBlock, path: path)
  }

  private func endsWithNewline(_ path: String, size: Int64) throws(SystemError) -> Bool {
    let file = try system.open(path, .read)
    var last: [UInt8] = [0]
    let count = last.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in try file.read(into: buffer, at: size - 1) }
    }
    return try count.get() == 1 && last[0] == UInt8(ascii: "\n")
  }

  /// Removes the oldest files nobody records in until the bound is kept. Failing is no reason to stop recording.
  private func makeRoom() -> TraceRemoved {
    var removed = TraceRemoved(files: [], bytes: 0)
    guard let names = try? system.list(directory) else { return removed }
    var files: [(name: String, status: FileStatus)] = []
    for name in names where name.hasSuffix(TraceFormat.suffix) {
      if let status = try? system.status(directory.appendingPath(name)) { files.append((name, status)) }
    }
    files.sort { ($0.status.modified, $0.name) < ($1.status.modified, $1.name) }
    var excess = files.count - bounds.files
    for (name, status) in files where excess > 0 {
      let path = directory.appendingPath(name)
      guard let file = try? system.open(path, .write), (try? file.tryLock()) == true else { continue }
      if (try? system.remove(path)) == true {
        removed.files.append(name)
        removed.bytes += status.size
        excess -= 1
      }
    }
    return removed
  }
}
