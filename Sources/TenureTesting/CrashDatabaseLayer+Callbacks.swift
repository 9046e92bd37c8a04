import CSQLite
import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// What SQLite calls for files on a `CrashFileSystem`: one C function per method.

private struct CrashFile {
  var file: sqlite3_file
  var opened: Unmanaged<CrashDatabaseFile>?
}

private typealias File = UnsafeMutablePointer<sqlite3_file>
private typealias Layer = UnsafeMutablePointer<sqlite3_vfs>

func crashLayerMethods() -> sqlite3_vfs {
  var vfs = sqlite3_vfs()
  vfs.iVersion = 2
  vfs.szOsFile = Int32(MemoryLayout<CrashFile>.size)
  vfs.mxPathname = 1024
  vfs.xOpen = openFile
  vfs.xDelete = deleteFile
  vfs.xAccess = accessFile
  vfs.xFullPathname = { _, name, count, full in
    guard let name, let full else { return SQLITE_CANTOPEN }
    if strlen(name) >= Int(count) { return SQLITE_CANTOPEN }
    strcpy(full, name)
    return SQLITE_OK
  }
  // Time, sleep and random numbers are the machine's.
  vfs.xRandomness = { machine.pointee.xRandomness(machine, $1, $2) }
  vfs.xSleep = { machine.pointee.xSleep(machine, $1) }
  vfs.xCurrentTime = { machine.pointee.xCurrentTime(machine, $1) }
  vfs.xCurrentTimeInt64 = { machine.pointee.xCurrentTimeInt64(machine, $1) }
  vfs.xGetLastError = { _, _, _ in errno }
  return vfs
}

private var machine: Layer { sqlite3_vfs_find(nil) }

func crashFileMethods() -> sqlite3_io_methods {
  var methods = sqlite3_io_methods()
  methods.iVersion = 2
  methods.xClose = closeFile
  methods.xRead = readFile
  methods.xWrite = writeFile
  methods.xTruncate = { file, size in
    answer(IOFailure.truncate) { () throws(Errno) in
      let opened = opened(file)
      try opened.process.step(.databaseTruncate, opened.path) { disk throws(Errno) in
        try disk.truncate(opened.descriptor, to: size)
      }
    }
  }
  methods.xSync = { file, _ in answer(IOFailure.fsync) { () throws(Errno) in try opened(file).sync() } }
  methods.xFileSize = { file, size in
    answer(IOFailure.fstat) { () throws(Errno) in
      let opened = opened(file)
      size?.pointee = try opened.process.step(.stat, opened.path) { disk throws(Errno) in
        disk.volume.files[try disk.description(opened.descriptor).inode]?.size ?? 0
      }
    }
  }
  methods.xLock = { file, level in
    answerLock(IOFailure.lock) { () throws(Errno) in try opened(file).lock(level) }
  }
  methods.xUnlock = { file, level in
    opened(file).unlock(level)
    return SQLITE_OK
  }
  methods.xCheckReservedLock = { file, result in
    result?.pointee = opened(file).isReserved ? 1 : 0
    return SQLITE_OK
  }
  methods.xFileControl = controlFile
  methods.xSectorSize = { _ in 4096 }
  methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
  methods.xShmMap = { file, region, size, extend, address in
    address?.pointee = nil
    return answer(IOFailure.sharedMap) { () throws(Errno) in
      address?.pointee = try opened(file).mapShared(Int(region), size: Int(size), extend: extend != 0)
    }
  }
  methods.xShmLock = { file, first, count, flags in
    if flags & SQLITE_SHM_UNLOCK != 0 {
      opened(file).unlockShared(Int(first), Int(count))
      return SQLITE_OK
    }
    return answerLock(IOFailure.sharedLock) { () throws(Errno) in
      try opened(file).lockShared(Int(first), Int(count), exclusive: flags & SQLITE_SHM_EXCLUSIVE != 0)
    }
  }
  // Entering and leaving the disk's lock is the barrier, as it is in SQLite's own layer.
  methods.xShmBarrier = { file in opened(file).process.disk.state.withLock { _ in } }
  methods.xShmUnmap = { file, _ in
    opened(file).unmapShared()
    return SQLITE_OK
  }
  return methods
}

// MARK: - The layer

private func process(_ vfs: Layer?) -> CrashFileSystem.Process? {
  Unmanaged<CrashDatabaseLayer>.fromOpaque(vfs!.pointee.pAppData).takeUnretainedValue().process
}

private func methods(_ vfs: Layer?) -> UnsafePointer<sqlite3_io_methods> {
  UnsafePointer(Unmanaged<CrashDatabaseLayer>.fromOpaque(vfs!.pointee.pAppData).takeUnretainedValue().methods)
}

private func openFile(
  _ vfs: Layer?, _ name: UnsafePointer<CChar>?, _ file: File?, _ flags: Int32,
  _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let file, let process = process(vfs) else { return SQLITE_CANTOPEN }
  file.pointee.pMethods = nil
  let path = name.map { String(cString: $0) }
  do throws(Errno) {
    let opened = try CrashDatabaseFile.open(path, flags: flags, process: process)
    UnsafeMutableRawPointer(file).initializeMemory(
      as: CrashFile.self,
      to: CrashFile(file: sqlite3_file(pMethods: methods(vfs)), opened: Unmanaged.passRetained(opened)))
    outFlags?.pointee = flags
    return SQLITE_OK
  } catch {
    errno = error.rawValue
    return SQLITE_CANTOPEN
  }
}

