/// A word or mark of Swift code.
struct Token: Hashable, Sendable {
  var text: String
  var line: Int
}

/// The code in a Swift file: without comments (which nest), without the text of strings (plain, many-line and
/// raw), with the code inside their interpolations. `@name` and `#name` are one token.
func tokenize(_ text: String) -> [Token] {
  var scanner = Scanner(text)
  scanner.scanCode(untilParenthesis: false)
  return scanner.tokens
}

private struct Scanner {
  var tokens: [Token] = []
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Scans to the end, or to the parenthesis that closes an interpolation.
  mutating func scanCode(untilParenthesis: Bool) {
    var depth = 0
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): advance()
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): skipLine()
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): skipBlock()
      case UInt8(ascii: "\""): scanString(hashes: 0)
      case UInt8(ascii: "#") where hashesBeforeQuote > 0: scanString(hashes: hashesBeforeQuote)
      case UInt8(ascii: "`"): advance()
      case UInt8(ascii: "("):
        depth += 1
        takeMark()
      case UInt8(ascii: ")"):
        if untilParenthesis, depth == 0 {
          advance()
          return
        }
        depth -= 1
        takeMark()
      case UInt8(ascii: "@"), UInt8(ascii: "#"): takeWord()
      default: if isWordByte(byte) { takeWord() } else { takeMark() }
      }
    }
  }

  private func peek(_ distance: Int = 0) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  private mutating func advance(by count: Int = 1) {
    for _ in 0..<count where position < bytes.count {
      if bytes[position] == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }
  }

  private mutating func takeMark() {
    tokens.append(Token(text: String(decoding: [bytes[position]], as: UTF8.self), line: line))
    advance()
  }

  private mutating func takeWord() {
    let start = position
    position += 1
    while let byte = peek(), isWordByte(byte) { position += 1 }
    tokens.append(Token(text: String(decoding: bytes[start..<position], as: UTF8.self), line: line))
  }

  private func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private mutating func skipLine() {
    while let byte = peek(), byte != UInt8(ascii: "\n") { advance() }
  }

  private mutating func skipBlock() {
    var depth = 0
    while peek() != nil {
      if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        depth += 1
        advance(by: 2)
      } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        depth -= 1
        advance(by: 2)
        if depth == 0 { return }
      } else {
        advance()
      }
    }
  }

  /// How many `#` stand here before a quote; 0 when what stands here is no raw string.
  private var hashesBeforeQuote: Int {
    var count = 0
    while peek(count) == UInt8(ascii: "#") { count += 1 }
    return peek(count) == UInt8(ascii: "\"") ? count : 0
  }

  private func isAt(_ byte: UInt8, times count: Int, after distance: Int = 0) -> Bool {
    (0..<count).allSatisfy { peek(distance + $0) == byte }
  }

  private mutating func scanString(hashes: Int) {
    let quote = UInt8(ascii: "\"")
    let hash = UInt8(ascii: "#")
    advance(by: hashes)
    let quotes = isAt(quote, times: 3) ? 3 : 1
    advance(by: quotes)
    while let byte = peek() {
      if byte == quote, isAt(quote, times: quotes), isAt(hash, times: hashes, after: quotes) {
        advance(by: quotes + hashes)
        return
      }
      // An unfinished one-line string ends with its line, as the compiler has it.
      if byte == UInt8(ascii: "\n"), quotes == 1 { return }
      guard byte == UInt8(ascii: "\\"), isAt(hash, times: hashes, after: 1) else {
        advance()
        continue
      }
      advance(by: 1 + hashes)
      let isInterpolation = peek() == UInt8(ascii: "(")
      advance()
      if isInterpolation { scanCode(untilParenthesis: true) }
    }
  }
}
