/// An open descriptor that is closed when the last reference goes.
///
/// Safe from any thread. Reads and writes are whole: short ones are continued, `EINTR` is tried again.
/// Hold locks on a descriptor of their own, never on one that is also read through.
public final class OpenFile: Sendable {
  /// The system's number for it, valid while this object lives.
  public let descriptor: Int32
  /// The path it was opened by.
  public let path: String
  private let calls: any SystemCalls

  package init(descriptor: Int32, path: String, calls: any SystemCalls) {
    self.descriptor = descriptor
    self.path = path
    self.calls = calls
  }

  /// The process's standard input, for as long as it runs.
  public static let standardInput = OpenFile(
    descriptor: 0, path: "standard input", calls: PlatformCalls())
  /// The process's standard output, for as long as it runs.
  public static let standardOutput = OpenFile(
    descriptor: 1, path: "standard output", calls: PlatformCalls())

  deinit {
    // Nothing is decided by close: whatever had to be durable was synced and checked before.
    try? calls.close(descriptor)
  }

  /// Writes all of `bytes` at the current position (or the end, when opened for appending).
  public func writeAll(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = try retrying(.write, path) { () throws(Errno) in try calls.write(descriptor, rest) }
      // Nothing taken and no reason given: asking again would go on for ever.
      if count == 0 { throw SystemError(.write, .inputOutput, path: path) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Writes all of `bytes` at `offset`.
  public func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
    var rest = bytes
    var position = offset
    while !rest.isEmpty {
      let count = try retrying(.pwrite, path) { () throws(Errno) in
        try calls.write(descriptor, rest, at: position)
      }
      if count == 0 { throw SystemError(.pwrite, .inputOutput, path: path) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      position += Int64(count)
    }
  }

  /// Writes all bytes at the current position.
  public func writeAll(_ bytes: [UInt8]) throws(SystemError) {
    try bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try writeAll(buffer) }
    }.get()
  }

  /// Writes all of an array at `offset`.
  public func writeAll(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
    let written = bytes.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try writeAll(bytes, at: offset) }
    }
    try written.get()
  }

  /// Reads until `buffer` is full or the file ends; the number of bytes read.
  public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let position = offset + Int64(filled)
      let count = try retrying(.pread, path) { () throws(Errno) in
        try calls.read(descriptor, into: rest, at: position)
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Reads at the current position what is there, waiting until there is something; 0 at the end.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try retrying(.read, path) { () throws(Errno) in try calls.read(descriptor, into: buffer) }
  }

  /// Makes content and size durable.
  public func sync() throws(SystemError) {
    try retrying(.fsync, path) { () throws(Errno) in try calls.sync(descriptor) }
  }

  /// Makes content durable, and of the rest what is needed to read it.
  public func syncData() throws(SystemError) {
    try retrying(.fdatasync, path) { () throws(Errno) in try calls.syncData(descriptor) }
  }

  /// Cuts or extends the file.
  public func truncate(to length: Int64) throws(SystemError) {
    try retrying(.ftruncate, path) { () throws(Errno) in try calls.truncate(descriptor, to: length) }
  }

  /// Really allocates blocks for `length` bytes.
  public func allocate(length: Int64) throws(SystemError) {
    try retrying(.fallocate, path) { () throws(Errno) in try calls.allocate(descriptor, length: length) }
  }

  /// Takes the lock of this open file description, waiting for it. Blocks the thread.
  public func lock(exclusive: Bool = true) throws(SystemError) {
    _ = try retrying(.lock, path) { () throws(Errno) in
      try calls.lock(descriptor, exclusive: exclusive, wait: true)
    }
  }

  /// Takes the lock if it is free; `false` when another description holds it.
  public func tryLock(exclusive: Bool = true) throws(SystemError) -> Bool {
    try retrying(.lock, path) { () throws(Errno) in
      try calls.lock(descriptor, exclusive: exclusive, wait: false)
    }
  }

  /// Gives the lock back.
  public func unlock() throws(SystemError) {
    try retrying(.unlock, path) { () throws(Errno) in try calls.unlock(descriptor) }
  }

  /// Size, identity and times.
  public func status() throws(SystemError) -> FileStatus {
    try retrying(.stat, path) { () throws(Errno) in try calls.status(of: descriptor) }
  }

  /// Shares the blocks of `source`; `false` where the file system cannot.
  public func clone(from source: OpenFile) throws(SystemError) -> Bool {
    do {
      try retrying(.clone, path) { () throws(Errno) in try calls.clone(source.descriptor, to: descriptor) }
      return true
    } catch {
      if error.code == .notSupported { return false }
      throw error
    }
  }
}

/// Calls again after `EINTR`, and says which call on which file failed.
@inline(__always)
func retrying<Result>(
  _ call: SystemCall, _ path: String?, _ body: () throws(Errno) -> Result
) throws(SystemError) -> Result {
  while true {
    do {
      return try body()
    } catch {
      if error != .interrupted { throw SystemError(call, error, path: path) }
    }
  }
}
