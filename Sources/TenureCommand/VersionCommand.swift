extension Command {
  /// `tenure version`
  static let version = Command("version", "Says which tenure this is.", taking: (), []) { _, context in
    context.terminal.print("tenure \(tenureVersion)")
    return .success
  }
}

/// The version of the package; `CHANGELOG.md` says what is in it.
let tenureVersion = "0.1.0"
