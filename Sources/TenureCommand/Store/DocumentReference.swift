import Tenure

/// `ID` or `ID@VERSION`, as people type it.
enum DocumentReference {
  /// The two parts. An ID may itself hold an `@`: only digits after the last one are a version.
  static func parts(of text: String) -> (document: DocumentID, version: Int64?) {
    guard let at = text.lastIndex(of: "@"), at != text.startIndex else { return (DocumentID(text), nil) }
    let digits = text[text.index(after: at)...]
    guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }), let version = Int64(digits) else {
      return (DocumentID(text), nil)
    }
    return (DocumentID(String(text[..<at])), version)
  }
}

extension Revision {
  /// A line of a list of versions.
  var row: String {
    let size = isDeleted ? "deleted" : "\(size) bytes"
    let on = base == version &- 1 ? "" : " on v\(base)"
    return "\(document)  v\(version)\(on)  \(size)  \(dateAndTime(writer.wall))  "
      + "\(writer.process) \(writer.role) \(writer.pid)"
  }
}
