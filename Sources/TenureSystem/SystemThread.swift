import CTenureShim

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread of its own for work that blocks, so that Swift's cooperative pool never does.
///
/// The thread ends when `body` returns. Nobody joins it; what it shares ends by its own protocol.
public enum SystemThread {
  /// Starts `body` on a new thread named `name` (cut to 15 bytes on Linux).
  public static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let box = Unmanaged.passRetained(Start(name: name, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(&thread, &attributes, { begin($0) }, box.toOpaque())
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, &attributes, { begin($0!) }, box.toOpaque())
    #endif
    if code != 0 {
      box.release()
      throw SystemError(.spawn, Errno(rawValue: code), path: name)
    }
  }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  private static func begin(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
    tenure_name_thread(start.name)
    start.body()
    return nil
  }
}
