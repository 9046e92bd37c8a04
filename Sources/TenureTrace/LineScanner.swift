/// Reads one line of a trace: a flat JSON object, by hand, for speed and so that nothing in a line can do harm.
///
/// Any bytes may be given. What is not JSON, nests deeper than ``deepest`` or says a field twice is refused with
/// the column; a value the format has no use for (an object, a number with a fraction) is passed over.
struct LineScanner {
  /// What is wrong with a line, and where.
  struct Malformed: Error, Hashable {
    let what: StaticString
    /// Bytes from the beginning of the line.
    let column: Int

    static func == (one: Malformed, other: Malformed) -> Bool { one.column == other.column }
    func hash(into hasher: inout Hasher) { hasher.combine(column) }
  }

  /// How deep lists and objects may nest.
  static let deepest = 16

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position: Int

  /// Reads from `position`, which stands behind the opening brace and, where there were fields, the comma.
  init(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  /// All fields of a line that begins with its brace.
  mutating func line(into fields: inout EventFields) throws(Malformed) {
    skipSpace()
    try expect(UInt8(ascii: "{"), "does not begin with {")
    skipSpace()
    if peek() == UInt8(ascii: "}") {
      position += 1
      return try end()
    }
    try members(into: &fields)
  }

  /// The fields from here to the end of the line.
  mutating func members(into fields: inout EventFields) throws(Malformed) {
    while true {
      skipSpace()
      let start = position
      let name = try string()
      skipSpace()
      try expect(UInt8(ascii: ":"), "has no colon after a name")
      skipSpace()
      let value = try value(depth: 1)
      if !fields.append(name, value) { throw Malformed(what: "says a field twice", column: start) }
      skipSpace()
      if peek() == UInt8(ascii: ",") {
        position += 1
        continue
      }
      try expect(UInt8(ascii: "}"), "has neither , nor } after a value")
      return try end()
    }
  }

  private mutating func end() throws(Malformed) {
    skipSpace()
    if position < bytes.count { throw malformed("goes on after its closing brace") }
  }

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private func malformed(_ what: StaticString) -> Malformed { Malformed(what: what, column: position) }

  private mutating func expect(_ byte: UInt8, _ what: StaticString) throws(Malformed) {
    guard peek() == byte else { throw malformed(what) }
    position += 1
  }

  @inline(__always)
  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
      default: return
      }
    }
  }

  private mutating func value(depth: Int) throws(Malformed) -> EventFields.Value {
    guard let byte = peek() else { throw malformed("ends before a value") }
    switch byte {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "["): return .list(try list(depth: depth + 1))
    case UInt8(ascii: "{"):
      try object(depth: depth + 1)
      return .unsupported
    case UInt8(ascii: "t"):
      try word("true")
      return .truth(true)
    case UInt8(ascii: "f"):
      try word("false")
      return .truth(false)
    case UInt8(ascii: "n"):
      try word("null")
      return .null
    default: throw malformed("has something that is no value")
    }
  }

  private mutating func word(_ word: StaticString) throws(Malformed) {
    let length = word.utf8CodeUnitCount
    guard bytes.count - position >= length else { throw malformed("ends inside a value") }
    for index in 0..<length where bytes[position + index] != word.utf8Start[index] {
      throw malformed("has something that is no value")
    }
    position += length
  }

  private mutating func list(depth: Int) throws(Malformed) -> [EventFields.Value] {
    if depth > Self.deepest { throw malformed("nests too deep") }
    position += 1
    var values: [EventFields.Value] = []
    skipSpace()
    if peek() == UInt8(ascii: "]") {
      position += 1
      return values
    }
    while true {
      skipSpace()
      values.append(try value(depth: depth))
      skipSpace()
      if peek() == UInt8(ascii: ",") {
        position += 1
        continue
      }
      try expect(UInt8(ascii: "]"), "has neither , nor ] in a list")
      return values
    }
  }

  /// Passes over an object.
  private mutating func object(depth: Int) throws(Malformed) {
    if depth > Self.deepest { throw malformed("nests too deep") }
    position += 1
    skipSpace()
    if peek() == UInt8(ascii: "}") {
      position += 1
      return
    }
    while true {
      skipSpace()
      _ = try string()
      skipSpace()
      try expect(UInt8(ascii: ":"), "has no colon after a name")
      skipSpace()
      _ = try value(depth: depth)
      skipSpace()
      if peek() == UInt8(ascii: ",") {
        position += 1
        continue
      }
      try expect(UInt8(ascii: "}"), "has neither , nor } after a value")
      return
    }
  }
}

// MARK: - Numbers

