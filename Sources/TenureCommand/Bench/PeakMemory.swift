import TenureSystem

/// How much memory this process has had at most, as the kernel counts it (`VmHWM`).
enum PeakMemory {
  /// Bytes resident now.
  static func now(system: System) throws -> Int64 { try field("VmRSS:", system: system) }

  /// The most bytes that were resident at once since ``reset(system:)``.
  static func highest(system: System) throws -> Int64 { try field("VmHWM:", system: system) }

  /// Begins to count from what is resident now.
  static func reset(system: System) throws {
    let file = try system.open("/proc/self/clear_refs", .write)
    try withUnsafeBytes(of: UInt8(ascii: "5")) { try file.writeAll($0) }
  }

  private static func field(_ name: String, system: System) throws -> Int64 {
    let path = "/proc/self/status"
    for line in try system.unsizedContents(of: path).split(separator: "\n") where line.hasPrefix(name) {
      if let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first,
        let number = Int64(kibibytes)
      {
        return number * 1024
      }
    }
    throw BenchmarkFault(what: "\(path) does not say \(name) here; peak memory is measured on Linux only")
  }
}
