#if os(Linux)
  import CTenureShim
  import Glibc

  /// inotify for the files, an eventfd to be woken by, and poll(2) over both.
  public final class FileWatcher: FileWatching {
    private let watch: Int32
    private let alarm: Int32
    private let places: [Int32: [(place: Int, mask: UInt32)]]
    private let count: Int

    /// Watches files; `EMFILE` or `ENOSPC` when the user's inotify instances or watches are used up.
    public init(_ files: [WatchedFile]) throws(Errno) {
      let watch = tenure_watch_open()
      if watch < 0 { throw Errno.current }
      var places: [Int32: [(place: Int, mask: UInt32)]] = [:]
      for (place, file) in files.enumerated() {
        let mask =
          switch file.change {
          case .written: UInt32(IN_MODIFY)
          case .closedAfterWriting: UInt32(IN_CLOSE_WRITE)
          }
        let watched = tenure_watch_add(watch, file.path, mask)
        if watched < 0 {
          let code = Errno.current
          Glibc.close(watch)
          throw code
        }
        places[watched, default: []].append((place, mask))
      }
      let alarm = tenure_wake_open()
      if alarm < 0 {
        let code = Errno.current
        Glibc.close(watch)
        throw code
      }
      self.watch = watch
      self.alarm = alarm
      self.places = places
      self.count = files.count
    }

    deinit {
      close(watch)
      close(alarm)
    }

    public func wait() throws(Errno) -> [Int] {
      var changes = [tenure_change](repeating: tenure_change(), count: count + 1)
      var woken: Int32 = 0
      while true {
        let changed = tenure_watch_wait(watch, alarm, &changes, Int32(changes.count), &woken)
        if changed < 0 {
          let code = Errno.current
          if code == .interrupted { continue }
          throw code
        }
        var told: [Int] = []
        for index in 0..<Int(changed) {
          let change = changes[index]
          // The kernel dropped events: anything may have changed.
          if change.mask & UInt32(IN_Q_OVERFLOW) != 0 { return Array(0..<count) }
          for (place, mask) in places[change.watched] ?? [] where mask & change.mask != 0 {
            told.append(place)
          }
        }
        if told.count > 1 { told.sort() }
        if woken != 0 || !told.isEmpty { return told }
      }
    }

    public func wake() { _ = tenure_wake(alarm) }
  }
#endif
