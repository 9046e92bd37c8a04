/// A note of a thousand bytes, another one for every number. Both sides write the same.
struct BenchmarkBody {
  static let size = 1000
  private(set) var bytes = [UInt8](repeating: UInt8(ascii: "n"), count: BenchmarkBody.size)

  /// Stands at the beginning of the bytes.
  var number: UInt64 = 0 {
    didSet {
      for place in 0..<8 { bytes[place] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(place))) }
    }
  }
}

/// A measurement that could not be made.
struct BenchmarkFault: Error, CustomStringConvertible {
  var what: String
  var description: String { what }
}
