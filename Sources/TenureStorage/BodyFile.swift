/// A body in a file of its own.
public struct BodyFile: Sendable, Hashable, Codable {
  /// The file's name in the container's `bodies` folder; used once, never again.
  public let name: String
  /// SHA-256 of the content, in hexadecimal digits.
  public let digest: String
  /// Bytes.
  public let size: Int64

  /// A body by its parts, as a row holds them.
  public init(name: String, digest: String, size: Int64) {
    self.name = name
    self.digest = digest
    self.size = size
  }
}

/// What became of writing a body.
package struct WrittenBody: Sendable {
  /// The body.
  package let file: BodyFile
  /// Whether it was read back and compared before it got its name.
  package let wasVerified: Bool
}
