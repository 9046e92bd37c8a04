import TenureDocuments
import TenureGroup
import TenureStorage
import TenureTrace

/// A law whose guard the lab can take away, to show that it is missed.
public enum BreakableLaw: String, CaseIterable, Sendable, Hashable {
  case d1 = "D1"
  case d2 = "D2"
  case d3 = "D3"
  case d4 = "D4"
  case d5 = "D5"
  case d6 = "D6"
  case d9 = "D9"
  case g2 = "G2"
  case g3 = "G3"
}

/// Every guard, but the one that is taken away.
struct LabGuards: Sendable {
  var storage = StorageGuards()
  var documents = DocumentGuards()
  var group = GroupGuards()

  init(without law: BreakableLaw?) {
    switch law {
    case .d1: storage.d1 = false
    case .d2: documents.d2 = false
    case .d3: documents.d3 = false
    case .d4: documents.d4 = false
    case .d5:
      storage.d5 = false
      documents.d5 = false
    case .d6: documents.d6 = false
    case .d9: documents.d9 = false
    case .g2:
      storage.g2 = false
      group.g2 = false
    case .g3: group.g3 = false
    case nil: break
    }
  }
}
