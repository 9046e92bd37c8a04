extension StringProtocol {
  /// For a line that a person reads: characters that would steer the terminal, break the line or turn the direction of
  /// the text round are shown as their numbers.
  ///
  /// Names come from files and databases that others wrote. `keepingLines` is for whole sentences of ours.
  func printable(keepingLines: Bool = false) -> String {
    var text = ""
    for scalar in unicodeScalars {
      if steersTerminal(scalar) && !(keepingLines && scalar == "\n") {
        text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

private func steersTerminal(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0: true
  // Line and paragraph separators, and the marks that turn the direction round.
  case 0x2028...0x202E, 0x2066...0x2069: true
  default: false
  }
}
