import Tenure
import TenureSystem

/// The contract of `DocumentStore` in memory, without disks, threads or processes: what a store must answer.
///
/// Property tests run the same commands against a store and against this model and compare the answers. Kept so
/// plain that it can be seen to be right: a document is the list of its versions, the history is the list of all
/// of them in the order they were committed, and a change is looked up by its ID.
///
/// ```swift
/// var model = DocumentModel()
/// let result = try model.commit(Edit(of: "plan.md", expecting: 0, body: .data(bytes)))
/// ```
public struct DocumentModel: Sendable {
  /// One committed version with its bytes; `nil` for a tombstone.
  public struct Entry: Sendable, Hashable {
    /// What was committed.
    public let revision: Revision
    /// Its bytes.
    public let body: Data?
  }

  struct DraftKey: Hashable {
    var scene: String
    var document: DocumentID
  }

  /// Every version of every document that is kept, in the order of the history.
  public internal(set) var history: [Entry] = []
  /// The container's epoch, part of every token.
  public let epoch: String
  /// Who writes.
  public var writer: Attribution
  var versions: [DocumentID: [Entry]] = [:]
  var changes: [ChangeID: Revision] = [:]
  var drafts: [DraftKey: Draft] = [:]
  /// Why drafts are not what was checkpointed.
  var damage: [DraftKey: String] = [:]
  var sceneStates: [String: Data] = [:]
  var consumers: [String: Int64] = [:]
  var lastSequence: Int64 = 0
  var purgedThrough: Int64 = 0

  /// An empty container.
  public init(
    epoch: String = "model",
    writer: Attribution = Attribution(
      process: "model", pid: 0, bundleIdentifier: "model", role: "test", appVersion: "0", wall: 0)
  ) {
    self.epoch = epoch
    self.writer = writer
  }

  // MARK: Commits

  /// What `DocumentStore.commit(_:)` answers.
  public mutating func commit(_ edit: Edit) throws -> CommitResult {
    let body = try bytes(of: edit)
    if let recorded = changes[edit.change] {
      guard isSame(edit, body, recorded) else {
        throw DocumentError.changeReused(edit.change, recorded.document)
      }
      return .alreadyCommitted(recorded: recorded, current: revision(of: edit.document) ?? recorded)
    }
    let current = revision(of: edit.document)
    guard edit.expected == current?.version ?? 0 else { return .conflict(current: current) }
    return .committed(append(edit, body, batch: nil))
  }

  /// What `DocumentStore.commit(_:)` answers to a batch: all or nothing.
  public mutating func commit(_ edits: [Edit]) throws -> BatchResult {
    var bodies: [Data?] = []
    for (index, edit) in edits.enumerated() {
      bodies.append(try bytes(of: edit))
      if edits[..<index].contains(where: { $0.document == edit.document || $0.change == edit.change }) {
        throw DocumentError.repeatedInBatch(edit.document)
      }
    }
    if edits.isEmpty { return .committed([]) }
    let batch = ChangeID(derivedFrom: ["batch"] + edits.map(\.change.description))
    let recorded = edits.map { changes[$0.change] }
    if recorded.contains(where: { $0 != nil }) {
      for ((edit, body), found) in zip(zip(edits, bodies), recorded) {
        guard let found else {
          // Of a batch, which is all or nothing, some are recorded: those belong to something else.
          let other = zip(edits, recorded).first { $0.1 != nil }?.0 ?? edit
          throw DocumentError.changeReused(other.change, other.document)
        }
        if !isSame(edit, body, found) { throw DocumentError.changeReused(edit.change, found.document) }
      }
      let known = recorded.compactMap { $0 }
      return .alreadyCommitted(recorded: known, current: known.map { revision(of: $0.document) ?? $0 })
    }
    var conflicts: [DocumentID: Revision?] = [:]
    for edit in edits {
      let current = revision(of: edit.document)
      if edit.expected != current?.version ?? 0 { conflicts.updateValue(current, forKey: edit.document) }
    }
    guard conflicts.isEmpty else { return .conflict(conflicts) }
    return .committed(zip(edits, bodies).map { append($0, $1, batch: batch) })
  }

