import Tenure

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What belongs to one scene and to nothing else (D10).
struct SceneState: Codable, Sendable, Hashable {
  var selection: DocumentID?

  init() {}

  /// `nil` when another version of the app wrote something this one cannot read: the scene starts afresh.
  init?(data: Data) {
    guard let state = try? JSONDecoder().decode(SceneState.self, from: data) else { return nil }
    self = state
  }

  func data() throws -> Data { try JSONEncoder().encode(self) }
}
