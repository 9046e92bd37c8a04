import CSQLite
import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// What SQLite calls: one C function per method. Each asks, then hands the call to the layer below.

/// `sqlite3_file` as this layer has it in SQLite's memory; the file of the layer below follows it.
private struct InterceptedFile {
  var file: sqlite3_file
  var opened: Unmanaged<OpenedFile>?

  /// Where the file of the layer below begins: aligned for anything.
  static let size = (MemoryLayout<InterceptedFile>.size + 15) & ~15
}

private final class OpenedFile: Sendable {
  let layer: InterceptedLayer
  let path: String?
  let sharedMemoryPath: String?

  init(layer: InterceptedLayer, path: String?) {
    self.layer = layer
    self.path = path
    sharedMemoryPath = path.map { $0 + "-shm" }
  }
}

private typealias File = UnsafeMutablePointer<sqlite3_file>
private typealias Layer = UnsafeMutablePointer<sqlite3_vfs>

func interceptedLayerMethods(over under: sqlite3_vfs) -> sqlite3_vfs {
  var vfs = under
  // Beyond version 1 there are the 64-bit clock, forwarded, and system-call overrides, which are the base's own.
  vfs.iVersion = min(under.iVersion, 2)
  vfs.szOsFile = Int32(InterceptedFile.size) + under.szOsFile
  vfs.pNext = nil
  vfs.xOpen = openFile
  vfs.xDelete = deleteFile
  vfs.xAccess = { base($0).pointee.xAccess(base($0), $1, $2, $3) }
  vfs.xFullPathname = { base($0).pointee.xFullPathname(base($0), $1, $2, $3) }
  vfs.xDlOpen = { base($0).pointee.xDlOpen(base($0), $1) }
  vfs.xDlError = { base($0).pointee.xDlError(base($0), $1, $2) }
  vfs.xDlSym = { base($0).pointee.xDlSym(base($0), $1, $2) }
  vfs.xDlClose = { base($0).pointee.xDlClose(base($0), $1) }
  vfs.xRandomness = { base($0).pointee.xRandomness(base($0), $1, $2) }
  vfs.xSleep = { base($0).pointee.xSleep(base($0), $1) }
  vfs.xCurrentTime = { base($0).pointee.xCurrentTime(base($0), $1) }
  vfs.xGetLastError = { base($0).pointee.xGetLastError(base($0), $1, $2) }
  if under.iVersion >= 2, under.xCurrentTimeInt64 != nil {
    vfs.xCurrentTimeInt64 = { base($0).pointee.xCurrentTimeInt64(base($0), $1) }
  }
  return vfs
}

func interceptedFileMethods(version: Int32) -> sqlite3_io_methods {
  var methods = sqlite3_io_methods()
  methods.iVersion = version
  methods.xClose = closeFile
  methods.xRead = readFile
  methods.xWrite = writeFile
  methods.xTruncate = truncateFile
  methods.xSync = syncFile
  methods.xFileSize = { below($0).methods.xFileSize(below($0).file, $1) }
  methods.xLock = lockFile
  methods.xUnlock = { below($0).methods.xUnlock(below($0).file, $1) }
  methods.xCheckReservedLock = { below($0).methods.xCheckReservedLock(below($0).file, $1) }
  methods.xFileControl = { below($0).methods.xFileControl(below($0).file, $1, $2) }
  methods.xSectorSize = { below($0).methods.xSectorSize?(below($0).file) ?? 4096 }
  methods.xDeviceCharacteristics = { below($0).methods.xDeviceCharacteristics?(below($0).file) ?? 0 }
  if version >= 2 {
    methods.xShmMap = mapShared
    methods.xShmLock = lockShared
    methods.xShmBarrier = { below($0).methods.xShmBarrier(below($0).file) }
    methods.xShmUnmap = { below($0).methods.xShmUnmap(below($0).file, $1) }
  }
  if version >= 3 {
    methods.xFetch = { below($0).methods.xFetch(below($0).file, $1, $2, $3) }
    methods.xUnfetch = { below($0).methods.xUnfetch(below($0).file, $1, $2) }
  }
  return methods
}

// MARK: - The layer

private func layer(_ vfs: Layer?) -> InterceptedLayer {
  Unmanaged<InterceptedLayer>.fromOpaque(vfs!.pointee.pAppData).takeUnretainedValue()
}

