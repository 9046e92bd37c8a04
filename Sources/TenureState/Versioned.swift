/// A value and the version it stands for; later versions have larger numbers.
public struct Versioned<Value: Sendable>: Sendable {
  /// Orders the snapshots of one store (S2).
  public var version: Int64
  /// The value at that version.
  public var value: Value

  /// A snapshot by its parts.
  public init(version: Int64, value: Value) {
    self.version = version
    self.value = value
  }
}

extension Versioned: Equatable where Value: Equatable {}
extension Versioned: Hashable where Value: Hashable {}
