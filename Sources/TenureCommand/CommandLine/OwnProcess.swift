#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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

/// Ends this process now. Threads that were left at work, because a deadline came first, still use what `exit` would
/// take apart under them (OpenSSL's tables, for one); nothing of ours waits in a buffer.
func endProcess(_ code: ExitCode) -> Never {
  // What libedit prints goes through C's streams.
  fflush(nil)
  _exit(code.rawValue)
}
