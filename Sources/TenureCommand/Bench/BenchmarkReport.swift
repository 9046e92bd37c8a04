/// How rows are printed.
enum BenchmarkReport {
  /// The rows as a table for people.
  static func table(_ rows: [BenchmarkRow]) -> String {
    let head = ["", "ours", "peer", "unit", "ratio", "spread", "runs", "beside"]
    let cells =
      rows.map { row in
        [
          row.name, number(row.ours), number(row.peer), row.unit, fixed(row.ratio, digits: 2),
          "\(Int((row.spread * 100).rounded())) %", String(row.runs), row.peerName,
        ]
      }
    let widths = head.indices.map { column in
      ([head] + cells).map { $0[column].count }.max() ?? 0
    }
    let textual: Set<Int> = [0, 3, 7]
    return ([head] + cells).map { line in
      line.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return textual.contains(column) ? cell + space : space + cell
      }.joined(separator: "  ").trimmingTrailingSpaces
    }.joined(separator: "\n")
  }

  /// `4,029` · `12.3` · `0.085`: as many digits as are worth reading.
  static func number(_ value: Double) -> String {
    if value >= 100 { return grouped(Int(value.rounded())) }
    if value >= 10 { return fixed(value, digits: 1) }
    return fixed(value, digits: value >= 1 ? 2 : 3)
  }

  private static func grouped(_ value: Int) -> String {
    var text = ""
    for (place, digit) in String(value).reversed().enumerated() {
      if place > 0 && place.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  private static func fixed(_ value: Double, digits: Int) -> String {
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let whole = Int((value * Double(scale)).rounded())
    let rest = String(whole % scale)
    return "\(whole / scale)." + String(repeating: "0", count: digits - rest.count) + rest
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
