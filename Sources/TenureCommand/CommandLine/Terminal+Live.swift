import TenureSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Terminal {
  /// The terminal the process was started with.
  ///
  /// From here on a closed pipe is an error of `write`, not a signal that kills.
  static func live(_ system: System) -> Terminal {
    signal(SIGPIPE, SIG_IGN)
    occupyStandardDescriptors()
    let isTerminal = isatty(1) == 1
    let isDumb = environment("TERM") == "dumb"
    let wantsColour = environment("NO_COLOR") == nil && !isDumb
    return Terminal(
      output: .descriptor(1, system), errors: .descriptor(2, system), columns: terminalColumns,
      isColoured: isTerminal && wantsColour,
      movesCursor: !isDumb, whenOutputCloses: { endProcess($0) })
  }
}

extension Terminal.Stream {
  /// A stream to an open descriptor.
  static func descriptor(_ number: Int32, _ system: System) -> Terminal.Stream {
    let calls = system.calls
    return Terminal.Stream(isTerminal: isatty(number) == 1) { bytes throws(Errno) in
      var rest = bytes
      while !rest.isEmpty {
        do throws(Errno) {
          let count = try calls.write(number, rest)
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } catch {
          if error != .interrupted { throw error }
        }
      }
    }
  }
}

/// A variable of the environment; `nil` also when it is empty, which in a shell means the same.
func environment(_ name: String) -> String? {
  guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
  return value
}

/// Makes sure that no file of ours gets the number of a standard stream that the process was started without: what
/// is printed would go into that file. Nothing can be written to the stand-in.
private func occupyStandardDescriptors() {
  for number: Int32 in 0...2 where fcntl(number, F_GETFD) == -1 {
    // The lowest free number is the one that is missing.
    _ = open("/dev/null", O_RDONLY)
  }
}

private func terminalColumns() -> Int? {
  if let columns = environment("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
  var size = winsize()
  for descriptor: Int32 in [1, 2] where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
    return Int(size.ws_col)
  }
  return nil
}
