/// Everything Tenure asks of the machine: file calls, time and the file layer SQLite opens databases with.
///
/// One value is handed down from whoever opens a container; no module reaches around it.
///
/// ```swift
/// let system = System.live
/// let bytes = try system.contents(of: "/tmp/notes/a.txt", limit: 1 << 20)
/// ```
public struct System: Sendable {
  /// The file calls.
  public var calls: any SystemCalls
  /// The clock.
  public var clock: any SystemClock
  /// The name of the registered SQLite file layer (VFS) to open databases with; `nil` is SQLite's own.
  public var databaseLayer: String?

  /// A machine put together by hand, for tests.
  public init(calls: any SystemCalls, clock: any SystemClock = LiveClock(), databaseLayer: String? = nil) {
    self.calls = calls
    self.clock = clock
    self.databaseLayer = databaseLayer
  }

  /// The machine itself.
  public static let live = System(calls: PlatformCalls())
}
