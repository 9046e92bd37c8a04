/// System calls that are looked at, and may fail, be cut short or be delayed, before they are made.
///
/// ```swift
/// let calls = InterceptedCalls(PlatformCalls()) { site in
///   site.call == .fsync && site.number == 3 ? .fail(.noSpace) : .proceed
/// }
/// ```
/// The closure runs on the calling thread, under no lock, and may block (a delay) or end the process (a kill).
public final class InterceptedCalls: SystemCalls {
  /// One call that is about to be made.
  public struct Site: Sendable {
    /// Which call.
    public let call: SystemCall
    /// The file, also for calls by descriptor.
    public let path: String?
    /// The how-many-th call of this kind through this value, from 1.
    public let number: Int
    /// Bytes to be written or read; 0 for other calls.
    public let bytes: Int

    /// A site by its parts, for layers that make calls of their own (SQLite's).
    public init(call: SystemCall, path: String?, number: Int, bytes: Int) {
      self.call = call
      self.path = path
      self.number = number
      self.bytes = bytes
    }
  }

  /// What becomes of the call.
  public enum Effect: Sendable, Hashable {
    /// It is made.
    case proceed
    /// It is not made, and fails.
    case fail(Errno)
    /// A read or write of at most so many bytes is made.
    case short(Int)
    /// It is made, and then fails all the same.
    case failAfter(Errno)
  }

  private let base: any SystemCalls
  private let decide: @Sendable (Site) -> Effect
  private let state = Lock(State())

  private struct State {
    var counts: [SystemCall: Int] = [:]
    var paths: [Int32: String] = [:]
  }

  /// Looks at every call made through `base`.
  public init(_ base: any SystemCalls, decide: @escaping @Sendable (Site) -> Effect) {
    self.base = base
    self.decide = decide
  }

  /// How many calls of each kind were asked for so far.
  public var counts: [SystemCall: Int] { state.withLock { $0.counts } }

  /// Counts and asks; for SQLite's file layer, which makes its calls elsewhere.
  public func decision(on call: SystemCall, path: String?, bytes: Int = 0) -> Effect {
    let number = state.withLock { state in
      state.counts[call, default: 0] += 1
      return state.counts[call]!
    }
    return decide(Site(call: call, path: path, number: number, bytes: bytes))
  }

  private func path(of descriptor: Int32) -> String? { state.withLock { $0.paths[descriptor] } }

  private func intercept<Result>(
    _ call: SystemCall, _ path: String?, bytes: Int = 0, _ body: (Int) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    switch decision(on: call, path: path, bytes: bytes) {
    case .proceed: return try body(bytes)
    case .fail(let code): throw code
    case .short(let limit): return try body(min(bytes, limit))
    case .failAfter(let code):
      _ = try body(bytes)
      throw code
    }
  }

  public func open(_ path: String, _ mode: OpenMode, permissions: UInt32) throws(Errno) -> Int32 {
    try intercept(.open, path) { _ throws(Errno) in
      let descriptor = try base.open(path, mode, permissions: permissions)
      state.withLock { $0.paths[descriptor] = path }
      return descriptor
    }
  }

  public func close(_ descriptor: Int32) throws(Errno) {
    let path = state.withLock { $0.paths.removeValue(forKey: descriptor) }
    // A close that "fails" has closed all the same, so the real one is always made.
    let effect = decision(on: .close, path: path)
    try base.close(descriptor)
    if case .fail(let code) = effect { throw code }
    if case .failAfter(let code) = effect { throw code }
  }

  public func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try intercept(.read, path(of: descriptor), bytes: buffer.count) { count throws(Errno) in
      try base.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  public func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try intercept(.pread, path(of: descriptor), bytes: buffer.count) { count throws(Errno) in
      try base.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
    }
  }

  public func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try intercept(.write, path(of: descriptor), bytes: bytes.count) { count throws(Errno) in
      try base.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
  }

  public func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try intercept(.pwrite, path(of: descriptor), bytes: bytes.count) { count throws(Errno) in
      try base.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
    }
  }

  public func sync(_ descriptor: Int32) throws(Errno) {
    try intercept(.fsync, path(of: descriptor)) { _ throws(Errno) in try base.sync(descriptor) }
  }

  public func syncData(_ descriptor: Int32) throws(Errno) {
    try intercept(.fdatasync, path(of: descriptor)) { _ throws(Errno) in try base.syncData(descriptor) }
  }

  public func truncate(_ descriptor: Int32, to length: Int64) throws(Errno) {
    try intercept(.ftruncate, path(of: descriptor)) { _ throws(Errno) in
      try base.truncate(descriptor, to: length)
    }
  }

  public func allocate(_ descriptor: Int32, length: Int64) throws(Errno) {
    try intercept(.fallocate, path(of: descriptor)) { _ throws(Errno) in
      try base.allocate(descriptor, length: length)
    }
  }

  public func rename(_ from: String, to: String) throws(Errno) {
    try intercept(.rename, from) { _ throws(Errno) in try base.rename(from, to: to) }
  }

  public func link(_ from: String, to: String) throws(Errno) {
    try intercept(.link, to) { _ throws(Errno) in try base.link(from, to: to) }
  }

  public func unlink(_ path: String) throws(Errno) {
    try intercept(.unlink, path) { _ throws(Errno) in try base.unlink(path) }
  }

  public func makeDirectory(_ path: String, permissions: UInt32) throws(Errno) {
    try intercept(.mkdir, path) { _ throws(Errno) in try base.makeDirectory(path, permissions: permissions) }
  }

  public func removeDirectory(_ path: String) throws(Errno) {
    try intercept(.rmdir, path) { _ throws(Errno) in try base.removeDirectory(path) }
  }

  public func list(_ path: String) throws(Errno) -> [String] {
    try intercept(.readdir, path) { _ throws(Errno) in try base.list(path) }
  }

  public func status(_ path: String) throws(Errno) -> FileStatus? {
    try intercept(.stat, path) { _ throws(Errno) in try base.status(path) }
  }

  public func status(of descriptor: Int32) throws(Errno) -> FileStatus {
    try intercept(.stat, path(of: descriptor)) { _ throws(Errno) in try base.status(of: descriptor) }
  }

  public func checkWritable(_ path: String) throws(Errno) {
    try intercept(.access, path) { _ throws(Errno) in try base.checkWritable(path) }
  }

  public func changeMode(_ path: String, permissions: UInt32) throws(Errno) {
    try intercept(.chmod, path) { _ throws(Errno) in try base.changeMode(path, permissions: permissions) }
  }

  public func lock(_ descriptor: Int32, exclusive: Bool, wait: Bool) throws(Errno) -> Bool {
    try intercept(.lock, path(of: descriptor)) { _ throws(Errno) in
      try base.lock(descriptor, exclusive: exclusive, wait: wait)
    }
  }

  public func unlock(_ descriptor: Int32) throws(Errno) {
    try intercept(.unlock, path(of: descriptor)) { _ throws(Errno) in try base.unlock(descriptor) }
  }

  public func clone(_ from: Int32, to: Int32) throws(Errno) {
    try intercept(.clone, path(of: to)) { _ throws(Errno) in try base.clone(from, to: to) }
  }

  public func watch(_ files: [WatchedFile]) throws(Errno) -> any FileWatching {
    try intercept(.inotify, files.first?.path) { _ throws(Errno) in try base.watch(files) }
  }
}
