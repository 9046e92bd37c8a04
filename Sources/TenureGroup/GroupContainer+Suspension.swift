import TenureTrace

extension GroupContainer {
  /// To be called when the system is about to suspend this process (G2).
  ///
  /// Records it, and answers what this process still holds in the container: a process that is suspended with
  /// a lock on a shared file keeps every other one waiting, and on iOS is killed for it (0xdead10cc). An empty
  /// answer is the only good one; the diagnosis finds the others in the trace.
  public func suspending() -> [HeldLock] {
    trace.record(ProcessSuspending())
    let inside = path.appendingPath("")
    return GroupLock.heldNow.filter { $0.path.hasPrefix(inside) }
  }

  /// To be called when the process runs again.
  public func resumed() {
    trace.record(ProcessResumed())
  }
}
