import TenureGroup
import TenureSystem
import TenureTrace

extension GroupDatabase {
  /// Opens a copy of a container's database, for one that must not be touched: taken off a device, on a read-only
  /// volume, or evidence.
  ///
  /// Nothing of the container changes: no byte, no name, no time of change, no lock. What is in its log and not
  /// copied back yet is seen. Bodies are read where they are. Every write is refused with
  /// ``StorageError/inspectedOnly(original:)``; tables of older versions are migrated in the copy, those of newer ones
  /// refused.
  ///
  /// The copy needs room for the database and its log in `temporaryFolder` (`TMPDIR`, or `/tmp`), readable by this
  /// user only; ``close()`` removes it, and after a kill the next inspection does. Cancelling the task while it
  /// copies removes it, too. A container that others write to may be inspected; a body that they purge afterwards
  /// is then missing here.
  public static func inspect(
    _ path: String, components: [Component], options: Options = Options(), temporaryFolder: String? = nil,
    system: System = .live, trace: Trace = .off
  ) async throws -> GroupDatabase {
    var options = options
    options.reserve = 0
    let original: GroupContainer
    do {
      original = try GroupContainer.existing(at: path, system: system, trace: trace)
    } catch {
      throw StorageError(error)
    }
    let inspection = try await copy(
      DatabaseFile(container: original, options: options, guards: StorageGuards()),
      in: temporaryFolder ?? TransientFolder.place)
    let container: GroupContainer
    do {
      container = try GroupContainer.open(at: inspection.path, system: system, trace: trace)
    } catch {
      inspection.end()
      throw StorageError(error)
    }
    return try await started(
      DatabaseFile(container: container, options: options, guards: StorageGuards()), components,
      inspection: inspection)
  }

  /// Whether there is a database in a container, asked without making anything.
  ///
  /// Throws what opening it would throw for what is not ours, damaged at its head, or lost.
  public static func exists(in container: GroupContainer) throws(StorageError) -> Bool {
    try DatabaseFile(container: container, options: Options(), guards: StorageGuards()).inspect()
  }

  /// The container this is a copy of; `nil` for one that is written to.
  public var inspectedContainer: String? { inspection?.original.path }

  private static func copy(_ file: DatabaseFile, in place: String) async throws -> Inspection {
    let stop = StopFlag()
    let worker = WorkerThread(name: "tenure.inspection")
    defer { worker.end() }
    do {
      return try await withTaskCancellationHandler {
        try await worker.run { try Inspection(of: file, in: place, stop: stop) }
      } onCancel: {
        stop.raise()
      }
    } catch StorageError.interrupted {
      throw CancellationError()
    }
  }
}