private func base(_ vfs: Layer?) -> Layer { layer(vfs).under }

private func openFile(
  _ vfs: Layer?, _ name: UnsafePointer<CChar>?, _ file: File?, _ flags: Int32,
  _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let file else { return SQLITE_MISUSE }
  // A file without methods is one that SQLite does not close.
  file.pointee.pMethods = nil
  let layer = layer(vfs)
  let path = name.map { String(cString: $0) }
  return asking(layer, .databaseOpen, path, failure: { _ in SQLITE_CANTOPEN }) { _ in
    let own = below(file).file
    own.pointee.pMethods = nil
    let code = layer.under.pointee.xOpen(layer.under, name, own, flags, outFlags)
    guard let methods = own.pointee.pMethods else { return code }
    let opened = Unmanaged.passRetained(OpenedFile(layer: layer, path: path))
    UnsafeMutableRawPointer(file).initializeMemory(
      as: InterceptedFile.self,
      to: InterceptedFile(
        file: sqlite3_file(pMethods: layer.methods(for: methods.pointee)), opened: opened))
    return code
  } undo: {
    if file.pointee.pMethods != nil { _ = closeFile(file) }
  }
}

private func deleteFile(_ vfs: Layer?, _ name: UnsafePointer<CChar>?, _ syncDirectory: Int32) -> Int32 {
  let layer = layer(vfs)
  return asking(
    layer, .databaseDelete, name.map { String(cString: $0) },
    failure: { $0 == .noEntry ? resultCode(SQLITE_IOERR, 23) : resultCode(SQLITE_IOERR, 10) }
  ) { _ in
    layer.under.pointee.xDelete(layer.under, name, syncDirectory)
  }
}

// MARK: - Files

/// The file of the layer below, behind ours, and its methods.
private func below(_ file: File?) -> (file: File, methods: sqlite3_io_methods) {
  let own = (UnsafeMutableRawPointer(file!) + InterceptedFile.size).assumingMemoryBound(to: sqlite3_file.self)
  return (own, own.pointee.pMethods?.pointee ?? sqlite3_io_methods())
}

private func opened(_ file: File?) -> OpenedFile {
  UnsafeMutableRawPointer(file!).assumingMemoryBound(to: InterceptedFile.self).pointee.opened!
    .takeUnretainedValue()
}

private func closeFile(_ file: File?) -> Int32 {
  let code = below(file).methods.xClose(below(file).file)
  let own = UnsafeMutableRawPointer(file!).assumingMemoryBound(to: InterceptedFile.self)
  let opened = own.pointee.opened
  own.pointee.opened = nil
  own.pointee.file.pMethods = nil
  opened?.release()
  return code
}

private func readFile(
  _ file: File?, _ buffer: UnsafeMutableRawPointer?, _ count: Int32, _ offset: sqlite3_int64
) -> Int32 {
  asking(
    opened(file), .databaseRead, bytes: count, failure: { _ in resultCode(SQLITE_IOERR, 1) }
  ) { allowed in
    if allowed == count { return below(file).methods.xRead(below(file).file, buffer, count, offset) }
    if allowed > 0 {
      let code = below(file).methods.xRead(below(file).file, buffer, allowed, offset)
      if code != SQLITE_OK && code != resultCode(SQLITE_IOERR, 2) { return code }
    }
    // SQLite requires that what a short read did not bring is zero.
    memset(buffer! + Int(allowed), 0, Int(count - allowed))
    return resultCode(SQLITE_IOERR, 2)
  }
}

private func writeFile(
  _ file: File?, _ buffer: UnsafeRawPointer?, _ count: Int32, _ offset: sqlite3_int64
) -> Int32 {
  asking(
    opened(file), .databaseWrite, bytes: count,
    failure: { $0.isFull ? SQLITE_FULL : resultCode(SQLITE_IOERR, 3) }
  ) { allowed in
    if allowed == count { return below(file).methods.xWrite(below(file).file, buffer, count, offset) }
    if allowed > 0 {
      let code = below(file).methods.xWrite(below(file).file, buffer, allowed, offset)
      if code != SQLITE_OK { return code }
    }
    // As SQLite's own layer says of a write that ended early without an error.
    return SQLITE_FULL
  }
}

