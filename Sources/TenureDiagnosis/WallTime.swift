/// Times of day for people, without a calendar library.
public enum WallTime {
  /// Nanoseconds since 1970 as `2026-11-30 21:04:05.123`, in UTC.
  public static func text(_ nanoseconds: Int64) -> String {
    let milliseconds = floorDivide(nanoseconds, 1_000_000)
    let days = floorDivide(milliseconds, 86_400_000)
    let rest = milliseconds - days * 86_400_000
    // Years begin in March, so that the leap day is a year's last; an era is 400 years.
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    let date = "\(padded(year, 4))-\(padded(month >= 10 ? month - 9 : month + 3, 2))-\(padded(day, 2))"
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60)
    let time = "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(rest / 1000 % 60, 2))"
    return "\(date) \(time).\(padded(rest % 1000, 3))"
  }

  private static func floorDivide(_ number: Int64, _ by: Int64) -> Int64 {
    number >= 0 ? number / by : -((-(number + 1)) / by) - 1
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
