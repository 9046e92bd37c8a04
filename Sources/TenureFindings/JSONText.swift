/// JSON to be written: fields keep their order, so that the same report is the same text.
package enum JSONText: Sendable {
  case string(String)
  case number(Int64)
  case large(UInt64)
  case truth(Bool)
  case null
  case list([JSONText])
  case object([(String, JSONText)])

  /// A string, or null.
  package static func optional(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }

  /// A number, or null.
  package static func optional(_ number: Int64?) -> JSONText { number.map { .number($0) } ?? .null }

  /// Indented by two spaces a level, without a last newline.
  package var text: String {
    var text = ""
    write(to: &text, indent: "")
    return text
  }

  private func write(to text: inout String, indent: String) {
    let inner = indent + "  "
    switch self {
    case .string(let value): Self.quote(value, into: &text)
    case .number(let value): text += String(value)
    case .large(let value): text += String(value)
    case .truth(let value): text += value ? "true" : "false"
    case .null: text += "null"
    case .list(let values):
      Self.block("[", "]", values.count, into: &text, indent: indent) { text, index in
        values[index].write(to: &text, indent: inner)
      }
    case .object(let fields):
      Self.block("{", "}", fields.count, into: &text, indent: indent) { text, index in
        Self.quote(fields[index].0, into: &text)
        text += ": "
        fields[index].1.write(to: &text, indent: inner)
      }
    }
  }

  private static func block(
    _ open: String, _ close: String, _ count: Int, into text: inout String, indent: String,
    _ item: (inout String, Int) -> Void
  ) {
    text += open
    for index in 0..<count {
      text += (index > 0 ? ",\n" : "\n") + indent + "  "
      item(&text, index)
    }
    text += (count > 0 ? "\n" + indent : "") + close
  }

  private static func quote(_ value: String, into text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        if scalar.value < 32 {
          text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }
}
