import TenureSystem
import TenureTrace

/// Who holds a lock, as the holder wrote it into the lock file: the kernel does not tell (`F_OFD_GETLK` answers
/// process ID −1). It only names the holder; whether there is one is for the lock itself to say.
struct HolderNote: Sendable {
  /// Every note has this length, so that a shorter one leaves nothing of a longer one behind.
  static let length = 160

  /// `scene left, process 4711 (notebook)`.
  let text: String
  private let bytes: [UInt8]

  init(_ process: ProcessIdentity) {
    text = "\(process.role.isEmpty ? "process" : process.role), process \(process.pid) (\(process.name))"
    var bytes = Array(text.utf8.prefix(Self.length - 1))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: Self.length - 1 - bytes.count))
    bytes.append(UInt8(ascii: "\n"))
    self.bytes = bytes
  }

  /// Leaves the note in the file. A note that cannot be left is no reason not to hold the lock.
  func write(to file: OpenFile) {
    let isThere = withUnsafeTemporaryAllocation(byteCount: Self.length, alignment: 1) { buffer in
      guard let count = try? file.read(into: buffer, at: 0), count == Self.length else { return false }
      return buffer.elementsEqual(bytes)
    }
    // Reading is cheaper than writing, which dirties the file, and most often the last holder was the same.
    if isThere { return }
    try? file.writeAll(bytes, at: 0)
  }

  /// The note in a file; `nil` when there is none.
  static func read(from file: OpenFile) -> String? {
    var bytes = [UInt8](repeating: 0, count: length)
    let count = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
    let text = String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let end = text.lastIndex { $0 != " " }
    return end.map { String(text[...$0]) }
  }
}
