#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Who writes: stands in every event and beside every change (G6).
public struct ProcessIdentity: Hashable, Sendable {
  /// The process ID. It repeats: whether a process lives is answered by its lease, not by this number.
  public var pid: Int32
  /// The executable's name.
  public var name: String
  /// The bundle identifier; on Linux what stands in for it.
  public var bundleIdentifier: String
  /// Where the bundle or executable is.
  public var bundlePath: String
  /// What the process does: `app`, `scene`, `service`, `share`, `widget`…
  public var role: String
  /// The app's version.
  public var appVersion: String

  /// An identity by its parts.
  public init(
    pid: Int32 = getpid(), name: String, bundleIdentifier: String, bundlePath: String, role: String,
    appVersion: String
  ) {
    self.pid = pid
    self.name = name
    self.bundleIdentifier = bundleIdentifier
    self.bundlePath = bundlePath
    self.role = role
    self.appVersion = appVersion
  }

  /// The running process, as far as its arguments tell.
  public static func current(role: String, bundleIdentifier: String? = nil, appVersion: String = "0")
    -> ProcessIdentity
  {
    let path = CommandLine.arguments.first ?? "process"
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return ProcessIdentity(
      name: name, bundleIdentifier: bundleIdentifier ?? name, bundlePath: path, role: role,
      appVersion: appVersion)
  }
}
