/// Something an app extension may not use, as it is written in Swift.
enum SwiftSpelling: Hashable, Sendable {
  /// A name that means only this: a class, a protocol.
  case name(String)
  /// `Type.member`, also where a declared type stands for it: `let a: Type = .member`.
  case memberOf(String, String)
  /// `anything.member`: the member's name means only this.
  case member(String)
  /// `anything.name(a:b:)`: a call with these labels, `_` for none; later ones may be left out.
  case call(String, [String], in: Scope)
  /// `Type(a:b:)`: a call of this initialiser.
  case initializer(String, [String])

  /// The files a spelling means this in.
  enum Scope: Hashable, Sendable {
    case anyFile
    /// The name is common elsewhere: only files that import one of these.
    case filesImporting(Set<String>)
  }
}

private let userInterface: Set = ["UIKit", "SwiftUI", "UIKitCore"]

/// How each Objective-C name of `extension-unavailable.tsv` is written in Swift.
let swiftSpellings: [String: [SwiftSpelling]] = [
  "EKCalendarChooser": [.name("EKCalendarChooser")],
  "EKEventEditViewController": [.name("EKEventEditViewController")],
  "EKEventViewController": [.name("EKEventViewController")],
  "EKEventEditViewDelegate": [.name("EKEventEditViewDelegate")],
  "EKEventViewDelegate": [.name("EKEventViewDelegate")],
  "NFCISO15693CustomCommandConfiguration": [.name("NFCISO15693CustomCommandConfiguration")],
  "NFCISO15693ReadMultipleBlocksConfiguration": [.name("NFCISO15693ReadMultipleBlocksConfiguration")],
  "NFCNDEFMessage": [.name("NFCNDEFMessage")],
  "NFCNDEFPayload": [.name("NFCNDEFPayload")],
  "NFCTagCommandConfiguration": [.name("NFCTagCommandConfiguration")],
  "ForegroundContinuableIntent": [.name("ForegroundContinuableIntent")],

  "INCancelWorkoutIntentResponseCodeSuccess": [.memberOf("INCancelWorkoutIntentResponseCode", "success")],
  "INEndWorkoutIntentResponseCodeSuccess": [.memberOf("INEndWorkoutIntentResponseCode", "success")],
  "INPauseWorkoutIntentResponseCodeSuccess": [.memberOf("INPauseWorkoutIntentResponseCode", "success")],
  "INResumeWorkoutIntentResponseCodeSuccess": [.memberOf("INResumeWorkoutIntentResponseCode", "success")],
  "INStartWorkoutIntentResponseCodeSuccess": [.memberOf("INStartWorkoutIntentResponseCode", "success")],

  "-[BGTaskScheduler registerForTaskWithIdentifier:usingQueue:launchHandler:]": [
    .call("register", ["forTaskWithIdentifier", "using", "launchHandler"], in: .anyFile)
  ],
  "-[HKHealthStore handleAuthorizationForExtensionWithCompletion:]": [
    .member("handleAuthorizationForExtension")
  ],
  "+[INPreferences requestSiriAuthorization:]": [.memberOf("INPreferences", "requestSiriAuthorization")],
  "+[INPreferences siriAuthorizationStatus]": [.memberOf("INPreferences", "siriAuthorizationStatus")],
  "-[INUserContext becomeCurrent]": [.member("becomeCurrent")],
  "-[INVocabulary removeAllVocabularyStrings]": [.member("removeAllVocabularyStrings")],
  "-[INVocabulary setVocabulary:ofType:]": [.call("setVocabulary", ["_", "of"], in: .anyFile)],
  "-[INVocabulary setVocabularyStrings:ofType:]": [.member("setVocabularyStrings")],
  "-[NFCISO15693ReaderSession initWithDelegate:queue:]": [
    .initializer("NFCISO15693ReaderSession", ["delegate", "queue"])
  ],
  "-[NFCISO15693Tag readMultipleBlocksWithConfiguration:completionHandler:]": [
    .call("readMultipleBlocks", ["readConfiguration", "resultHandler"], in: .anyFile),
    .call("readMultipleBlocks", ["readConfiguration", "completionHandler"], in: .anyFile),
  ],
  "-[NFCISO15693Tag sendCustomCommandWithConfiguration:completionHandler:]": [
    .call("sendCustomCommand", ["commandConfiguration", "resultHandler"], in: .anyFile),
    .call("sendCustomCommand", ["commandConfiguration", "completionHandler"], in: .anyFile),
  ],
  "-[NFCNDEFReaderSession initWithDelegate:queue:invalidateAfterFirstRead:]": [
    .initializer("NFCNDEFReaderSession", ["delegate", "queue", "invalidateAfterFirstRead"])
  ],
  "-[NFCTagReaderSession initWithPollingOption:delegate:queue:]": [
    .initializer("NFCTagReaderSession", ["pollingOption", "delegate", "queue"])
  ],
  "-[NFCVASReaderSession initWithVASCommandConfigurations:delegate:queue:]": [
    .initializer("NFCVASReaderSession", ["vasCommandConfigurations", "delegate", "queue"])
  ],
  "+[PKPassLibrary endAutomaticPassPresentationSuppressionWithRequestToken:]": [
    .member("endAutomaticPassPresentationSuppression")
  ],
  "+[PKPassLibrary isSuppressingAutomaticPassPresentation]": [
    .member("isSuppressingAutomaticPassPresentation")
  ],
  "+[PKPassLibrary requestAutomaticPassPresentationSuppressionWithResponseHandler:]": [
    .member("requestAutomaticPassPresentationSuppression")
  ],
  "+[SKOverlay dismissOverlayInScene:]": [.memberOf("SKOverlay", "dismiss")],
  "-[SKOverlay presentInScene:]": [.call("present", ["in"], in: .filesImporting(["StoreKit"]))],
  "-[UIActionSheet initWithTitle:delegate:cancelButtonTitle:destructiveButtonTitle:otherButtonTitles:]": [
    .initializer("UIActionSheet", ["title", "delegate", "cancelButtonTitle", "destructiveButtonTitle"])
  ],
  "-[UIAlertView initWithTitle:message:delegate:cancelButtonTitle:otherButtonTitles:]": [
    .initializer("UIAlertView", ["title", "message", "delegate", "cancelButtonTitle"])
  ],

  "+[UIApplication sharedApplication]": [
    .memberOf("UIApplication", "shared"), .member("sharedApplication"),
  ],
  "UIApplication.sharedApplication": [
    .memberOf("UIApplication", "shared"), .member("sharedApplication"),
  ],
  "-[UIApplication alternateIconName]": [.member("alternateIconName")],
  "UIApplication.alternateIconName": [.member("alternateIconName")],
  "-[UIApplication setAlternateIconName:completionHandler:]": [.member("setAlternateIconName")],
  "-[UIApplication supportsAlternateIcons]": [.member("supportsAlternateIcons")],
  "UIApplication.supportsAlternateIcons": [.member("supportsAlternateIcons")],
  "-[UIApplication beginIgnoringInteractionEvents]": [.member("beginIgnoringInteractionEvents")],
  "-[UIApplication endIgnoringInteractionEvents]": [.member("endIgnoringInteractionEvents")],
  "-[UIApplication openURL:]": [.call("openURL", ["_"], in: .anyFile)],
  "-[UIApplication openURL:options:completionHandler:]": [
    .call("open", ["_", "options", "completionHandler"], in: .filesImporting(userInterface)),
    .call("openURL", ["_", "options", "completionHandler"], in: .anyFile),
  ],
]
