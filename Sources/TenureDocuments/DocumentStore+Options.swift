extension DocumentStore {
  /// Bounds (D13) and the values drafts are kept by.
  public struct Options: Sendable, Hashable {
    /// Bodies up to so many bytes live in the database; larger ones in files of their own.
    public var inlineLimit: Int
    /// The largest body, in bytes. A larger one is refused before anything is written.
    public var bodyLimit: Int64
    /// The most drafts in the container; one more is refused.
    public var draftLimit: Int
    /// The largest state of one scene, in bytes.
    public var sceneStateLimit: Int

    /// The values that suit an app: 64 KiB inline, 4 GiB at most, 1,000 drafts, 1 MiB of scene state.
    public init() {
      inlineLimit = 64 << 10
      bodyLimit = 4 << 30
      draftLimit = 1_000
      sceneStateLimit = 1 << 20
    }
  }
}
