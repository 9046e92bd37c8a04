#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
#endif

/// A SHA-256 digest: what a body is recognised by.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
  /// 32 bytes.
  public let bytes: [UInt8]

  /// A digest read back from storage; `nil` unless it is 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// The digest of some bytes.
  public init(of content: some Sequence<UInt8>) {
    var hasher = DigestHasher()
    if content.withContiguousStorageIfAvailable({ hasher.update(UnsafeRawBufferPointer($0)) }) == nil {
      Array(content).withUnsafeBytes { hasher.update($0) }
    }
    self = hasher.finish()
  }

  fileprivate init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// 64 hexadecimal digits.
  public var description: String { bytes.hexadecimal }
}

/// Makes a ``Digest`` piece by piece, in constant memory.
public struct DigestHasher: ~Copyable {
  #if canImport(CryptoKit)
    private var hash = SHA256()

    /// Starts empty.
    public init() {}

    /// Takes the next bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

    /// The digest of all bytes taken.
    public consuming func finish() -> Digest { Digest(unchecked: Array(hash.finalize())) }
  #else
    private let context = EVP_MD_CTX_new()

    /// Starts empty.
    public init() { EVP_DigestInit_ex(context, EVP_sha256(), nil) }

    deinit { EVP_MD_CTX_free(context) }

    /// Takes the next bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
      if let base = bytes.baseAddress { EVP_DigestUpdate(context, base, bytes.count) }
    }

    /// The digest of all bytes taken.
    public consuming func finish() -> Digest {
      var bytes = [UInt8](repeating: 0, count: 32)
      EVP_DigestFinal_ex(context, &bytes, nil)
      return Digest(unchecked: bytes)
    }
  #endif
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits a byte.
  public var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(underestimatedCount * 2)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension Array where Element == UInt8 {
  /// Bytes written as hexadecimal digits of either case; `nil` for anything else.
  public init?(hexadecimal text: String) {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    func value(_ digit: UInt8) -> UInt8? {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
      default: nil
      }
    }
    self = []
    reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      append(high << 4 | low)
    }
  }
}
