import TenureSystem

/// Names one edit: made once with it, kept across every retry, so that sending it again has no second effect
/// (D2).
public struct ChangeID: Hashable, Sendable, CustomStringConvertible {
  /// 16 bytes.
  public let bytes: [UInt8]

  /// A new one, by chance unlike all others: a UUID of version 7 (RFC 9562). The milliseconds it begins with put
  /// changes of one time side by side in the index, so that a group of commits writes few pages of it; the 74
  /// random bits behind them are what makes it unlike others, whatever the clock says.
  public init() {
    let milliseconds = UInt64(max(0, LiveClock().wall / 1_000_000))
    var generator = SystemRandomNumberGenerator()
    let high = milliseconds << 16 | 0x7000 | generator.next() & 0x0FFF
    let low = 0x8000_0000_0000_0000 | generator.next() >> 2
    self.bytes = [high, low].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  /// One read back from storage; `nil` unless it is 16 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// One read back from text; `nil` unless it is 32 hexadecimal digits.
  public init?(hexadecimal text: String) {
    guard let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// The same for the same parts, for work that finds its edits anew on every run (an import: path, digest and
  /// the version last imported). Each part counts with its length, so `["a", "b"]` is not `["ab"]`.
  public init(derivedFrom parts: [String]) {
    var hasher = DigestHasher()
    for part in parts {
      let text = Array(part.utf8)
      var length: [UInt8] = []
      for shift in stride(from: 0, to: 64, by: 8) {
        length.append(UInt8(truncatingIfNeeded: text.count >> shift))
      }
      length.withUnsafeBytes { hasher.update($0) }
      text.withUnsafeBytes { hasher.update($0) }
    }
    bytes = Array(hasher.finish().bytes.prefix(16))
  }

  /// 32 hexadecimal digits.
  public var description: String { bytes.hexadecimal }
}

extension ChangeID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let change = ChangeID(hexadecimal: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not a change ID of 32 hexadecimal digits")
    }
    self = change
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
