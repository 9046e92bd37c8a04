import TenureSystem
import Testing

@testable import TenureGroup

@Suite("GroupError")
struct GroupErrorTests {
  @Test(
    "Every error says what is meant in a sentence with its subject",
    arguments: [
      (
        GroupError.notADirectory(path: "/a"), "/a is not a directory. Choose a folder, or move the file away."
      ),
      (.missingDirectory(path: "/a"), "The directory /a does not exist. Create it, or check the path."),
      (
        .readOnly(path: "/a"),
        "/a cannot be written. Check its permissions, or choose a folder on a writable volume."
      ),
      (
        .unreadableNow(path: "/a"),
        "/a cannot be read now. It is not known to be empty: try again after the device was unlocked."
      ),
      (
        .lockTimedOut(lock: "/a.lock", holder: "app, process 7 (x)"),
        "The lock /a.lock was not free in time; last held by app, process 7 (x). Try again, or see what that process does."
      ),
      (
        .lockTimedOut(lock: "/a.lock", holder: nil),
        "The lock /a.lock was not free in time; last held by a process that did not say who it is. "
          + "Try again, or see what that process does."
      ),
      (
        .lockHeldByCaller(lock: "/a.lock", purpose: "save"),
        "The lock /a.lock is held by this thread already, for save: asking for it again would wait for ever. "
          + "Do both in one turn, or ask after the first has ended."
      ),
      (
        .leaseHeld(name: "s", holder: nil),
        "The lease s is held by another process. Choose another name, or wait for its end."
      ),
      (
        .system(SystemError(.fsync, .noSpace, path: "/a")),
        "fsync /a: No space left on device (errno 28). Free some space and try again."
      ),
      (.fileTooLarge(path: "/a", limit: 9), "/a is larger than the 9 bytes allowed here."),
    ])
  func sentences(error: GroupError, sentence: String) { #expect(error.description == sentence) }

  @Test("What may succeed later says so")
  func retryable() {
    #expect(GroupError.lockTimedOut(lock: "", holder: nil).isRetryable)
    #expect(GroupError.unreadableNow(path: "").isRetryable)
    #expect(GroupError.system(SystemError(.write, .noSpace, path: nil)).isRetryable)
    #expect(!GroupError.system(SystemError(.write, .inputOutput, path: nil)).isRetryable)
    #expect(!GroupError.readOnly(path: "").isRetryable)
    #expect(!GroupError.invalidName("").isRetryable)
  }
}
