import TenureSystem

/// Runs tasks on the writer's thread, between transactions.
///
/// A caller on Swift's pool pays for two threads waking each other in every commit. One that does little but
/// commit, such as an importer, saves that by running where the commits happen:
/// ```swift
/// try await withTaskExecutorPreference(database.executor) {
///   for row in rows { try await database.write("import") { try insert(row, $0) } }
/// }
/// ```
/// What runs here keeps this process's other writes waiting (no lock is held), so it must not compute for long
/// and must never block.
public final class WriterExecutor: TaskExecutor {
  private let queue: WriteQueue

  init(_ queue: WriteQueue) { self.queue = queue }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if queue.add(job) { return }
    runLate(job)
  }

  func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }

  /// After the end of the writer's thread a task still has to go on somewhere.
  func runLate(_ job: UnownedJob) {
    do {
      try SystemThread.start(name: "tenure.late") { self.run(job) }
    } catch {
      run(job)
    }
  }
}