extension LineScanner {
  private mutating func number() throws(Malformed) -> EventFields.Value {
    let negative = peek() == UInt8(ascii: "-")
    if negative { position += 1 }
    let start = position
    var magnitude: UInt64 = 0
    var tooLarge = false
    while let digit = digit() {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      tooLarge = tooLarge || overflow || carry
      magnitude = sum
      position += 1
    }
    if position == start { throw malformed("has a number without digits") }
    if position - start > 1 && bytes[start] == UInt8(ascii: "0") {
      throw malformed("has a number that begins with 0")
    }
    if try fraction() || tooLarge { return .unsupported }
    if negative {
      // The magnitude of Int64.min is one more than that of Int64.max.
      if magnitude == UInt64(Int64.max) + 1 { return .number(.min) }
      return magnitude > UInt64(Int64.max) ? .unsupported : .number(-Int64(magnitude))
    }
    return magnitude > UInt64(Int64.max) ? .large(magnitude) : .number(Int64(magnitude))
  }

  private func digit() -> UInt8? {
    guard let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
    return byte - UInt8(ascii: "0")
  }

  /// Passes over a fraction and an exponent; whether there was one.
  private mutating func fraction() throws(Malformed) -> Bool {
    var found = false
    if peek() == UInt8(ascii: ".") {
      position += 1
      try digits()
      found = true
    }
    if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
      position += 1
      if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
      try digits()
      found = true
    }
    return found
  }

  private mutating func digits() throws(Malformed) {
    if digit() == nil { throw malformed("has a number without digits") }
    while digit() != nil { position += 1 }
  }
}

// MARK: - Strings

extension LineScanner {
  private mutating func string() throws(Malformed) -> String {
    try expect(UInt8(ascii: "\""), "has no quotation mark where a name or string begins")
    let start = position
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        let text = try text(UnsafeBufferPointer(rebasing: bytes[start..<position]), from: start)
        position += 1
        return text
      }
      if byte == UInt8(ascii: "\\") { return try escaped(from: start) }
      if byte < 32 { throw malformed("has a control character in a string") }
      position += 1
    }
    throw malformed("ends inside a string")
  }

  private func text(_ utf8: UnsafeBufferPointer<UInt8>, from start: Int) throws(Malformed) -> String {
    guard let text = String(validating: utf8, as: UTF8.self) else {
      throw Malformed(what: "has a string that is not UTF-8", column: start)
    }
    return text
  }

  /// The rest of a string in which an escape was met.
  private mutating func escaped(from start: Int) throws(Malformed) -> String {
    var utf8 = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let text = String(validating: utf8, as: UTF8.self) else {
          throw Malformed(what: "has a string that is not UTF-8", column: start)
        }
        return text
      case UInt8(ascii: "\\"):
        position += 1
        try escape(into: &utf8)
      case 0..<32: throw malformed("has a control character in a string")
      default:
        utf8.append(byte)
        position += 1
      }
    }
    throw malformed("ends inside a string")
  }

  private mutating func escape(into utf8: inout [UInt8]) throws(Malformed) {
    guard let byte = peek() else { throw malformed("ends inside a string") }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): utf8.append(byte)
    case UInt8(ascii: "b"): utf8.append(8)
    case UInt8(ascii: "f"): utf8.append(12)
    case UInt8(ascii: "n"): utf8.append(10)
    case UInt8(ascii: "r"): utf8.append(13)
    case UInt8(ascii: "t"): utf8.append(9)
    case UInt8(ascii: "u"):
      position += 1
      let scalar = try scalar()
      UTF8.encode(scalar)?.forEach { utf8.append($0) }
      return
    default: throw malformed("has an unknown escape")
    }
    position += 1
  }

  /// One scalar of `\uXXXX`, or of two that are a surrogate pair.
  private mutating func scalar() throws(Malformed) -> Unicode.Scalar {
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(UInt32(first)) { return scalar }
    guard UTF16.isLeadSurrogate(first), peek() == UInt8(ascii: "\\") else {
      throw malformed("has half of a surrogate pair")
    }
    position += 1
    guard peek() == UInt8(ascii: "u") else { throw malformed("has half of a surrogate pair") }
    position += 1
    let second = try codeUnit()
    guard UTF16.isTrailSurrogate(second) else { throw malformed("has half of a surrogate pair") }
    return UTF16.decode(UTF16.EncodedScalar([first, second]))
  }

  private mutating func codeUnit() throws(Malformed) -> UInt16 {
    guard bytes.count - position >= 4 else { throw malformed("ends inside an escape") }
    var unit: UInt16 = 0
    for _ in 0..<4 {
      let byte = bytes[position]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw malformed("has an escape without four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
