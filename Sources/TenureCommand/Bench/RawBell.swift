#if os(Linux)
  import Glibc
  import TenureSystem

  /// The peer of seeing another process's change: inotify on one file, read by one blocking thread, and nothing
  /// else.
  final class RawBell {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 4096)

    /// Watches `path`, which must exist.
    init(_ path: String) throws(SystemError) {
      descriptor = inotify_init1(Int32(IN_CLOEXEC))
      if descriptor < 0 { throw SystemError(.inotify, .current, path: path) }
      if inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) < 0 {
        throw SystemError(.inotify, .current, path: path)
      }
    }

    deinit { close(descriptor) }

    /// Blocks until the file was written to.
    func wait() throws(SystemError) {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 { throw SystemError(.read, .current, path: "inotify") }
    }
  }
#else
  import TenureSystem

  /// There is no inotify here, so there is nothing to stand beside.
  final class RawBell {
    init(_ path: String) throws(SystemError) { throw SystemError(.inotify, .notSupported, path: path) }
    func wait() throws(SystemError) {}
  }
#endif
