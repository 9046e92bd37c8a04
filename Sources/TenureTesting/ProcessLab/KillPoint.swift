import TenureSystem

/// A place in a program where it is killed: right before a system call, or right after an event was recorded.
///
/// ```swift
/// KillPoint.event("save.begun", 2).then(.call(.databaseSync, 1))     // in the second save, before its sync
/// ```
/// Events of locks and saves can be told apart by their purpose: `save.begun/commit`, `lock.taken/checkpoint`.
/// Written as text (`event:save.begun:2>call:sqlite.sync:1`) it goes through a command line.
public struct KillPoint: Sendable, Hashable, CustomStringConvertible {
  /// What is counted.
  public enum Step: Sendable, Hashable {
    /// The n-th event of a kind, or of a kind and a purpose.
    case event(kind: String, Int)
    /// The n-th system call of a kind.
    case call(SystemCall, Int)
  }

  /// Steps in order; each is counted from when the one before was reached.
  public private(set) var steps: [Step]

  /// After the `number`-th event of a kind.
  public static func event(_ kind: String, _ number: Int = 1) -> KillPoint {
    KillPoint(steps: [.event(kind: kind, number)])
  }

  /// Before the `number`-th call of a kind.
  public static func call(_ call: SystemCall, _ number: Int = 1) -> KillPoint {
    KillPoint(steps: [.call(call, number)])
  }

  /// This point, and from there on to another.
  public func then(_ next: KillPoint) -> KillPoint { KillPoint(steps: steps + next.steps) }

  private init(steps: [Step]) { self.steps = steps }

  /// A point by its text; `nil` for anything else.
  public init?(_ text: String) {
    steps = []
    for part in text.split(separator: ">") {
      let fields = part.split(separator: ":").map(String.init)
      guard fields.count == 3, let number = Int(fields[2]), number > 0 else { return nil }
      switch fields[0] {
      case "event": steps.append(.event(kind: fields[1], number))
      case "call":
        guard let call = SystemCall(rawValue: fields[1]) else { return nil }
        steps.append(.call(call, number))
      default: return nil
      }
    }
    if steps.isEmpty { return nil }
  }

  /// Its text.
  public var description: String {
    steps.map { step in
      switch step {
      case .event(let kind, let number): "event:\(kind):\(number)"
      case .call(let call, let number): "call:\(call.rawValue):\(number)"
      }
    }.joined(separator: ">")
  }
}
