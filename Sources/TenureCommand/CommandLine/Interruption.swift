import CTenureShim
import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Ctrl-C and polite kills as requests, not deaths. A second one ends the process at once.
struct Interruption: Sendable {
  /// Told once for each signal.
  let requests: AsyncStream<Int32>

  /// Catches SIGINT, SIGTERM and SIGHUP from now on, for the rest of the process.
  init(_ system: System) throws(SystemError) {
    let (reading, writing) = try system.pipe()
    let (requests, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.requests = requests
    for number in [SIGINT, SIGTERM, SIGHUP] where tenure_catch_signal(number, writing.descriptor) != 0 {
      throw SystemError(.open, .current, path: "signal \(number)")
    }
    try SystemThread.start(name: "signals") {
      var count = 0
      while let bytes = try? reading.readSome(upTo: 1), let number = bytes.first {
        count += 1
        if count > 1 { _exit(128 + Int32(number)) }
        continuation.yield(Int32(number))
      }
      // Never closed: the handler may write at any time.
      withExtendedLifetime(writing) {}
    }
  }
}

/// Where the running program's file is, to start more of it.
func ownExecutable(calledAs name: String) -> String {
  #if os(Linux)
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.bindMemory(to: CChar.self).baseAddress.map { readlink("/proc/self/exe", $0, bytes.count) } ?? 0
    }
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : name
  #else
    var size: UInt32 = 4096
    var buffer = [CChar](repeating: 0, count: Int(size))
    guard _NSGetExecutablePath(&buffer, &size) == 0 else { return name }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  #endif
}

/// The time of day, as a log shows it.
func timeOfDay(_ wall: Int64) -> String {
  var seconds = time_t(wall / 1_000_000_000)
  var parts = tm()
  localtime_r(&seconds, &parts)
  return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(
    separator: ":")
}

/// Date and time, as a list shows them.
func dateAndTime(_ wall: Int64) -> String {
  var seconds = time_t(wall / 1_000_000_000)
  var parts = tm()
  localtime_r(&seconds, &parts)
  let date = [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday]
  return date.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-") + " " + timeOfDay(wall)
}
