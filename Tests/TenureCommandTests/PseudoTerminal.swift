import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A terminal of a test's own: what a program writes to it can be waited for, and a person can be played.
final class PseudoTerminal: Sendable {
  struct Missing: Error {}

  /// The program's side, until the program has it.
  private let program: Lock<OpenFile?>
  private let person: Lock<OpenFile?>

  init() throws {
    let (master, name) = try Self.open()
    let slave = openFile(name, O_RDWR | O_NOCTTY)
    guard slave >= 0 else { throw Missing() }
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    _ = fcntl(slave, F_SETFD, FD_CLOEXEC)
    let calls = System.live.calls
    person = Lock(OpenFile(descriptor: master, path: "pty", calls: calls))
    program = Lock(OpenFile(descriptor: slave, path: "pty", calls: calls))
  }

  /// The person's side, and the name of the program's.
  private static func open() throws -> (Int32, String) {
    #if os(Linux)
      // What posix_openpt and its companions do, which this library's module does not show.
      let (unlock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
      let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var (isLocked, number) = (Int32(0), Int32(0))
      guard master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, getNumber, &number) == 0 else {
        throw Missing()
      }
      return (master, "/dev/pts/\(number)")
    #else
      let master = posix_openpt(O_RDWR | O_NOCTTY)
      guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
        throw Missing()
      }
      return (master, String(cString: name))
    #endif
  }

  /// Starts the one program on it: when that has ended, nothing more comes.
  func start(_ path: String, _ words: [String], environment: [String] = []) throws -> ChildProcess {
    let taken = program.withLock { program in
      defer { program = nil }
      return program
    }
    guard let taken else { throw Missing() }
    let stream = ChildProcess.Stream.descriptor(taken.descriptor)
    return try ChildProcess.start(
      path, arguments: words,
      environment: environment + ["TERM=xterm", "NO_COLOR=1", "HOME=/tmp", "PATH=/usr/bin:/bin"],
      input: stream, output: stream, errors: stream, ownGroup: true)
  }

  func type(_ text: String) throws { try person.withLock { $0 }?.writeAll(Array(text.utf8)) }

  /// What is written until `text` has come, with it; all there is when it does not come.
  func text(until text: String) async throws -> String {
    guard let person = person.withLock({ $0 }) else { return "" }
    return try await SystemThread.run(name: "test.pty") {
      var seen = ""
      while !seen.contains(text) {
        // An error is how it says that the program has ended.
        guard let bytes = try? person.readSome(upTo: 4096), !bytes.isEmpty else { break }
        seen += String(decoding: bytes, as: UTF8.self)
      }
      return seen
    }
  }

  /// The window is closed.
  func hangUp() { person.withLock { $0 = nil } }
}

private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
