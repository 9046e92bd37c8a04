/// The kinds of event a reader knows.
public struct TraceRegistry: Sendable {
  private let types: [String: any TraceEvent.Type]

  /// Knows the kinds of `types`. Of two with one kind the later counts.
  public init(_ types: [any TraceEvent.Type]) {
    self.types = Dictionary(types.map { ($0.kind, $0) }) { _, later in later }
  }

  /// All kinds, sorted.
  public var kinds: [String] { types.keys.sorted() }

  /// Makes the event of a kind; `nil` when the kind is not known.
  public func event(ofKind kind: String, from fields: EventFields) throws(EventFields.Problem)
    -> (any TraceEvent)?
  {
    guard let type = types[kind] else { return nil }
    return try type.init(from: fields)
  }

  /// Every kind of this version, in the order of `Documentation/trace-format.md`.
  public static let standard = TraceRegistry([
    // The trace itself and its process
    ProcessStarted.self, ProcessSuspending.self, ProcessResumed.self, TraceDropped.self, TraceRemoved.self,
    // D
    SaveBegun.self, SaveEnded.self, SaveConflict.self, SaveInDoubt.self, InDoubtResolved.self,
    CancelRequested.self, BodyWritten.self, DocumentRead.self, DocumentObserved.self,
    DraftRecovered.self, DraftDiscarded.self, FlushBegun.self, FlushEnded.self, MergeTried.self,
    HistoryRead.self, HistoryPurged.self, SceneStateSaved.self, SchemaFound.self, BoundReached.self,
    // Scenes
    SceneOpened.self, SceneForeground.self, SceneBackground.self, SceneClosed.self,
    // G
    LockWanted.self, LockTaken.self, LockReleased.self, LockAbandoned.self, LeaseTaken.self,
    LeaseReaped.self, FileReplaced.self, FileWritten.self, SignalRung.self, SignalSeen.self,
    SignalWatchEnded.self, DatabaseCommitted.self, CheckpointDone.self,
  ])
}
