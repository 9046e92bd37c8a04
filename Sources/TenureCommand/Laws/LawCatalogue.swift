import TenureTrace

/// The laws with their faces, the one table behind `tenure laws`, the README and the checks.
///
/// A face is named here only when it resolves: the API compiles, the scenario and the rule are registered, the
/// proof is a test. `LawCatalogueTests` holds the table to that.
enum LawCatalogue {
  /// Every law, in the order of the catalogue.
  static let entries: [LawEntry] = Law.allCases.map { law in
    faces[law] ?? LawEntry(law: law)
  }

  private static let faces: [Law: LawEntry] = [:]
}