  /// What `DocumentStore.outcome(of:)` answers.
  public func outcome(of change: ChangeID) -> ChangeOutcome {
    changes[change].map(ChangeOutcome.committed) ?? .notCommitted
  }

  // MARK: Reading

  /// A version, or the current one; a tombstone is a version.
  public func revision(of document: DocumentID, version: Int64? = nil) -> Revision? {
    entry(document, version)?.revision
  }

  /// A version's bytes, or those of the current one.
  public func body(
    of document: DocumentID, version: Int64? = nil
  ) throws(DocumentError) -> (revision: Revision, data: Data) {
    guard let newest = entry(document, nil) else { throw .noSuchDocument(document) }
    guard let entry = entry(document, version) else {
      throw .noSuchVersion(document, version: version ?? newest.revision.version)
    }
    guard let body = entry.body else { throw .deleted(document, version: entry.revision.version) }
    return (entry.revision, body)
  }

  /// What `DocumentStore.list` answers.
  public func list(
    prefix: String = "", after: DocumentID? = nil, limit: Int = 100, includingDeleted: Bool = false
  ) -> Page<Revision> {
    let all = versions.keys.sorted().compactMap { document -> Revision? in
      guard document.rawValue.utf8.starts(with: prefix.utf8), let revision = revision(of: document) else {
        return nil
      }
      if let after, document <= after { return nil }
      return revision.isDeleted && !includingDeleted ? nil : revision
    }
    let items = Array(all.prefix(limit))
    return Page(items: items, next: all.count > limit ? items.last?.document : nil)
  }

  /// The kept versions of a document, newest first.
  public func versions(of document: DocumentID, before: Int64? = nil, limit: Int) -> [Revision] {
    let all = (versions[document] ?? []).map(\.revision).reversed()
    return Array(all.filter { $0.version < before ?? .max }.prefix(limit))
  }

  // MARK: Steps

  private func entry(_ document: DocumentID, _ version: Int64?) -> Entry? {
    guard let version else { return versions[document]?.last }
    return versions[document]?.first { $0.revision.version == version }
  }

  func bytes(of edit: Edit) throws -> Data? {
    try edit.document.validated()
    guard edit.expected >= 0 else {
      throw DocumentError.invalidArgument("An edit cannot expect version \(edit.expected).")
    }
    switch edit.body {
    case .data(let data): return data
    case .deleted: return nil
    case .file(let url):
      do {
        return Data(try System.live.contents(of: url.path(percentEncoded: false), limit: 1 << 30))
      } catch {
        throw DocumentError.bodyUnreadable(error)
      }
    }
  }

  private func isSame(_ edit: Edit, _ body: Data?, _ recorded: Revision) -> Bool {
    edit.document == recorded.document && edit.expected == recorded.base
      && (body == nil) == recorded.isDeleted && Self.digest(of: body) == recorded.digest
  }

  private mutating func append(_ edit: Edit, _ body: Data?, batch: ChangeID?) -> Revision {
    lastSequence += 1
    let revision = Revision(
      document: edit.document, version: edit.expected + 1, change: edit.change, base: edit.expected,
      digest: Self.digest(of: body), size: Int64(body?.count ?? 0), isDeleted: body == nil,
      sequence: lastSequence, batch: batch, writer: writer)
    let entry = Entry(revision: revision, body: body)
    versions[edit.document, default: []].append(entry)
    history.append(entry)
    changes[edit.change] = revision
    for (key, draft) in drafts where draft.change == edit.change {
      drafts[key] = nil
      damage[key] = nil
    }
    return revision
  }

  /// SHA-256 in hexadecimal; empty for a tombstone.
  static func digest(of body: Data?) -> String {
    body.map { Digest(of: $0).description } ?? ""
  }
}
