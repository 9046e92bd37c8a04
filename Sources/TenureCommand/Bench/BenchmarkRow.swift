/// One figure beside its peer or limit, as `tenure bench … --json` prints it.
///
/// ```json
/// {"name":"8 writers","unit":"commits/s","ours":10852,"peer":4029,"peerName":"raw SQLite C API",
///  "ratio":2.69,"runs":5,"spread":0.12}
/// ```
/// A ratio above 1 means ours is better, whatever the unit: ours over peer where more is better, peer over
/// ours where less is.
struct BenchmarkRow: Hashable, Sendable, Codable {
  /// What is measured. Rows are recognised by it from one run to the next.
  var name: String
  /// What `ours` and `peer` count.
  var unit: String
  /// The median of our runs.
  var ours: Double
  /// The median of the peer's runs, or the limit.
  var peer: Double
  /// What stands beside us: a program, or `limit` where it is a bound and no program.
  var peerName: String
  /// Ratio of the two medians, turned so that above 1 is better.
  var ratio: Double
  /// How often each side ran.
  var runs: Int
  /// How far the runs disagree: (largest − smallest) / median of the ratios of each pair of runs. 0 is perfect
  /// agreement; above 0.5 the row says little.
  var spread: Double
}

/// What a row counts, and which way is better.
struct BenchmarkUnit: Hashable, Sendable {
  /// As printed.
  var name: String
  /// Whether a larger number is the better one.
  var moreIsBetter: Bool

  static let commitsPerSecond = BenchmarkUnit(name: "commits/s", moreIsBetter: true)
  static let eventsPerSecond = BenchmarkUnit(name: "events/s", moreIsBetter: true)
  static let nanoseconds = BenchmarkUnit(name: "ns", moreIsBetter: false)
  static let microseconds = BenchmarkUnit(name: "µs", moreIsBetter: false)
  static let milliseconds = BenchmarkUnit(name: "ms", moreIsBetter: false)
  static let megabytes = BenchmarkUnit(name: "MB", moreIsBetter: false)

  /// Above 1 where `ours` is better. A side that measured nothing makes the ratio 0: never a win by default.
  func ratio(ours: Double, peer: Double) -> Double {
    guard ours > 0, peer > 0 else { return 0 }
    return moreIsBetter ? ours / peer : peer / ours
  }
}

extension BenchmarkRow {
  /// A row of paired runs: `ours[i]` and `peer[i]` were measured one right after the other.
  init(
    _ name: String, unit: BenchmarkUnit, ours: [Double], peer: [Double], peerName: String
  ) {
    let pairs = zip(ours, peer).map { unit.ratio(ours: $0, peer: $1) }
    self.init(
      name: name, unit: unit.name, ours: ours.median, peer: peer.median, peerName: peerName,
      ratio: unit.ratio(ours: ours.median, peer: peer.median), runs: min(ours.count, peer.count),
      spread: pairs.relativeSpread)
  }

  /// A row beside a stated limit.
  init(_ name: String, unit: BenchmarkUnit, ours: [Double], limit: Double, peerName: String = "limit") {
    self.init(
      name, unit: unit, ours: ours, peer: Array(repeating: limit, count: ours.count), peerName: peerName)
  }

  /// Rounded to what the measurement can tell: four significant digits.
  var rounded: BenchmarkRow {
    var row = self
    row.ours = ours.significant(4)
    row.peer = peer.significant(4)
    row.ratio = ratio.significant(4)
    row.spread = spread.significant(2)
    return row
  }
}

extension [Double] {
  /// The middle value; the mean of the two middle ones when there is no single one; 0 of nothing.
  var median: Double {
    if isEmpty { return 0 }
    let sorted = sorted()
    let middle = count / 2
    return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// The value that `share` of all values do not exceed (0.99: the 99th percentile); 0 of nothing.
  func percentile(_ share: Double) -> Double {
    if isEmpty { return 0 }
    let sorted = sorted()
    let rank = Int((share * Double(count)).rounded(.up)) - 1
    return sorted[Swift.min(Swift.max(rank, 0), count - 1)]
  }

  /// (largest − smallest) / median; 0 when there is nothing to compare.
  var relativeSpread: Double {
    guard let low = self.min(), let high = self.max(), median > 0 else { return 0 }
    return (high - low) / median
  }
}

extension Double {
  /// The nearest number with `digits` significant decimal digits.
  func significant(_ digits: Int) -> Double {
    guard isFinite, self != 0 else { return self }
    var scale = 1.0
    var size = magnitude
    var limit = 1.0
    for _ in 0..<digits { limit *= 10 }
    while size * scale >= limit { scale /= 10 }
    while size * scale < limit / 10 { scale *= 10 }
    size = (self * scale).rounded()
    // Dividing by a power of ten is exact in decimal where multiplying by a fraction is not.
    return scale >= 1 ? size / scale : size * (1 / scale)
  }
}
