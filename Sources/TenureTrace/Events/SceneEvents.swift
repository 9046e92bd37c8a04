// Events of scenes: which are there and which can be seen.

/// A scene opened a document (D10).
public struct SceneOpened: TraceEvent {
  public static let kind = "scene.opened"
  /// Its ID.
  public var scene: String
  /// What it shows.
  public var document: String?
  /// The version it shows.
  public var version: Int64?

  /// An event by its fields.
  public init(scene: String, document: String? = nil, version: Int64? = nil) {
    self.scene = scene
    self.document = document
    self.version = version
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    scene = try fields.value("scene")
    document = try fields.value("document")
    version = try fields.value("version")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("scene", scene)
    fields.write("document", document)
    fields.write("version", version)
  }
}

/// A scene came to the foreground.
public struct SceneForeground: TraceEvent {
  public static let kind = "scene.foreground"
  /// Its ID.
  public var scene: String

  /// An event by its fields.
  public init(scene: String) {
    self.scene = scene
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    scene = try fields.value("scene")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("scene", scene)
  }
}

/// A scene went to the background; a flush is due (D7).
public struct SceneBackground: TraceEvent {
  public static let kind = "scene.background"
  /// Its ID.
  public var scene: String

  /// An event by its fields.
  public init(scene: String) {
    self.scene = scene
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    scene = try fields.value("scene")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("scene", scene)
  }
}

/// A scene ended; its documents go on.
public struct SceneClosed: TraceEvent {
  public static let kind = "scene.closed"
  /// Its ID.
  public var scene: String

  /// An event by its fields.
  public init(scene: String) {
    self.scene = scene
  }

  public init(from fields: EventFields) throws(EventFields.Problem) {
    scene = try fields.value("scene")
  }

  public func write(to fields: inout FieldWriter) {
    fields.write("scene", scene)
  }
}
