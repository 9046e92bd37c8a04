extension GroupDatabase {
  /// Bounds and waits, each with a value that suits an app.
  public struct Options: Sendable, Hashable {
    /// The write-ahead log is copied back when it has so many bytes.
    public var logSoftBound: Int64
    /// When it has so many, a commit first waits for readers so that the log can start anew, and is refused
    /// when that does not help (D13). What one transaction writes comes on top.
    public var logHardBound: Int64
    /// How long a commit that finds the log past twice its soft bound waits for readers.
    public var restartWait: Duration
    /// How long a commit that finds the log past its hard bound waits for readers before it is refused.
    public var refusalWait: Duration
    /// A read that takes longer leaves a note, so that others can name it when it is in their way.
    public var readNoteAfter: Duration
    /// How long a write waits for the commit lock; `nil` for ever.
    public var lockTimeout: Duration?
    /// How long a statement waits for somebody outside this library who holds SQLite's own lock.
    public var busyTimeout: Duration
    /// Disk space held back for the day the disk is full, in bytes; at least ``logHardBound`` to be of use.
    public var reserve: Int64
    /// Threads for reading.
    public var readers: Int
    /// How often other processes' commits are looked for where no signal tells of them.
    public var pollEvery: Duration
    /// The most writes in one transaction.
    public var groupLimit: Int
    /// After so long a transaction takes no more writes: other processes wait for the lock.
    public var groupTime: Duration
    /// How long this process keeps the commit lock for one transaction after the other, while its callers have
    /// more to write; then the next process has its turn. Zero gives the lock back after each transaction.
    public var lockTurn: Duration
    /// The largest body file, in bytes.
    public var bodyLimit: Int64

    /// The values that suit an app.
    public init() {
      logSoftBound = 4 << 20
      logHardBound = 32 << 20
      restartWait = .milliseconds(250)
      refusalWait = .seconds(2)
      readNoteAfter = .milliseconds(500)
      lockTimeout = .seconds(30)
      busyTimeout = .seconds(5)
      reserve = 32 << 20
      readers = 3
      pollEvery = .seconds(1)
      groupLimit = 256
      groupTime = .milliseconds(20)
      lockTurn = .milliseconds(20)
      bodyLimit = 16 << 30
    }
  }
}
