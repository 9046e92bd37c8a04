/// The calls that pass through ``SystemCalls``, by the names their manual pages have.
///
/// The `sqlite.` ones are made by SQLite's file layer and can be observed where a database is opened
/// through an intercepting layer (`TenureTesting`).
public enum SystemCall: String, CaseIterable, Hashable, Sendable, Codable {
  case open, close, read, pread, write, pwrite, fsync, fdatasync, ftruncate, fallocate
  case rename, link, unlink, mkdir, rmdir, readdir, stat, access, chmod, lock, unlock, clone, inotify
  case spawn, kill, wait
  case databaseOpen = "sqlite.open"
  case databaseRead = "sqlite.read"
  case databaseWrite = "sqlite.write"
  case databaseSync = "sqlite.sync"
  case databaseTruncate = "sqlite.truncate"
  case databaseDelete = "sqlite.delete"
  case databaseLock = "sqlite.lock"
  case databaseSharedLock = "sqlite.shmlock"
  case databaseSharedMap = "sqlite.shmmap"
}
