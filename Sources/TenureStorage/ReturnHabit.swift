/// Whether it pays to wait a moment for a caller to come back: it did the last times.
///
/// One that stays away four times in a row is not waited for again until every sixteenth time shows otherwise, so
/// an app that saves now and then spends no processor time on it.
struct ReturnHabit: Sendable {
  private var trust = 0
  private var skipped = 0

  /// Asked before each wait.
  var waits: Bool {
    mutating get {
      if trust > -4 { return true }
      skipped += 1
      return skipped % 16 == 0
    }
  }

  /// Whether callers came back the last times.
  var isTrusted: Bool { trust > 0 }

  /// What the wait showed.
  mutating func note(_ isBack: Bool) { trust = isBack ? 2 : max(-4, trust - 1) }
}
