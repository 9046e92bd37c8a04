import TenureSystem

/// The customary lock: a file that its holder makes and removes. A killed holder leaves it behind, and everyone
/// waits for ever. It is here for the lab, which takes the guard of G2 away to show just that.
final class MarkerFile: Exclusion {
  private let path: String
  private let system: System
  private let note: HolderNote
  private let pause = Monitor(())

  init(path: String, system: System, holder: HolderNote) {
    self.path = path
    self.system = system
    self.note = holder
  }

  func acquire(timeout: UInt64?) throws(SystemError) -> Bool {
    let start = LiveClock().monotonic
    while true {
      do {
        note.write(to: try system.open(path, [.read, .write, .create, .exclusive]))
        return true
      } catch {
        if error.code != .exists { throw error }
      }
      if let timeout, LiveClock().monotonic - start >= timeout { return false }
      // Nothing tells when the file goes: this is the polling that everybody writes.
      _ = pause.wait(timeout: 1_000_000) { _ in nil as Void? }
    }
  }

  func release() { _ = try? system.remove(path) }

  var holder: String? {
    guard let file = try? system.open(path, .read) else { return nil }
    return HolderNote.read(from: file)
  }
}
