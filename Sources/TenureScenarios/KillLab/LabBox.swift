import Tenure
import TenureStorage
import TenureSystem
import TenureTesting
import TenureTrace

/// The container the kill lab's workers share: what is in it, and what a change's bytes are.
enum LabBox {
  /// Few documents, so that all contend; every other one has its bodies in files.
  static let documents: [DocumentID] = ["plan.md", "photo.jpg", "list.md", "sketch.png"]
  /// A number that is counted up in a shared file, one step at a time.
  static let counter = "counter"
  /// A shared file of lines.
  static let journal = "journal"

  /// The bytes of a change: the same whenever it is sent, unlike those of any other.
  static func body(of change: ChangeID, in document: DocumentID, draft: Int = 0) -> [UInt8] {
    let isLarge = document.kind != "md"
    var bytes = Array("\(change) of \(document)\(draft == 0 ? "" : ", draft \(draft)")\n".utf8)
    let digits = Array(change.description.utf8)
    while bytes.count < (isLarge ? 3_000 : 200) { bytes += digits }
    return bytes
  }

  static func digest(_ bytes: some Sequence<UInt8>) -> String { Digest(of: bytes).description }

  /// Opens the container as one of the lab's processes.
  static func open(
    _ path: String, system: System, trace: Trace, guards: LabGuards
  ) async throws -> DocumentStore {
    let container = try GroupContainer.open(at: path, system: system, trace: trace)
    var options = GroupDatabase.Options()
    // Without the guard a lock may be left for ever: there is no sense in waiting long for it.
    options.lockTimeout = guards.storage.g2 ? .seconds(20) : .milliseconds(500)
    options.reserve = 0
    let database = try await GroupDatabase.open(
      container, components: [DocumentStore.component], options: options, guards: guards.storage)
    var documents = DocumentStore.Options()
    documents.inlineLimit = 1_024
    return try await DocumentStore.open(database, options: documents, guards: guards.documents)
  }

  // MARK: The shared files

  static func counterText(_ number: Int64) -> [UInt8] {
    Array("\(number)\n".utf8) + [UInt8](repeating: UInt8(ascii: "."), count: 600)
      + Array("\n\(number)\n".utf8)
  }

  /// The number in the file; `nil` when it is not what anybody wrote.
  static func number(in bytes: [UInt8]) -> Int64? {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let first = lines.first, let number = Int64(first), counterText(number) == bytes else { return nil }
    return number
  }

  static func tokens(in bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
