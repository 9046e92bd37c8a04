import TenureTrace

/// A law with what upholds it: the four faces. A law is done when it has all of them.
struct LawEntry: Sendable {
  /// The law.
  let law: Law
  /// The API whose use makes it hold.
  var api: APIFace?
  /// The name of the registered scenario that shows customary code breaking it.
  var scenario: String?
  /// The display name of a `@Test` that fails when the law's guard is removed.
  var proof: String?
  /// The ID of the registered rule that finds it broken in a trace.
  var rule: String?

  init(
    _ law: Law, api: APIFace? = nil, scenario: String? = nil, proof: String? = nil, rule: String? = nil
  ) {
    self.law = law
    self.api = api
    self.scenario = scenario
    self.proof = proof
    self.rule = rule
  }
}

/// A symbol that the compiler has seen, by the name people know it by.
struct APIFace: Sendable, Hashable {
  /// Such as `DocumentStore.commit`.
  let name: String

  /// A type.
  init<Subject>(_ type: Subject.Type) { name = Self.name(of: type) }

  /// A member of a type. `reference` is the member itself, unapplied (`Store.commit(_:)`) or as a key path
  /// (`\Store.current`): it is only there to be compiled, so that a member that goes takes its face along.
  init<Subject>(_ type: Subject.Type, _ member: String, _ reference: @autoclosure () -> Any) {
    name = "\(Self.name(of: type)).\(member)"
  }

  /// Without the arguments of a generic type.
  private static func name<Subject>(of type: Subject.Type) -> String {
    String(String(describing: type).prefix { $0 != "<" })
  }
}
