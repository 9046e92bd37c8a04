import CSQLite
import TenureSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a figure was measured with, named beside it.
struct BenchmarkMachine: Sendable {
  var machine: String
  var compiler: String
  var sqlite: String

  /// This machine.
  static func current(system: System) -> BenchmarkMachine {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let parts = [
      processor(system: system), "\(cores) cores", ProcessInfo.processInfo.operatingSystemVersionString,
    ]
    return BenchmarkMachine(
      machine: parts.joined(separator: ", "), compiler: compilerVersion,
      sqlite: String(cString: sqlite3_libversion()))
  }

  /// The processor's name where the system tells it as a file, else its architecture.
  private static func processor(system: System) -> String {
    if let text = try? system.unsizedContents(of: "/proc/cpuinfo") {
      for line in text.split(separator: "\n") where line.hasPrefix("model name") {
        if let name = line.split(separator: ":").dropFirst().first {
          return name.drop { $0 == " " }.description
        }
      }
    }
    return architecture
  }

  private static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "unknown processor"
    #endif
  }

  private static var compilerVersion: String {
    #if compiler(>=6.5)
      "Swift 6.5 or later"
    #elseif compiler(>=6.4)
      "Swift 6.4"
    #elseif compiler(>=6.3)
      "Swift 6.3"
    #elseif compiler(>=6.2)
      "Swift 6.2"
    #else
      "Swift 6.1"
    #endif
  }
}

extension System {
  /// The text of a file that says it is empty and is not, as those of `/proc` do.
  func unsizedContents(of path: String) throws(SystemError) -> String {
    let file = try open(path, .read)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let offset = Int64(bytes.count)
      let count = try chunk.withUnsafeMutableBytes { buffer in
        Result { () throws(SystemError) in try file.read(into: buffer, at: offset) }
      }.get()
      bytes += chunk[..<count]
      if count < chunk.count { return String(decoding: bytes, as: UTF8.self) }
    }
  }
}