private func truncateFile(_ file: File?, _ size: sqlite3_int64) -> Int32 {
  asking(opened(file), .databaseTruncate, failure: { _ in resultCode(SQLITE_IOERR, 6) }) { _ in
    below(file).methods.xTruncate(below(file).file, size)
  }
}

private func syncFile(_ file: File?, _ flags: Int32) -> Int32 {
  asking(opened(file), .databaseSync, failure: { _ in resultCode(SQLITE_IOERR, 4) }) { _ in
    below(file).methods.xSync(below(file).file, flags)
  }
}

private func lockFile(_ file: File?, _ level: Int32) -> Int32 {
  asking(
    opened(file), .databaseLock, failure: { $0.isContention ? SQLITE_BUSY : resultCode(SQLITE_IOERR, 15) }
  ) { _ in
    below(file).methods.xLock(below(file).file, level)
  } undo: {
    // An exclusive lock stays: SQLite then holds more than it believes, and gives all of it back in the end.
    if level == SQLITE_LOCK_SHARED { _ = below(file).methods.xUnlock(below(file).file, SQLITE_LOCK_NONE) }
    if level == SQLITE_LOCK_RESERVED { _ = below(file).methods.xUnlock(below(file).file, SQLITE_LOCK_SHARED) }
  }
}

// MARK: - Shared memory

private func mapShared(
  _ file: File?, _ region: Int32, _ size: Int32, _ extend: Int32,
  _ address: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
  let opened = opened(file)
  return asking(
    opened.layer, .databaseSharedMap, opened.sharedMemoryPath,
    failure: { resultCode(SQLITE_IOERR, $0.isFull ? 19 : 21) }
  ) { _ in
    below(file).methods.xShmMap(below(file).file, region, size, extend, address)
  } undo: {
    address?.pointee = nil
  }
}

private func lockShared(_ file: File?, _ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
  if flags & SQLITE_SHM_LOCK == 0 {
    return below(file).methods.xShmLock(below(file).file, offset, count, flags)
  }
  let opened = opened(file)
  return asking(
    opened.layer, .databaseSharedLock, opened.sharedMemoryPath,
    failure: { $0.isContention ? SQLITE_BUSY : resultCode(SQLITE_IOERR, 20) }
  ) { _ in
    below(file).methods.xShmLock(below(file).file, offset, count, flags)
  } undo: {
    let unlock = (flags & ~SQLITE_SHM_LOCK) | SQLITE_SHM_UNLOCK
    _ = below(file).methods.xShmLock(below(file).file, offset, count, unlock)
  }
}

// MARK: - Asking

private func asking(
  _ opened: OpenedFile, _ call: SystemCall, bytes: Int32 = 0, failure: (Errno) -> Int32,
  _ make: (_ allowed: Int32) -> Int32, undo: () -> Void = {}
) -> Int32 {
  asking(opened.layer, call, opened.path, bytes: bytes, failure: failure, make, undo: undo)
}

/// Asks, then makes the call, or part of it, or fails it. `undo` takes back what a call made, when it is
/// made and then said to have failed and SQLite would not know that it holds something.
private func asking(
  _ layer: InterceptedLayer, _ call: SystemCall, _ path: String?, bytes: Int32 = 0,
  failure: (Errno) -> Int32, _ make: (_ allowed: Int32) -> Int32, undo: () -> Void = {}
) -> Int32 {
  switch layer.calls.decision(on: call, path: path, bytes: Int(bytes)) {
  case .proceed: return make(bytes)
  case .short(let limit): return make(Int32(max(0, min(Int(bytes), limit))))
  case .fail(let code):
    errno = code.rawValue
    return failure(code)
  case .failAfter(let code):
    let made = make(bytes)
    if made != SQLITE_OK { return made }
    undo()
    errno = code.rawValue
    return failure(code)
  }
}

/// An extended result code, which sqlite3.h defines by macros that do not reach Swift.
private func resultCode(_ primary: Int32, _ number: Int32) -> Int32 { primary | (number << 8) }

extension Errno {
  fileprivate var isFull: Bool { self == .noSpace || self == .quotaExceeded }
  fileprivate var isContention: Bool { self == .wouldBlock || self == .accessDenied || self == .interrupted }
}
