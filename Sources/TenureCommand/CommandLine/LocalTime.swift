#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The time of day, as a log shows it.
func timeOfDay(_ wall: Int64) -> String {
  var seconds = time_t(wall / 1_000_000_000)
  var parts = tm()
  localtime_r(&seconds, &parts)
  return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(
    separator: ":")
}

/// Date and time, as a list shows them.
func dateAndTime(_ wall: Int64) -> String {
  var seconds = time_t(wall / 1_000_000_000)
  var parts = tm()
  localtime_r(&seconds, &parts)
  let date = [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday]
  return date.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-") + " " + timeOfDay(wall)
}