private func deleteFile(_ vfs: Layer?, _ name: UnsafePointer<CChar>?, _ syncDirectory: Int32) -> Int32 {
  guard let process = process(vfs), let name else { return IOFailure.delete }
  let path = String(cString: name)
  do throws(Errno) {
    try process.step(.databaseDelete, path) { disk throws(Errno) in
      try disk.unlink(path)
      if syncDirectory != 0 { disk.change(.sync(try disk.place(path).directory)) }
    }
    return SQLITE_OK
  } catch {
    errno = error.rawValue
    return error == .noEntry ? IOFailure.deleteNoEntry : IOFailure.delete
  }
}

private func accessFile(
  _ vfs: Layer?, _ name: UnsafePointer<CChar>?, _ flags: Int32, _ result: UnsafeMutablePointer<Int32>?
) -> Int32 {
  result?.pointee = 0
  guard let process = process(vfs), let name else { return SQLITE_OK }
  return answer(IOFailure.access) { () throws(Errno) in
    guard let status = try process.status(String(cString: name)) else { return }
    // An empty file counts as none here, as in SQLite's own layer: an empty journal is no journal.
    let exists = status.kind != .file || status.size > 0
    result?.pointee = flags == SQLITE_ACCESS_EXISTS && !exists ? 0 : 1
  }
}

// MARK: - Files

private func opened(_ file: File?) -> CrashDatabaseFile {
  UnsafeMutableRawPointer(file!).assumingMemoryBound(to: CrashFile.self).pointee.opened!.takeUnretainedValue()
}

private func closeFile(_ file: File?) -> Int32 {
  let own = UnsafeMutableRawPointer(file!).assumingMemoryBound(to: CrashFile.self)
  let opened = own.pointee.opened
  own.pointee.opened = nil
  own.pointee.file.pMethods = nil
  opened?.takeUnretainedValue().close()
  opened?.release()
  return SQLITE_OK
}

private func readFile(
  _ file: File?, _ buffer: UnsafeMutableRawPointer?, _ count: Int32, _ offset: sqlite3_int64
) -> Int32 {
  let opened = opened(file)
  let target = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
  var filled = 0
  let code = answer(IOFailure.read) { () throws(Errno) in
    filled = try opened.process.step(.databaseRead, opened.path) { disk throws(Errno) in
      try disk.read(opened.descriptor, into: target, at: offset)
    }
  }
  if code != SQLITE_OK || filled == Int(count) { return code }
  memset(buffer! + filled, 0, Int(count) - filled)
  return IOFailure.shortRead
}

private func writeFile(
  _ file: File?, _ buffer: UnsafeRawPointer?, _ count: Int32, _ offset: sqlite3_int64
) -> Int32 {
  let opened = opened(file)
  return answer(IOFailure.write) { () throws(Errno) in
    _ = try opened.process.step(.databaseWrite, opened.path) { disk throws(Errno) in
      try disk.write(opened.descriptor, UnsafeRawBufferPointer(start: buffer, count: Int(count)), at: offset)
    }
  }
}

private func controlFile(_ file: File?, _ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  let number = argument?.assumingMemoryBound(to: Int32.self)
  switch operation {
  case SQLITE_FCNTL_LOCKSTATE: number?.pointee = opened(file).state.withLock { $0.level }
  case SQLITE_FCNTL_LAST_ERRNO: number?.pointee = errno
  case SQLITE_FCNTL_POWERSAFE_OVERWRITE: number?.pointee = 1
  case SQLITE_FCNTL_PERSIST_WAL:
    guard let number else { return SQLITE_MISUSE }
    let wanted = number.pointee
    number.pointee = opened(file).state.withLock { state in
      if wanted >= 0 { state.persistsLog = wanted != 0 }
      return state.persistsLog ? 1 : 0
    }
  case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE: break
  default: return SQLITE_NOTFOUND
  }
  return SQLITE_OK
}

// MARK: - Answers

/// Extended result codes, which sqlite3.h defines by macros that do not reach Swift.
private enum IOFailure {
  static let read = SQLITE_IOERR | (1 << 8)
  static let shortRead = SQLITE_IOERR | (2 << 8)
  static let write = SQLITE_IOERR | (3 << 8)
  static let fsync = SQLITE_IOERR | (4 << 8)
  static let truncate = SQLITE_IOERR | (6 << 8)
  static let fstat = SQLITE_IOERR | (7 << 8)
  static let delete = SQLITE_IOERR | (10 << 8)
  static let access = SQLITE_IOERR | (13 << 8)
  static let lock = SQLITE_IOERR | (15 << 8)
  static let sharedLock = SQLITE_IOERR | (20 << 8)
  static let sharedMap = SQLITE_IOERR | (21 << 8)
  static let deleteNoEntry = SQLITE_IOERR | (23 << 8)
}

private func answer(_ failure: Int32, _ body: () throws(Errno) -> Void) -> Int32 {
  do throws(Errno) {
    try body()
    return SQLITE_OK
  } catch {
    errno = error.rawValue
    return failure
  }
}

private func answerLock(_ failure: Int32, _ body: () throws(Errno) -> Bool) -> Int32 {
  do throws(Errno) {
    return try body() ? SQLITE_OK : SQLITE_BUSY
  } catch {
    errno = error.rawValue
    return failure
  }
}

extension Errno {
  /// No open file has that number, or it was not opened for this.
  static let badDescriptor = Errno(rawValue: EBADF)
}
