import TenureSystem
import Testing

@Suite("SystemError")
struct SystemErrorTests {
  @Test(
    "The sentence says what, where, why and what to do",
    arguments: [
      (
        SystemError(.fsync, .noSpace, path: "/box/file"),
        "fsync /box/file: No space left on device (errno 28). Free some space and try again."
      ),
      (
        SystemError(.open, .noEntry, path: "/none"),
        "open /none: No such file or directory (errno 2). Check the path."
      ),
      (SystemError(.rename, .crossDevice, path: nil), "rename: \(Errno.crossDevice) (errno 18)."),
      (
        SystemError(.databaseSync, .inputOutput, path: "/a"),
        "sqlite.sync /a: Input/output error (errno 5). The device failed; nothing more is written until it answers again."
      ),
    ])
  func sentences(error: SystemError, sentence: String) { #expect(error.description == sentence) }

  @Test(
    "What may pass by itself is transient",
    arguments: [
      (Errno.noSpace, true), (.tooManyFiles, true), (.accessDenied, true), (.inputOutput, false),
      (.noEntry, false),
      (.readOnlyFileSystem, false),
    ])
  func transient(code: Errno, isTransient: Bool) {
    #expect(SystemError(.open, code, path: nil).isTransient == isTransient)
  }
}
