import TenureSystem
import TenureTrace

extension DocumentStore {
  /// Has documents of a kind merged by a rule (D8). The kind is the ending of the ID in lower case (`md`);
  /// `*` stands for every kind that has no rule of its own. Nothing merges before a rule is registered.
  public func register(_ rule: any MergeRule, forKind kind: String) {
    // The rule that is replaced is released outside the lock (S5).
    _ = rules.withLock { $0.updateValue(rule, forKey: kind.lowercased()) }
  }

  /// What the edit becomes on top of version `theirs`, by the rule of the document's kind and against the version
  /// the edit was made on. Nothing is committed: a merged body is an edit like any other, expecting `theirs`.
  ///
  /// An edit or a version that deletes never merges. Without a rule, or when the base was purged, the answer is
  /// ``MergeResult/noRule(_:)`` and the conflict stays.
  public func merge(_ mine: Edit, onto theirs: Int64) async throws -> MergeResult {
    let (document, base) = (mine.document, mine.expected)
    try document.validated()
    let rule = rules.withLock { $0[document.kind] ?? $0["*"] }
    var result: MergeResult
    if let rule {
      result = try await merge(mine, onto: theirs, by: rule)
    } else {
      result = .noRule("no rule is registered for documents that end in .\(document.kind)")
    }
    var isMerged = false
    if case .merged = result { isMerged = true }
    trace.record(
      MergeTried(
        document: document.rawValue, rule: rule?.name, base: base, mine: mine.change.description,
        theirs: theirs, merged: isMerged))
    return result
  }

  private func merge(_ mine: Edit, onto theirs: Int64, by rule: any MergeRule) async throws -> MergeResult {
    let document = mine.document
    let other: Data
    do {
      other = try await body(of: document, version: theirs).data
    } catch DocumentError.deleted {
      return .conflict([])
    }
    var common = Data()
    if mine.expected > 0 {
      do {
        common = try await body(of: document, version: mine.expected).data
      } catch DocumentError.noSuchVersion {
        return .noRule("version \(mine.expected), which the edit was made on, is no longer kept")
      } catch DocumentError.deleted {
        // Made on a tombstone: what there was before is not what it changes.
      }
    }
    let base = common
    let own: Data
    switch mine.body {
    case .deleted: return .conflict([])
    case .data(let data): own = data
    case .file(let url):
      let (system, limit) = (system, options.bodyLimit)
      do {
        own = try await files.run { Data(try system.contents(of: url.path, limit: Int(limit))) }
      } catch let error as SystemError {
        throw DocumentError.bodyUnreadable(error)
      }
    }
    // A long text takes a while; the pool is not for that.
    switch try await files.run({ try rule.merge(base: base, mine: own, theirs: other) }) {
    case .merged(let data): return .merged(data)
    case .conflict(let regions): return .conflict(regions)
    }
  }
}
