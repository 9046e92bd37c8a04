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
}

/// A symbol that the compiler has seen, by the name people know it by.
struct APIFace: Sendable, Hashable {
  /// Such as `DocumentStore.commit`.
  let name: String

  /// A type.
  init<Subject>(_ type: Subject.Type) { name = String(describing: type) }

  /// A member of a type. `reference` is the member itself, unapplied (`Store.commit(_:)`) or as a key path
  /// (`\Store.current`): it is only there to be compiled, so that a member that goes takes its face along.
  init<Subject>(_ type: Subject.Type, _ member: String, _ reference: @autoclosure () -> Any) {
    name = "\(String(describing: type)).\(member)"
  }
}
