/// The number of a file or directory, whatever its names.
typealias CrashInode = UInt64

/// One thing that happened to a disk.
enum CrashChange: Sendable {
  /// A file or directory came to be, empty and without a name.
  case make(CrashInode, isDirectory: Bool)
  /// Content of a file.
  case data(CrashInode, CrashData)
  /// Names that change in one step; split by directory where there is no journal.
  case names([CrashName])
  /// Content of a file, or names of a directory, became durable.
  case sync(CrashInode)
  /// The client was told.
  case acknowledge(String)
}

/// A change of a file's content.
enum CrashData: Sendable {
  case write([UInt8], at: Int64)
  case resize(Int64)
}

/// A name that from now on leads to `inode`, or to nothing.
struct CrashName: Sendable {
  let directory: CrashInode
  let name: String
  let inode: CrashInode?
}

/// Files, directories and names at one moment. Copies share pages until one of them changes.
struct CrashVolume: Sendable {
  static let root: CrashInode = 1
  private(set) var files: [CrashInode: CrashPages] = [:]
  private(set) var directories: [CrashInode: [String: CrashInode]] = [root: [:]]

  mutating func make(_ inode: CrashInode, isDirectory: Bool) {
    if isDirectory { directories[inode] = [:] } else { files[inode] = CrashPages() }
  }

  mutating func apply(_ data: CrashData, to inode: CrashInode) {
    switch data {
    case .write(let bytes, let offset): write(bytes[...], to: inode, at: offset)
    case .resize(let size): files[inode]?.resize(to: size)
    }
  }

  mutating func write(_ bytes: ArraySlice<UInt8>, to inode: CrashInode, at offset: Int64) {
    bytes.withUnsafeBytes { files[inode]?.write($0, at: offset) }
  }

  mutating func apply(_ name: CrashName) {
    directories[name.directory]?[name.name] = name.inode
  }

  /// Forgets what no name leads to.
  mutating func prune() {
    var reached: Set<CrashInode> = []
    var next = [Self.root]
    while let inode = next.popLast() {
      guard reached.insert(inode).inserted, let names = directories[inode] else { continue }
      next.append(contentsOf: names.values)
    }
    files = files.filter { reached.contains($0.key) }
    directories = directories.filter { reached.contains($0.key) }
  }

  /// The largest number in use.
  var lastInode: CrashInode { max(files.keys.max() ?? 0, directories.keys.max() ?? 0) }
}

/// The content of a file by pages; a page never written is a hole and reads as zeros.
struct CrashPages: Sendable {
  static let pageSize = 4096
  private(set) var size: Int64 = 0
  private var pages: [[UInt8]] = []

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    guard offset < size else { return 0 }
    let count = Int(min(Int64(buffer.count), size - offset))
    Self.forEachPart(of: count, at: offset) { page, start, part in
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer[part])
      if page < pages.count, !pages[page].isEmpty {
        pages[page].withUnsafeBytes {
          target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + part.count)]))
        }
      } else {
        target.initializeMemory(as: UInt8.self, repeating: 0)
      }
    }
    return count
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    if bytes.isEmpty { return }
    let end = offset + Int64(bytes.count)
    let needed = Int((end + Int64(Self.pageSize) - 1) / Int64(Self.pageSize))
    if pages.count < needed { pages.append(contentsOf: repeatElement([], count: needed - pages.count)) }
    Self.forEachPart(of: bytes.count, at: offset) { page, start, part in
      if pages[page].isEmpty { pages[page] = [UInt8](repeating: 0, count: Self.pageSize) }
      pages[page].withUnsafeMutableBytes {
        UnsafeMutableRawBufferPointer(rebasing: $0[start..<(start + part.count)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[part]))
      }
    }
    size = max(size, end)
  }

  mutating func resize(to length: Int64) {
    if length < size {
      let whole = Int(length / Int64(Self.pageSize))
      let rest = Int(length % Int64(Self.pageSize))
      let kept = rest == 0 ? whole : whole + 1
      if pages.count > kept { pages.removeLast(pages.count - kept) }
      if rest > 0, whole < pages.count, !pages[whole].isEmpty {
        pages[whole].replaceSubrange(rest..., with: repeatElement(0, count: Self.pageSize - rest))
      }
    }
    size = length
  }

  /// Cuts a range of the file at page borders: the page, where in it the part starts, and the part's range in
  /// the caller's buffer.
  private static func forEachPart(of count: Int, at offset: Int64, _ body: (Int, Int, Range<Int>) -> Void) {
    var done = 0
    while done < count {
      let position = Int(offset) + done
      let start = position % pageSize
      let length = min(pageSize - start, count - done)
      body(position / pageSize, start, done..<(done + length))
      done += length
    }
  }
}
