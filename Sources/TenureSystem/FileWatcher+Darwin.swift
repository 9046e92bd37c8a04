#if canImport(Darwin)
  import Darwin

  /// kqueue: `EVFILT_VNODE` for the files, `EVFILT_USER` to be woken by.
  ///
  /// kqueue does not tell when a descriptor that could write is closed, so ``WatchedFile/Change/closedAfterWriting``
  /// is never reported here; whoever needs it polls.
  public final class FileWatcher: FileWatching {
    private let queue: Int32
    private let descriptors: [Int32]
    private static let alarm: UInt = 1

    /// Watches files.
    public init(_ files: [WatchedFile]) throws(Errno) {
      let queue = kqueue()
      if queue < 0 { throw Errno.current }
      var descriptors: [Int32] = []
      var requests = [
        kevent(
          ident: Self.alarm, filter: Int16(EVFILT_USER), flags: UInt16(EV_ADD | EV_CLEAR), fflags: 0, data: 0,
          udata: nil)
      ]
      for (place, file) in files.enumerated() where file.change == .written {
        let descriptor = Darwin.open(file.path, O_EVTONLY | O_CLOEXEC)
        if descriptor < 0 {
          let code = Errno.current
          for other in descriptors + [queue] { close(other) }
          throw code
        }
        descriptors.append(descriptor)
        requests.append(
          kevent(
            ident: UInt(descriptor), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR),
            fflags: UInt32(NOTE_WRITE | NOTE_EXTEND), data: 0,
            udata: UnsafeMutableRawPointer(bitPattern: place + 1)))
      }
      if kevent(queue, &requests, Int32(requests.count), nil, 0, nil) < 0 {
        let code = Errno.current
        for other in descriptors + [queue] { close(other) }
        throw code
      }
      self.queue = queue
      self.descriptors = descriptors
    }

    deinit {
      for descriptor in descriptors + [queue] { close(descriptor) }
    }

    public func wait() throws(Errno) -> [Int] {
      var events = [kevent](repeating: kevent(), count: descriptors.count + 1)
      while true {
        let count = kevent(queue, nil, 0, &events, Int32(events.count), nil)
        if count >= 0 {
          return events.prefix(Int(count)).filter { $0.filter == Int16(EVFILT_VNODE) }
            .map { Int(bitPattern: $0.udata) - 1 }.sorted()
        }
        let code = Errno.current
        if code != .interrupted { throw code }
      }
    }

    public func wake() {
      var request = kevent(
        ident: Self.alarm, filter: Int16(EVFILT_USER), flags: 0, fflags: UInt32(NOTE_TRIGGER), data: 0,
        udata: nil)
      _ = kevent(queue, &request, 1, nil, 0, nil)
    }
  }
#endif
