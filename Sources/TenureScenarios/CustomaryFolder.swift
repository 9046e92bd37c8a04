import Tenure
import TenureSystem

/// Notes as many apps keep them: a file each, written in place, with the version in a file beside it.
struct CustomaryFolder: Sendable {
  let path: String
  let system: System

  func text(_ name: String) -> String? {
    let bytes = try? system.contents(of: path.appendingPath(name), limit: 1 << 20)
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  func number(_ name: String) -> Int64 { text(name).flatMap { Int64($0) } ?? 0 }

  /// Writes in place: what was there is cut off first.
  func write(_ name: String, _ text: String) throws {
    let file = try system.open(path.appendingPath(name), [.write, .create, .truncate])
    try file.append(text)
  }

  func digest(_ name: String) -> String { Self.digest(text(name) ?? "") }

  static func digest(_ text: String) -> String { String(Digest(of: text.utf8).description.prefix(16)) }
}

extension OpenFile {
  /// Writes text at the current position.
  func append(_ text: String) throws {
    let bytes = Array(text.utf8)
    let written = bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try writeAll(buffer) }
    }
    try written.get()
  }
}

extension Trace {
  /// A commit that customary code begins, with the fields the trace format wants.
  func begun(_ document: String, _ change: ChangeID, base: Int64, _ text: String, scene: String? = nil) {
    record(
      SaveBegun(
        document: document, version: base + 1, change: change.description, base: base, purpose: .commit,
        bytes: Int64(text.utf8.count), scene: scene))
  }

  /// And its end.
  func ended(
    _ document: String, _ change: ChangeID, version: Int64, base: Int64, _ text: String,
    _ outcome: SaveOutcome = .committed, sequence: Int64? = nil, scene: String? = nil
  ) {
    record(
      SaveEnded(
        document: document, version: version, change: change.description, base: base, purpose: .commit,
        bytes: Int64(text.utf8.count), outcome: outcome, sequence: sequence,
        digest: CustomaryFolder.digest(text), scene: scene))
  }
}

extension Edit {
  /// An edit that makes a note this text.
  init(_ document: DocumentID, on version: Int64, _ text: String, _ change: ChangeID = ChangeID()) {
    self.init(of: document, expecting: version, body: .data(Data(text.utf8)), change: change)
  }
}

extension DocumentStore {
  /// A note's current version and text; version 0 when there is none.
  func note(_ document: DocumentID) async throws -> (version: Int64, text: String) {
    do {
      let (revision, data) = try await body(of: document)
      return (revision.version, String(decoding: data, as: UTF8.self))
    } catch DocumentError.noSuchDocument {
      return (0, "")
    }
  }

  /// Commits what must be committed for the scenario to begin.
  @discardableResult
  func begin(_ document: DocumentID, _ texts: String...) async throws -> Revision {
    var last: Revision?
    for text in texts {
      guard case .committed(let revision) = try await commit(Edit(document, on: last?.version ?? 0, text))
      else { throw StageError.unexpected("\(document) was there already") }
      last = revision
    }
    guard let last else { throw StageError.unexpected("there was nothing to begin with") }
    return last
  }
}
