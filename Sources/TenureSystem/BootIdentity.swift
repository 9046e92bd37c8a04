#if canImport(Darwin)
  import Darwin
#endif

extension System {
  /// Names the machine's current boot: monotonic times are comparable only within one. `unknown` where the
  /// machine does not tell.
  public var bootIdentity: String {
    #if os(Linux)
      // The kernel's file has no size, so it is read by its known length.
      var bytes = [UInt8](repeating: 0, count: 36)
      guard let file = try? open("/proc/sys/kernel/random/boot_id", .read) else { return "unknown" }
      let count = bytes.withUnsafeMutableBytes { buffer in
        (try? file.read(into: buffer, at: 0)) ?? 0
      }
      return count == bytes.count ? String(decoding: bytes, as: UTF8.self) : "unknown"
    #else
      var bytes = [CChar](repeating: 0, count: 64)
      var size = bytes.count
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return "unknown" }
      return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #endif
  }
}
