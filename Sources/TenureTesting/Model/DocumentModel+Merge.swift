import Tenure

extension DocumentModel {
  /// What `DocumentStore.merge(_:onto:)` answers where `rule` is registered for the document's kind; `nil`: none is.
  public func merge(
    _ mine: Edit, onto theirs: Int64, by rule: (any MergeRule)?
  ) throws -> MergeResult {
    let document = try mine.document.validated()
    guard let rule else { return .noRule("no rule is registered for this kind of document") }
    let other: Data
    do { other = try body(of: document, version: theirs).data } catch DocumentError.deleted {
      return .conflict([])
    }
    var base = Data()
    if mine.expected > 0 {
      do { base = try body(of: document, version: mine.expected).data } catch {
        switch error {
        case .noSuchVersion: return .noRule("version \(mine.expected) is no longer kept")
        case .deleted: break
        default: throw error
        }
      }
    }
    guard let own = try bytes(of: mine) else { return .conflict([]) }
    switch try rule.merge(base: base, mine: own, theirs: other) {
    case .merged(let body): return .merged(body)
    case .conflict(let regions): return .conflict(regions)
    }
  }
}
