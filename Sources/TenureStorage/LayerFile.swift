import CSQLite

/// A database file read through SQLite's file layer.
///
/// Opening and closing it beside that would drop the locks this process holds on it. For one thread.
final class LayerFile {
  let path: String
  private let layer: UnsafeMutablePointer<sqlite3_vfs>
  private let memory: UnsafeMutableRawPointer
  /// Kept as long as the file is open, as layers may ask.
  private let name: UnsafeMutablePointer<CChar>

  private var file: UnsafeMutablePointer<sqlite3_file> { memory.assumingMemoryBound(to: sqlite3_file.self) }

  init(_ path: String, layer name: String?) throws(StorageError) {
    guard let layer = sqlite3_vfs_find(name) else {
      throw .settingRefused(path: path, setting: "file layer \(name ?? "")", found: "none")
    }
    self.path = path
    self.layer = layer
    let size = max(Int(layer.pointee.szOsFile), 16)
    memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    // The name a layer is given ends in two zero bytes after it, where it looks for URI parameters.
    let bytes = Array(path.utf8CString) + [0, 0, 0]
    self.name = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    self.name.initialize(from: bytes, count: bytes.count)
    var flags: Int32 = 0
    let code = layer.pointee.xOpen(layer, self.name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, &flags)
    if code != SQLITE_OK { throw failure(code) }
  }

  deinit {
    _ = file.pointee.pMethods?.pointee.xClose(file)
    memory.deallocate()
    name.deallocate()
  }

  /// Bytes.
  func size() throws(StorageError) -> Int64 {
    var size: sqlite3_int64 = 0
    let code = file.pointee.pMethods.pointee.xFileSize(file, &size)
    if code != SQLITE_OK { throw failure(code) }
    return size
  }

  /// Fills the buffer from `offset` on. `false`: the file ends before, and the rest is zeros.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Bool {
    let code = file.pointee.pMethods.pointee.xRead(
      file, buffer.baseAddress, Int32(clamping: buffer.count), offset)
    if code == SQLITE_IOERR | (2 << 8) { return false }  // SQLITE_IOERR_SHORT_READ
    if code != SQLITE_OK { throw failure(code) }
    return true
  }

  private func failure(_ code: Int32) -> StorageError {
    StorageError(
      SQLiteFailure(
        code: code, message: code & 0xff == SQLITE_CANTOPEN ? "cannot be opened" : "cannot be read", sql: nil,
        path: path, systemCode: layer.pointee.xGetLastError?(layer, 0, nil) ?? 0))
  }
}
