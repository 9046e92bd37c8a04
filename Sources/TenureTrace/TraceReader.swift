import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One event read from a file.
public struct TraceEntry: Sendable {
  /// Where it stands.
  public var place: TracePlace
  /// The machine's boot, as `process.started` named it; empty when that line is lost.
  public var boot: String
  /// What happened.
  public var record: TraceRecord

  /// An entry by its parts.
  public init(place: TracePlace, boot: String, record: TraceRecord) {
    self.place = place
    self.boot = boot
    self.record = record
  }
}

/// What a reader finds next.
public enum TraceItem: Sendable {
  case entry(TraceEntry)
  case problem(TraceProblem)
}

/// Reads one trace, line by line, in flat memory: at most two longest lines.
///
/// Malformed lines are answered as problems, and reading goes on after them. A last line without its newline is no
/// event. While somebody records in the file it is being written and no problem; when nobody does, its recorder was
/// stopped in the middle of it: such a line, and no other, is torn, which is a problem too. Lines of unknown
/// kinds are counted and passed over. For one thread.
public struct TraceReader {
  /// The file's path.
  public let path: String
  /// How many lines there were of each kind this version does not know; the 100 kinds met first.
  public private(set) var unknownKinds: [String: Int] = [:]
  /// Bytes after the last newline; known when the end was reached.
  public private(set) var unterminated: Int64 = 0

  /// Bytes of the memory it reads through.
  package var bufferSize: Int { buffer.count }

  private let file: OpenFile
  private let system: System
  private var decoder: TraceDecoder
  private var boot = ""
  private var line = 0
  /// What was read and not yet used is `buffer[start..<end]`; its first is byte `offset` of the file.
  private var buffer: [UInt8]
  private var start = 0
  private var end = 0
  private var offset: Int64 = 0
  /// Bytes from `start` that are known to hold no newline.
  private var searched = 0
  private var reachedEnd = false
  private var recorder = Recorder.unknown

  /// Whether somebody records in the file; asked at its end, when the last line has no newline.
  private enum Recorder { case unknown, alive, gone }

  /// Opens a trace.
  public init(path: String, system: System = .live, registry: TraceRegistry = .standard)
    throws(SystemError)
  {
    self.path = path
    self.system = system
    file = try system.open(path, .read)
    if try file.status().kind == .directory { throw SystemError(.read, .isDirectory, path: path) }
    decoder = TraceDecoder(registry)
    buffer = [UInt8](repeating: 0, count: 64 << 10)
  }

  /// The next event or problem; `nil` at the end.
  public mutating func next() -> TraceItem? {
    while true {
      let place = TracePlace(file: path, line: line + 1, offset: offset)
      let found: Line?
      do {
        found = try nextLine()
      } catch {
        reachedEnd = true
        start = end
        return .problem(TraceProblem(place: place, reason: .unreadable(error)))
      }
      switch found {
      case nil: return nil
      case .torn(let bytes):
        line += 1
        return .problem(TraceProblem(place: place, reason: .torn(bytes: bytes)))
      case .tooLong(let bytes):
        line += 1
        return .problem(TraceProblem(place: place, reason: .tooLong(bytes: bytes)))
      case .whole(let range):
        line += 1
        start = range.upperBound + 1
        offset += Int64(range.count) + 1
        searched = 0
        let outcome = buffer.withUnsafeBufferPointer {
          decoder.decode(UnsafeBufferPointer(rebasing: $0[range]))
        }
        if let item = item(outcome, at: place) { return item }
      }
    }
  }

  private mutating func item(_ outcome: TraceDecoder.Outcome, at place: TracePlace) -> TraceItem? {
    switch outcome {
    case .empty: return nil
    case .problem(let reason): return .problem(TraceProblem(place: place, reason: reason))
    case .unknown(let kind):
      if unknownKinds[kind] != nil || unknownKinds.count < 100 { unknownKinds[kind, default: 0] += 1 }
      return nil
    case .record(let record):
      if let started = record.event as? ProcessStarted {
        boot = started.boot
        if started.format > TraceFormat.version {
          let reason = TraceProblem.Reason.newerFormat(found: started.format, known: TraceFormat.version)
          return .problem(TraceProblem(place: place, reason: reason))
        }
      }
      return .entry(TraceEntry(place: place, boot: boot, record: record))
    }
  }

  private enum Line {
    /// Its place in the buffer, without the newline.
    case whole(Range<Int>)
    /// Passed over.
    case tooLong(Int64)
    /// The last, without its newline, and nobody will write the rest.
    case torn(Int64)
  }

  private mutating func nextLine() throws(SystemError) -> Line? {
    while true {
      if let newline = newline(after: start + searched) {
        let length = newline - start
        return length < TraceFormat.longestLine ? .whole(start..<newline) : try passOver()
      }
      searched = end - start
      if reachedEnd {
        if try mayHaveGrown(after: searched) { continue }
        return ended(after: Int64(searched))
      }
      if searched >= TraceFormat.longestLine { return try passOver() }
      try fill()
    }
  }

  /// Passes over a line, however long, in the memory there is.
  private mutating func passOver() throws(SystemError) -> Line? {
    var length: Int64 = 0
    searched = 0
    while true {
      if let newline = newline(after: start) {
        let rest = newline - start
        start = newline + 1
        offset += Int64(rest) + 1
        return .tooLong(length + Int64(rest))
      }
      length += Int64(end - start)
      offset += Int64(end - start)
      start = end
      if reachedEnd {
        if try mayHaveGrown(after: Int(length)) { continue }
        return ended(after: length)
      }
      try fill()
    }
  }

  /// The end, `length` bytes after the last newline.
  private mutating func ended(after length: Int64) -> Line? {
    if length == 0 { return nil }
    unterminated = length
    offset += Int64(end - start)
    start = end
    searched = 0
    return recorder == .gone ? .torn(length) : nil
  }

  /// At the end of a file whose last line has no newline: looks once whether somebody records in it, and reads
  /// what a recorder wrote before it went.
  private mutating func mayHaveGrown(after length: Int) throws(SystemError) -> Bool {
    if length == 0 || recorder != .unknown { return false }
    recorder = isRecorded ? .alive : .gone
    if recorder == .alive { return false }
    try fill()
    return true
  }

  /// Whether somebody holds the lock of those who record in the file. Where that cannot be asked, as in a copy
  /// that may not be written, nobody records either.
  private var isRecorded: Bool {
    guard let file = try? system.open(path, .write) else { return false }
    // The lock goes with its descriptor, at once.
    return (try? file.tryLock()) == false
  }

  private func newline(after position: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard position < end, let base = bytes.baseAddress,
        let found = memchr(base + position, 10, end - position)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  /// Reads more behind what is there.
  private mutating func fill() throws(SystemError) {
    if start > 0 {
      buffer.replaceSubrange(0..<(end - start), with: buffer[start..<end])
      end -= start
      start = 0
    }
    if end == buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
    let (file, from, position) = (file, end, offset + Int64(end))
    let count = buffer.withUnsafeMutableBytes { bytes in
      Result { () throws(SystemError) in
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[from...]), at: position)
      }
    }
    let read = try count.get()
    reachedEnd = read < buffer.count - from
    end += read
  }
}
