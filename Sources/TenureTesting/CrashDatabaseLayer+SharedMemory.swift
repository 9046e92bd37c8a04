import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The memory that the connections to one database in WAL mode share (its `-shm` file), and its locks.
///
/// It lies in a nameless temporary file that every process of the disk maps for itself, so that a killed
/// process can be left with a copy of its own: its threads may still be inside SQLite and write to it.
/// Like the `-shm` file, it means nothing once its last user has gone.
///
/// `@unchecked Sendable`: everything is touched only inside the `Monitor` of the ``CrashDisk`` it belongs to,
/// but for the mapped bytes, which SQLite guards by the locks kept here.
final class CrashSharedMemory: @unchecked Sendable {
  static let slots = 8

  /// The mappings of one process.
  private struct View {
    var regions: [UnsafeMutableRawPointer] = []
    var files: Set<Int32> = []
  }

  private let descriptor: Int32
  private var regionSize = 0
  private var regions = 0
  private var views: [Int: View] = [:]
  /// Who uses it, by descriptor of the database file; those of dead processes do not.
  private(set) var users: Set<Int32> = []
  private var exclusive = [Int32?](repeating: nil, count: slots)
  private var sharing = [Set<Int32>](repeating: [], count: slots)

  init() throws(Errno) {
    var template = Array("/tmp/tenure-shm-XXXXXX".utf8CString)
    let descriptor = template.withUnsafeMutableBufferPointer { name in
      let descriptor = mkstemp(name.baseAddress!)
      if descriptor >= 0 { unlink(name.baseAddress!) }
      return descriptor
    }
    if descriptor < 0 { throw .current }
    self.descriptor = descriptor
  }

  deinit {
    for view in views.values { unmap(view) }
    close(descriptor)
  }

  private func unmap(_ view: View) {
    for region in view.regions { munmap(region, regionSize) }
  }

  /// The address of a region for a process; `nil` when it does not exist and is not to be made.
  func map(
    _ region: Int, size: Int, extend: Bool, file: Int32, process: Int
  ) throws(Errno) -> UnsafeMutableRawPointer? {
    if regionSize == 0 { regionSize = size }
    if size != regionSize { throw .invalidArgument }
    if region >= regions {
      if !extend { return nil }
      if ftruncate(descriptor, off_t((region + 1) * size)) != 0 { throw .current }
      regions = region + 1
    }
    users.insert(file)
    views[process, default: View()].files.insert(file)
    while views[process]!.regions.count <= region {
      let offset = off_t(views[process]!.regions.count * size)
      views[process]!.regions.append(try Self.map(descriptor, size, offset, at: nil, MAP_SHARED))
    }
    return views[process]!.regions[region]
  }

  private static func map(
    _ descriptor: Int32, _ size: Int, _ offset: off_t, at address: UnsafeMutableRawPointer?, _ flags: Int32
  ) throws(Errno) -> UnsafeMutableRawPointer {
    let mapped = mmap(address, size, PROT_READ | PROT_WRITE, flags, descriptor, offset)
    guard let mapped, mapped != UnsafeMutableRawPointer(bitPattern: -1) else { throw .current }
    return mapped
  }

  /// Leaves a killed process with a private copy, at the same addresses.
  func detach(_ process: Int) {
    guard let view = views[process] else { return }
    for (number, region) in view.regions.enumerated() {
      // Should the system refuse, the process keeps the shared pages: no worse than a kill a moment later.
      _ = try? Self.map(
        descriptor, regionSize, off_t(number * regionSize), at: region, MAP_PRIVATE | MAP_FIXED)
    }
  }

  /// A connection uses it no more, or its process was killed.
  func leave(_ file: Int32) {
    users.remove(file)
    unlock(0, Self.slots, file)
  }

  /// SQLite has let go of the addresses it had for a connection.
  func unmap(file: Int32, process: Int) {
    views[process]?.files.remove(file)
    guard let view = views[process], view.files.isEmpty else { return }
    unmap(view)
    views[process] = nil
  }

  func lock(_ first: Int, _ count: Int, _ file: Int32, exclusive wanted: Bool) -> Bool {
    let slots = first..<(first + count)
    for slot in slots {
      if let holder = exclusive[slot], holder != file { return false }
      if wanted, !sharing[slot].subtracting([file]).isEmpty { return false }
    }
    for slot in slots {
      if wanted { exclusive[slot] = file } else { sharing[slot].insert(file) }
    }
    return true
  }

  func unlock(_ first: Int, _ count: Int, _ file: Int32) {
    for slot in first..<(first + count) {
      if exclusive[slot] == file { exclusive[slot] = nil }
      sharing[slot].remove(file)
    }
  }
}

extension CrashDiskState {
  /// The shared memory of a database, made when there is none.
  mutating func sharedMemory(of inode: CrashInode) throws(Errno) -> CrashSharedMemory {
    if let memory = shared[inode] { return memory }
    let memory = try CrashSharedMemory()
    shared[inode] = memory
    return memory
  }

  mutating func leaveShared(_ inode: CrashInode, _ file: Int32) {
    guard let memory = shared[inode] else { return }
    memory.leave(file)
    if memory.users.isEmpty { shared[inode] = nil }
  }
}
