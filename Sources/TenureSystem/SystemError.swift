/// A system call that failed: which one, on what, why, and what a person can do about it.
///
/// ```
/// fsync /tmp/box/tenure.sqlite: No space left on device (errno 28). Free some space and try again.
/// ```
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call that failed.
  public let call: SystemCall
  /// Why.
  public let code: Errno
  /// The file it was about, where it was about one.
  public let path: String?

  /// Names a failed call.
  public init(_ call: SystemCall, _ code: Errno, path: String?) {
    self.call = call
    self.code = code
    self.path = path
  }

  /// What happened and what to do, in one line.
  public var description: String {
    let subject = path.map { " \($0)" } ?? ""
    let what = "\(call.rawValue)\(subject): \(code) (errno \(code.rawValue))."
    return advice.map { "\(what) \($0)" } ?? what
  }

  /// What a person can do, where there is something.
  public var advice: String? {
    switch code {
    case .noSpace, .quotaExceeded: "Free some space and try again."
    case .accessDenied, .notPermitted:
      "Check the permissions; on an Apple device the file may be unreadable until the first unlock."
    case .readOnlyFileSystem: "The volume is read-only; choose another folder."
    case .tooManyFiles: "The process has too many files open; close some or raise the limit (ulimit -n)."
    case .noEntry: "Check the path."
    case .inputOutput: "The device failed; nothing more is written until it answers again."
    default: nil
    }
  }

  /// Whether the same call may succeed later without anybody changing the request.
  public var isTransient: Bool {
    switch code {
    case .interrupted, .wouldBlock, .noSpace, .quotaExceeded, .tooManyFiles, .accessDenied, .notPermitted:
      true
    default: false
    }
  }
}
