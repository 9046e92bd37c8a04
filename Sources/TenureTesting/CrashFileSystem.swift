import TenureSystem

/// A file system in memory that knows what was written but not synced, and can be cut off from power at any
/// moment of a recorded session (D1, D5, D6, G3).
///
/// It stands below everything: `SystemCalls` for Tenure's own file calls, a SQLite file layer (VFS) over the
/// same files for the database. No root, no loop device, thousands of cuts a second.
///
/// ```swift
/// let disk = CrashFileSystem()
/// try AtomicFile.replace("/note", with: old, disk.system, trace)
/// disk.acknowledge("old")
/// try CrashFileSystem.everyCut(of: disk.recording) { cut in
///   // cut.survivor is the disk after the power came back; whatever cut.acknowledged names must be on it.
/// }
/// ```
/// What it models:
/// - A write is lost, kept, or torn between sectors of 512 bytes until its file is synced; writes survive in
///   any combination (``CutPolicy``).
/// - A name that was made, moved or taken away is lost or kept until its *directory* is synced, independently
///   of the data of the file it leads to.
/// - Locks and SQLite's shared memory never survive.
/// - Several processes in one (``process(_:dies:)``): locks belong to open file descriptions, and a process can
///   be killed at any call while the others go on.
///
/// What it does not: permissions are kept and not enforced, symbolic links cannot be made, a disk is never
/// full and blocks are never shared (`clone` is not supported).
///
/// All paths are its own and begin at an empty `/`; relative ones mean the same. Safe from any thread.
public final class CrashFileSystem: Sendable {
  let disk: CrashDisk
  private let main: Process
  /// Kept, so that their file layers stay registered.
  private let others = Lock([Process]())

  /// An empty disk.
  public convenience init() { self.init(CrashVolume()) }

  init(_ volume: CrashVolume) {
    disk = CrashDisk(volume)
    main = Process(disk: disk, name: "main", dies: nil)
  }

  /// The disk as its first process sees it, with the machine's clock.
  public var system: System { main.system }

  /// One more process on the same disk.
  /// - Parameters:
  ///   - name: For messages.
  ///   - dies: Asked, on the calling thread and under no lock, before and after each of its calls: `true`
  ///     kills the process there. Before: the call is not made. After: it is made, and nobody learns of it.
  public func process(_ name: String, dies: (@Sendable (Moment) -> Bool)? = nil) -> Process {
    let process = Process(disk: disk, name: name, dies: dies)
    others.withLock { $0.append(process) }
    return process
  }

  /// Notes in the recording that the client has been told something: from here on no cut may lose it.
  public func acknowledge(_ what: String) {
    disk.state.withLock { $0.changes.append(.acknowledge(what)) }
  }

  /// How many changes were recorded so far: positions for ``cut(_:at:policy:)`` and ``CutPlan/from``.
  public var position: Int { disk.state.withLock { $0.changes.count } }

  /// What happened to the disk so far. A value: later calls do not change it.
  public var recording: Recording {
    disk.state.withLock { Recording(origin: $0.origin, changes: $0.changes) }
  }

  /// Everything that changed on a disk, in order, with the acknowledgements between.
  public struct Recording: Sendable {
    let origin: CrashVolume
    let changes: [CrashChange]

    /// How many changes there are; a session can be cut at 0 and after each.
    public var count: Int { changes.count }
    /// How many syncs of files and directories there are.
    public var syncs: Int { changes.count { if case .sync = $0 { true } else { false } } }
  }

  /// A moment in a process's life, just before or after one of its calls.
  public struct Moment: Sendable {
    /// The call.
    public let call: SystemCall
    /// The file it is about, where it is about one.
    public let path: String?
    /// The how-many-th call of this kind in this process, from 1.
    public let number: Int
    /// Whether the call has been made.
    public let isAfter: Bool
  }
}

/// The state of a disk that is in use, behind its lock.
final class CrashDisk: Sendable {
  let state: Monitor<CrashDiskState>

  init(_ volume: CrashVolume) { state = Monitor(CrashDiskState(volume)) }
}
