/// Names a document in its container, such as `Trips/iceland.md`: the same for every process, for ever.
///
/// Two IDs are equal when their UTF-8 bytes are: `é` written as one character and as two are different
/// documents, as they are different files on most disks. Any text makes a value; ``validated()`` says whether
/// a store takes it.
public struct DocumentID: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The longest ID, in UTF-8 bytes.
  public static let maximumLength = 512

  /// The text.
  public let rawValue: String

  /// An ID by its text, not yet looked at.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// An ID written in code.
  public init(stringLiteral value: String) { rawValue = value }

  /// An ID from the bytes of a file name. Bytes that are not UTF-8 are refused rather than replaced: two file
  /// names must never become one document.
  public init(bytes: some Sequence<UInt8>) throws(DocumentError) {
    let bytes = Array(bytes)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalidID(String(decoding: bytes, as: UTF8.self), .notUTF8)
    }
    self = try DocumentID(text).validated()
  }

  /// The text itself.
  public var description: String { rawValue }

  /// The text after the last dot of the last component, in lower case; empty when there is none.
  public var kind: String {
    let name = rawValue.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }

  /// This ID, or what is wrong with it: empty or too long, a path that leads elsewhere, control characters.
  @discardableResult
  public func validated() throws(DocumentError) -> DocumentID {
    if let fault { throw .invalidID(rawValue, fault) }
    return self
  }

  private var fault: InvalidID? {
    let bytes = rawValue.utf8
    if bytes.isEmpty { return .empty }
    if bytes.count > Self.maximumLength { return .tooLong(bytes.count) }
    if bytes.first == UInt8(ascii: "/") { return .absolute }
    for scalar in rawValue.unicodeScalars {
      // The control characters of Unicode are these two ranges and no others.
      if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) { return .controlCharacter }
      if scalar == "\\" { return .backslash }
    }
    for component in rawValue.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      if component.isEmpty { return .emptyComponent }
      if component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8) { return .dotComponent }
    }
    return nil
  }

  /// Why an ID is refused.
  public enum InvalidID: Hashable, Sendable, CustomStringConvertible {
    /// There is no text.
    case empty
    /// More than ``DocumentID/maximumLength`` bytes.
    case tooLong(Int)
    /// Begins with a slash.
    case absolute
    /// `a//b`, or a slash at the end.
    case emptyComponent
    /// A component that is `.` or `..`.
    case dotComponent
    /// NUL, a line break or another control character.
    case controlCharacter
    /// A backslash, which is a separator elsewhere.
    case backslash
    /// The bytes of a file name are not UTF-8.
    case notUTF8

    /// The reason, to follow "because".
    public var description: String {
      switch self {
      case .empty: "it is empty"
      case .tooLong(let count): "it has \(count) bytes, more than \(DocumentID.maximumLength)"
      case .absolute: "it begins with a slash"
      case .emptyComponent: "a component between slashes is empty"
      case .dotComponent: "a component is . or .."
      case .controlCharacter: "it has a control character"
      case .backslash: "it has a backslash"
      case .notUTF8: "its bytes are not UTF-8"
      }
    }
  }
}

extension DocumentID: Hashable, Comparable {
  public static func == (left: DocumentID, right: DocumentID) -> Bool {
    left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var text = rawValue
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }

  /// In the order of the UTF-8 bytes, which is the database's order too.
  public static func < (left: DocumentID, right: DocumentID) -> Bool {
    left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
  }
}

extension DocumentID: Codable {
  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(String.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
