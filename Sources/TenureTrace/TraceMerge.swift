/// Several traces as one, in order of time, in one pass and flat memory.
///
/// Within one boot of the machine the monotonic clock orders events, between boots the wall clock. Events with
/// the same time keep the order of their files and, in a file, of their lines. Threads of one process may write
/// their lines a little out of order; the merge sets up to ``lookahead`` lines of a file right.
public struct TraceMerge {
  /// How many lines of a file are held to be put in order.
  public static let lookahead = 64

  private var sources: [Source]
  private var problems: [TraceProblem] = []

  /// Merges readers; their order decides between equal times.
  public init(_ readers: [TraceReader]) { sources = readers.map { Source(reader: $0) } }

  /// Lines of kinds this version does not know, by kind, of what was read so far.
  public var unknownKinds: [String: Int] {
    sources.reduce(into: [:]) { all, source in all.merge(source.reader.unknownKinds, uniquingKeysWith: +) }
  }

  /// The next event or problem; `nil` when every file has ended.
  public mutating func next() -> TraceItem? {
    for index in sources.indices { sources[index].fill(&problems) }
    if !problems.isEmpty { return .problem(problems.removeFirst()) }
    var first: Int?
    for index in sources.indices {
      guard let entry = sources[index].next else { continue }
      if let best = first, let earliest = sources[best].next, !Self.isEarlier(entry, earliest) { continue }
      first = index
    }
    guard let first else { return nil }
    return .entry(sources[first].take())
  }

  /// Whether `one` happened before `other`; neither before the other when it cannot be told.
  static func isEarlier(_ one: TraceEntry, _ other: TraceEntry) -> Bool {
    let sameBoot =
      one.boot == other.boot && (!one.boot.isEmpty || one.place.file == other.place.file)
    return sameBoot
      ? one.record.monotonic < other.record.monotonic : one.record.wall < other.record.wall
  }
}

/// A file and the few of its entries that are being put in order.
private struct Source {
  var reader: TraceReader
  private var held: [TraceEntry] = []
  private var taken = 0
  private var ended = false

  init(reader: TraceReader) { self.reader = reader }

  var next: TraceEntry? { taken < held.count ? held[taken] : nil }

  mutating func take() -> TraceEntry {
    let entry = held[taken]
    taken += 1
    if taken == TraceMerge.lookahead {
      held.removeFirst(taken)
      taken = 0
    }
    return entry
  }

  mutating func fill(_ problems: inout [TraceProblem]) {
    while !ended && held.count - taken < TraceMerge.lookahead {
      switch reader.next() {
      case nil: ended = true
      case .problem(let problem):
        problems.append(problem)
        return
      case .entry(let entry):
        var position = held.count
        while position > taken && TraceMerge.isEarlier(entry, held[position - 1]) { position -= 1 }
        held.insert(entry, at: position)
      }
    }
  }
}
