import CSQLite
import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A SQLite file layer (VFS) that asks an `InterceptedCalls` before every call SQLite makes, so that the
/// calls can be counted, failed, cut short, delayed, or used as the place where a process is killed.
///
/// ```swift
/// let calls = InterceptedCalls(PlatformCalls()) { site in
///   site.call == .databaseSync && site.number == 3 ? .fail(.inputOutput) : .proceed
/// }
/// let layer = try InterceptingDatabaseLayer(calls)
/// let system = System(calls: calls, databaseLayer: layer.name)
/// ```
/// Asked about: open, read, write, sync, truncate, delete, taking a file lock, taking a shared-memory lock,
/// mapping shared memory. Giving locks back is never asked about: SQLite ignores its failure.
/// A failed call answers with the result code that SQLite's own layer gives for that errno, and
/// `sqlite3_system_errno` tells the errno.
///
/// Sites carry the path of the file the call is about (`-wal`, `-journal`, and `-shm` for shared memory);
/// `nil` for SQLite's nameless temporary files. The closure runs on the thread that uses the connection, inside
/// SQLite's mutexes: it may block or end the process, and must not use that connection.
///
/// The layer is registered for the life of this object. Databases opened through it stay usable after that;
/// none can be opened any more.
public final class InterceptingDatabaseLayer: Sendable {
  /// The name to open databases with, unique in the process: `System(databaseLayer:)`.
  public let name: String
  private let layer: InterceptedLayer

  /// Registers a layer over another one.
  /// - Parameters:
  ///   - calls: Asked before each call of SQLite's; its own base is not used for them.
  ///   - base: The name of the layer that does the work; `nil` is SQLite's default.
  /// - Throws: ``Failure`` when there is no layer named `base`, or SQLite refused to register this one.
  public init(_ calls: InterceptedCalls, over base: String? = nil) throws(Failure) {
    guard let under = sqlite3_vfs_find(base) else { throw .noSuchLayer(base ?? "default") }
    name = DatabaseLayerName.next("tenure-intercepting")
    layer = InterceptedLayer(name: name, calls: calls, under: under)
    let code = sqlite3_vfs_register(layer.vfs, 0)
    if code != SQLITE_OK { throw .refused(code) }
  }

  deinit { sqlite3_vfs_unregister(layer.vfs) }

  /// Why a layer could not be registered.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// SQLite knows no file layer of that name.
    case noSuchLayer(String)
    /// SQLite answered with a result code.
    case refused(Int32)

    public var description: String {
      switch self {
      case .noSuchLayer(let name):
        "SQLite has no file layer named \(name). Keep the object that registers it alive while it is used."
      case .refused(let code): "SQLite refused the file layer (result code \(code))."
      }
    }
  }
}

/// Names for file layers, no two alike in a process.
enum DatabaseLayerName {
  private static let last = Lock(0)

  static func next(_ prefix: String) -> String {
    let number = last.withLock { number in
      number += 1
      return number
    }
    return "\(prefix)-\(number)"
  }
}

/// What SQLite's callbacks reach: the structures registered with SQLite, and whom to ask.
///
/// Open files keep it alive, because SQLite uses the structures for as long as one of its files is open.
///
/// `@unchecked Sendable`: everything is set in `init` and only read after it; `pNext` of `vfs` belongs to
/// SQLite, which changes it under its own mutex.
final class InterceptedLayer: @unchecked Sendable {
  let calls: InterceptedCalls
  let under: UnsafeMutablePointer<sqlite3_vfs>
  let vfs: UnsafeMutablePointer<sqlite3_vfs>
  private let name: UnsafeMutablePointer<CChar>
  /// One table per version of the methods, because SQLite decides by it what a file can do.
  private let methods: UnsafeMutablePointer<sqlite3_io_methods>

  init(name: String, calls: InterceptedCalls, under: UnsafeMutablePointer<sqlite3_vfs>) {
    self.calls = calls
    self.under = under
    self.name = strdup(name)
    vfs = .allocate(capacity: 1)
    methods = .allocate(capacity: 3)
    for version in 1...3 {
      (methods + (version - 1)).initialize(to: interceptedFileMethods(version: Int32(version)))
    }
    vfs.initialize(to: interceptedLayerMethods(over: under.pointee))
    vfs.pointee.zName = UnsafePointer(self.name)
    vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    vfs.deallocate()
    methods.deallocate()
    free(name)
  }

  /// The table for a file whose own methods are `own`.
  func methods(for own: sqlite3_io_methods) -> UnsafePointer<sqlite3_io_methods> {
    let version = own.iVersion < 2 || own.xShmMap == nil ? 1 : min(own.iVersion, 3)
    return UnsafePointer(methods + Int(version - 1))
  }
}
