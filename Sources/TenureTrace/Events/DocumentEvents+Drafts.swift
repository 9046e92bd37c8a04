// Events of the D laws: what belongs to one scene.

/// How a draft stands to the document it was made from.
public enum DraftStandingName: String, TraceValue, Hashable {
  case current, movedOn, deleted, alreadyCommitted, inDoubt, damaged
}

/// A draft was offered again after an interruption (D6).
public struct DraftRecovered: TraceEvent {
  public static let kind = "draft.recovered"
  /// The document's ID.
  public var document: String
  /// The change ID, in hexadecimal.
  public var change: String
  /// The version the draft started from.
  public var base: Int64
  /// The version that is current now.
  public var current: Int64
  /// How the two relate.
  public var standing: DraftStandingName
  /// The scene it belongs to.
  public var scene: String

  /// An event by its fields.
  public init(
    document: String, change: String, base: Int64, current: Int64, standing: DraftStandingName, scene: String
  ) {
    self.document = document
    self.change = change
    self.base = base
    self.current = current
    self.standing = standing
    self.scene = scene
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    change = try fields.value("change")
    base = try fields.value("base")
    current = try fields.value("current")
    standing = try fields.value("standing")
    scene = try fields.value("scene")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("change", change)
    fields.write("base", base)
    fields.write("current", current)
    fields.write("standing", standing)
    fields.write("scene", scene)
  }
}

/// A draft was thrown away because its owner asked for it (D6).
public struct DraftDiscarded: TraceEvent {
  public static let kind = "draft.discarded"
  /// The document's ID.
  public var document: String
  /// The change ID, in hexadecimal.
  public var change: String
  /// The scene it belonged to.
  public var scene: String

  /// An event by its fields.
  public init(document: String, change: String, scene: String) {
    self.document = document
    self.change = change
    self.scene = scene
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    document = try fields.value("document")
    change = try fields.value("change")
    scene = try fields.value("scene")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("document", document)
    fields.write("change", change)
    fields.write("scene", scene)
  }
}

/// UI state of one scene was saved, apart from the document (D10).
public struct SceneStateSaved: TraceEvent {
  public static let kind = "scene.state-saved"
  /// The scene it belongs to.
  public var scene: String
  /// Size.
  public var bytes: Int64

  /// An event by its fields.
  public init(scene: String, bytes: Int64) {
    self.scene = scene
    self.bytes = bytes
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    scene = try fields.value("scene")
    bytes = try fields.value("bytes")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("scene", scene)
    fields.write("bytes", bytes)
  }
}
