import Foundation
import Testing

@testable import CheckFloors

@Suite("The extension-safety check") struct ExtensionSafetyTests {
  static let names: [UnavailableName] = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = root.appendingPathComponent("Tools/CheckFloors/extension-unavailable.tsv")
    return UnavailableName.rows(of: (try? String(contentsOf: path, encoding: .utf8)) ?? "")
  }()

  func lines(_ text: String) -> [Int] {
    faults(
      in: SourceFile(module: "TenureScreens", path: "File.swift", text: text), forbidding: Self.names
    ).map(\.line)
  }

  @Test("Every row of the table has a Swift spelling")
  func complete() {
    #expect(Self.names.count == 48)
    for name in Self.names { #expect(swiftSpellings[name.name]?.isEmpty == false, "\(name.name)") }
  }

  @Test(
    "A file that uses what extensions may not is found",
    arguments: [
      "let app = UIApplication.shared",
      "let app = UIApplication\n  .shared",
      "let app: UIApplication = .shared",
      "let app: UIApplication? = .shared",
      "UIApplication.self.shared.isIdleTimerDisabled = true",
      "application.openURL(url)",
      "import UIKit\napplication.open(url)",
      "import UIKit\napplication.open(url, options: [:], completionHandler: nil)",
      "import UIKit\napplication.open(url, options: [:]) { _ in }",
      "import SwiftUI\n@MainActor func go() async { await app?.open(link(to: x, y)) }",
      "app.setAlternateIconName(\"dark\") { _ in }",
      "if app.supportsAlternateIcons { }",
      "app.beginIgnoringInteractionEvents()",
      "final class Picker: NSObject, EKEventEditViewDelegate {}",
      "let chooser = EKCalendarChooser(selectionStyle: .single, displayStyle: .allCalendars, eventStore: s)",
      "return .init(code: INStartWorkoutIntentResponseCode.success, userActivity: nil)",
      "BGTaskScheduler.shared.register(forTaskWithIdentifier: id, using: nil) { _ in }",
      "INPreferences.requestSiriAuthorization { _ in }",
      "let session = NFCTagReaderSession(pollingOption: .iso14443, delegate: self, queue: nil)",
      "let session = NFCNDEFReaderSession.init(delegate: self, queue: nil, invalidateAfterFirstRead: true)",
      "import StoreKit\noverlay.present(in: scene)",
      "let text = \"\\(UIApplication.shared.delegate)\"",
      "struct Go: ForegroundContinuableIntent {}",
    ])
  func unsafe(text: String) {
    #expect(!lines(text).isEmpty)
  }

  @Test(
    "A file that does not is left alone",
    arguments: [
      "// UIApplication.shared\nlet a = 1",
      "/// Never uses `UIApplication.shared`.\nstruct A {}",
      "/* UIApplication.shared /* .openURL(x) */ EKEventViewController */",
      "let text = \"UIApplication.shared\"",
      "let text = \"\"\"\n  UIApplication.shared \" .openURL(url)\n  \"\"\"",
      "let text = #\"UIApplication.shared \\(EKEventViewController.self)\"#",
      "let file = try system.open(path)",
      "import UIKit\nlet file = try system.open(path, .read)",
      "import UIKit\nlet store = try await DocumentStore.open(database, options: options, guards: guards)",
      "import UIKit\nextensionContext?.open(url, completionHandler: nil)",
      "import SwiftUI\n@Environment(\\.openURL) var openURL\nfunc go() { openURL(url) }",
      "let session = URLSession.shared",
      "func take(_ application: UIApplication) {}",
      "viewController.present(in: scene)",
      "let code = INStartWorkoutIntentResponseCode.failure",
      "registry.register(rule, forKind: \"txt\")",
    ])
  func safe(text: String) {
    #expect(lines(text).isEmpty)
  }

  @Test("The fault names the line, the spelling and the header's advice")
  func message() {
    let file = SourceFile(
      module: "TenureScreens", path: "Sources/TenureScreens/Scene.swift",
      text: "import UIKit\n\nlet app = UIApplication.shared\n")
    #expect(
      faults(in: file, forbidding: Self.names).map(\.description) == [
        "Sources/TenureScreens/Scene.swift:3: error: UIApplication.shared is not for app extensions, and "
          + "TenureScreens is part of them: Use view controller based solutions where appropriate instead."
      ])
  }
}
