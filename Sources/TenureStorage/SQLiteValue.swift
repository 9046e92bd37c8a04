/// A value as SQLite stores it; what is bound to a statement's parameters.
///
/// Literals stand for themselves: `connection.run("DELETE FROM note WHERE id = ?", 7)`.
public enum SQLiteValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// `null` for `nil`.
  public static func optional(_ value: Int64?) -> SQLiteValue { value.map(SQLiteValue.integer) ?? .null }
  /// `null` for `nil`.
  public static func optional(_ value: String?) -> SQLiteValue { value.map(SQLiteValue.text) ?? .null }
  /// `null` for `nil`.
  public static func optional(_ value: [UInt8]?) -> SQLiteValue { value.map(SQLiteValue.blob) ?? .null }
  /// 1 for true, 0 for false.
  public static func flag(_ value: Bool) -> SQLiteValue { .integer(value ? 1 : 0) }
}

extension SQLiteValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(stringLiteral value: String) { self = .text(value) }
  public init(nilLiteral: ()) { self = .null }
}
